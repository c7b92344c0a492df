"""Read which sources a statement cites: ``[m12]``, ``(m3, m7)``, ``【m1–m4】``."""

from collections.abc import Collection, Iterable, Iterator

import regex

# What brackets hold is a citation if all of it has the shape of an id; a range names its ends.
_BRACKETED = regex.compile(
    r"[^\S\r\n]*+(?:\[([^\[\]\r\n]{1,400})\]|\(([^()\r\n]{1,400})\)|【([^【】\r\n]{1,400})】)"
)
_SEPARATOR = regex.compile(r"\s*+(?:[,;，；、&+/]|\band\b|\bund\b|\by\b|\bet\b|\bи\b)\s*+|\s++")
_RANGE = regex.compile(r"\s*+(?:\.\.|[-–—~])\s*+")
_FIGURE = regex.compile(r"[0-9]++[a-z]{0,2}+(?![a-z])")


class Citations:
    """The ids that may be cited, and where a text cites them or others like them."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = frozenset(ids)
        shapes = {_FIGURE.sub("0", one) for one in self._ids if one and not one.isspace()}
        # Letters behind the figure tell the parts of one message apart: m12, m12b.
        spelled = "|".join(
            regex.escape(shape).replace("0", "[0-9]++[a-z]{0,2}+") for shape in sorted(shapes, key=len)
        )
        self._shape = regex.compile(spelled) if spelled else None

    def cited(self, text: str) -> list[str]:
        """The ids that the text cites, in order, each once; those that do not exist too."""
        groups = (group for _, group in self._groups(text))
        return list(dict.fromkeys(one for group in groups for part in group for one in part))

    def kept(self, text: str) -> tuple[str, list[str]]:
        """The text without the ids that do not exist, and these."""
        wrong = [one for one in self.cited(text) if one not in self._ids]
        if not wrong:
            return text, []
        pieces, at = [], 0
        for match, group in list(self._groups(text)):
            pieces.append(text[at : match.start()] + self._spelled(match[0], group))
            at = match.end()
        return "".join([*pieces, text[at:]]), wrong

    def without(self, text: str) -> str:
        """The text without its citations."""
        pieces, at = [], 0
        for match, _ in self._groups(text):
            pieces.append(text[at : match.start()])
            at = match.end()
        return "".join([*pieces, text[at:]])

    def leading(self, text: str) -> int:
        """How many characters the citations take that a text begins with, white space behind them too."""
        stop = 0
        for match, _ in self._groups(text):
            if match.start() != stop:
                break
            stop = match.end()
            while stop < len(text) and text[stop].isspace():
                stop += 1
        return stop

    def _groups(self, text: str) -> Iterator[tuple["regex.Match[str]", list[list[str]]]]:
        for match in _BRACKETED.finditer(text):
            inner = (match[1] or match[2] or match[3] or "").strip().removeprefix("^")
            parts = [self._part(part) for part in _SEPARATOR.split(inner)]
            if all(parts):
                yield match, parts

    def _part(self, part: str) -> list[str]:
        """The ids of an id or a range; empty if it is neither."""
        if self._is_id(part):
            return [part]
        ends = _RANGE.split(part)
        return ends if len(ends) == 2 and all(map(self._is_id, ends)) else []

    def _is_id(self, part: str) -> bool:
        return part in self._ids or bool(self._shape and self._shape.fullmatch(part))

    def _spelled(self, bracketed: str, group: Collection[list[str]]) -> str:
        good = [part for part in group if all(one in self._ids for one in part)]
        if len(good) == len(group) or not good:
            return bracketed if good else ""
        start = len(bracketed) - len(bracketed.lstrip())
        return bracketed[: start + 1] + ", ".join("-".join(part) for part in good) + bracketed[-1]
