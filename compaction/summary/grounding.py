"""Find the identifiers, numbers and paths of a text, and tell whether a source has them.

A summary may say things in its own words, but not make up a path, an id or a figure. Names are looked
for as they are spelled, between characters that do not go on with the name, so ``app.py`` is in
``src/app.py:12`` and ``v1.2`` is not in ``v1.2.3``, nor ``/app.py`` in ``src/app.py``. Numbers are compared
by what they are worth, in their units.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import regex

from elision.compaction.summary.numbers import NUMBER, SPAN, Figures, ascii_digits, figure, figures, readings
from elision.compaction.summary.units import CURRENCY, HYPHENED_UNIT, SPACE, SPACED_UNIT, UNIT, UNSPACED


class ArtefactKind(StrEnum):
    """How an artefact is compared with what a source has."""

    EXACT = "exact"  # letter for letter: path, address, id, version, date
    NAME = "name"  # whatever the case: TypeError, GPT-4
    NUMBER = "number"  # by worth


@dataclass(frozen=True, slots=True)
class Artefact:
    """Something that no writer may make up.

    Attributes:
        kind: How it is compared.
        text: As it is spelled, digits in ASCII.
    """

    kind: ArtefactKind
    text: str


_BORDERLESS = regex.compile(rf"[{UNSPACED}]")
_RUN = regex.compile(
    rf"(?:[^\s\"'`“”‘’«»<>(){{}}\[\]|,;*…、。，；：！？（）【】「」『』→⇒{UNSPACED}]++|(?<=[0-9])[,'’\u00a0\u202f\u2009](?=[0-9]{{3}}(?![0-9])))++"
)
_TICKED = regex.compile(r"`([^`\s]{2,200})`")
_CALLED = regex.compile(r"[\w.:]{2,120}+(?=\(\))")
_NUMBERING = regex.compile(r"^[^\S\r\n]*+(?:#{1,6}\s*+)?[0-9]{1,3}[.)](?=\s)", regex.MULTILINE)
_STAMP = regex.compile(
    r"(?<=[0-9])T(?=[0-9]{2}:)|(?<=[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)Z(?!\w)"
)
_VERSION_MARK = regex.compile(r"(?<!\w)[vV](?=[0-9])")
_ESCAPES = regex.compile(r"\\(?:[nrtbf\"/]|\\)")
_EDGES = ":!?=#$&+~,.–—-…%^"
_LEADS = ":!?=#$&+,–—…%^"
_WORD = regex.compile(r"\w++")
_QUANTITY = regex.compile(
    rf"[{regex.escape(_LEADS)}\-−±~≈<>≤≥]*?(?:([+\-−]?)[A-Z]{{0,3}}([{CURRENCY}])|([+\-−]?))({NUMBER})"
    rf"(?:({UNIT}).*+|([-‐]{HYPHENED_UNIT})?+(?:[-‐]\p{{L}}++)*+[{regex.escape(_EDGES)}]*+)"
)
_BEHIND = regex.compile(rf"(?<=[0-9])[{SPACE}]?+{SPACED_UNIT}")
_ORDINAL = regex.compile(r"[0-9]{1,3}(?:st|nd|rd|th|er|e|ère|º|ª|º|-й|-я)")
_DOTTED = regex.compile(
    r"(?:[\w\-]{2,}+\.)++[\w\-]{2,}+|[\w\-]+\.(?:c|h|d|m|r|go|js|ts|py|rs|cc|rb|pl|sh|md|kt)"
)
_CAMEL = regex.compile(r"\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2}")
_FOLDERS = frozenset(
    "src lib libs test tests doc docs bin etc usr var tmp opt home app apps pkg cmd internal config conf scripts "
    "tools build dist public static assets vendor node_modules packages examples data migrations".split()
)
_COMMON = frozenset(
    "javascript typescript github gitlab postgresql mysql sqlite graphql macos ios youtube openai".split()
)
_WORD_END = rf"(?:[^\W{UNSPACED}]|[.~/\\@])"
# Names of some shape, and what before or behind one of them makes it a part of another name.
_JOINS = [
    tuple(map(regex.compile, row))
    for row in (
        # The first separator of a path, unless what is before it is a host.
        (
            r"^(?:/|\.{1,2}/|~/)",
            rf"{_WORD_END}[\-+%]*+\Z(?<!file://|://[^\s/]{{1,253}}|[\w.\-]:[0-9]{{1,5}})",
            r"(?!)",
        ),
        # An address ends with its host or a part of its path.
        (r"://[^/]++$|@", r"(?!)", rf"[.\-@]++[^\W{UNSPACED}]"),
        (r"@", r"[0-9A-Za-z][.+\-]\Z", r"(?!)"),
        (r"\.(?:com|org|net|edu|gov|io|dev|app|ai|co|cloud)$", r"(?!)", r"\.[0-9A-Za-z]"),
        # An id in groups, of which those with figures belong together.
        (
            r"^(?=[^\-]*[0-9])[0-9A-Za-z_]{3,}(?:-|$)",
            r"(?<![0-9A-Za-z_])(?=[A-Za-z_]*[0-9])[0-9A-Za-z_]{3,40}-\Z",
            r"(?!)",
        ),
        (
            r"(?:^|-)(?=[^\-]*[0-9])[0-9A-Za-z_]{3,}$",
            r"(?!)",
            r"-(?=[A-Za-z_]*[0-9])[0-9A-Za-z_]{3,}",
        ),
    )
]
_AROUND = 300  # characters of what is around a name
_LONG_ID = 8  # from here on letters of an id are compared with their case
_MOST_LOOKS = 500


def artefacts(text: str) -> list[Artefact]:
    """The identifiers, numbers and paths of a text, in order; list numbering and ordinals are none."""
    shadow = _NUMBERING.sub(" ", _shadow(text))
    found = [one for run in _RUN.finditer(shadow) for one in _of_run(run[0], _unit_behind(shadow, run.end()))]
    marked = [match[1] for match in _TICKED.finditer(shadow)] + [
        match[0] for match in _CALLED.finditer(shadow)
    ]
    return list(dict.fromkeys([*found, *(one for name in marked for one in _marked(name))]))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a summary may draw on. Built in linear time."""

    _text: str
    _folded: str
    _words: frozenset[str]
    _figures: Figures
    _known: dict[Artefact, bool] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Evidence":
        """Of some texts; JSON escapes in them are read both ways."""
        text = _shadow("\n".join(texts))
        if "\\" in text:
            text = text + "\n" + _ESCAPES.sub(lambda escape: "\\" if escape[0] == "\\\\" else " ", text)
        folded = text.casefold()
        words = frozenset(_WORD.findall(folded))
        return cls(text, folded, words, figures(text))

    def has(self, artefact: Artefact) -> bool:
        """Whether it is there."""
        known = self._known.get(artefact)
        if known is None:
            known = self._known[artefact] = self._look(artefact)
        return known

    def missing(self, text: str) -> list[str]:
        """The artefacts of a text that are not there, in order."""
        return [one.text for one in artefacts(text) if not self.has(one)]

    def _look(self, artefact: Artefact) -> bool:
        if artefact.kind is ArtefactKind.NUMBER:
            quantity = _QUANTITY.fullmatch(artefact.text)
            assert quantity
            before, currency, sign, number, unit = quantity.groups("")[:5]
            return self._figures.bear_out(figure(number, unit, before or sign, currency))
        text, where = artefact.text, self._text
        if artefact.kind is ArtefactKind.NAME:
            text, where = text.casefold(), self._folded
        return any(self._occurs(spelling, where) for spelling in _spellings(text))

    def _occurs(self, text: str, where: str) -> bool:
        # Beside a script without spaces a word runs on: ``修改app.py``.
        words = self._words.issuperset(_WORD.findall(text.casefold()))
        return (words or not where.isascii()) and _stands(text, where)


def _shadow(text: str) -> str:
    """The text as it is compared: ASCII digits, stamps in two words, versions without their ``v``."""
    return str(_VERSION_MARK.sub("", _STAMP.sub(" ", ascii_digits(text))))


def _stands(text: str, where: str) -> bool:
    """Whether ``text`` stands somewhere with nothing before or behind that goes on with it."""
    joins = [(before, behind) for shape, before, behind in _JOINS if shape.search(text)]
    at = where.find(text)
    for _ in range(_MOST_LOOKS):
        if at < 0:
            return False
        stop = at + len(text)
        before, behind = where[max(0, at - _AROUND) : at], where[stop : stop + _AROUND]
        if not (
            _goes_on(before[:-3:-1], text[0])
            or _goes_on(behind[:2], text[-1])
            or any(one.search(before) or other.match(behind) for one, other in joins)
        ):
            return True
        at = where.find(text, at + 1)
    return False


def _goes_on(outside: str, edge: str) -> bool:
    """Whether the characters next to a name, nearest first, belong to it."""
    nearest = outside[:1]
    if not nearest or not (edge.isalnum() or edge == "_"):
        return False
    if edge.isdigit() and nearest == "." and outside[1:2].isdigit():
        return True
    return (nearest.isalnum() or nearest == "_") and not _BORDERLESS.match(nearest)


def _spellings(text: str) -> Iterator[str]:
    """The name and what is as good: with spaces for hyphens, in the singular."""
    yield text
    if "-" in text.strip("-") and "/" not in text:
        yield text.replace("-", " ")
    if text.endswith("s") and len(text) > 4 and "/" not in text and "." not in text:
        yield text[:-1]


def _unit_behind(text: str, at: int) -> str:
    unit = _BEHIND.match(text, at)
    return unit[0].lstrip(SPACE) if unit else ""


def _of_run(run: str, unit: str) -> Iterator[Artefact]:
    """The artefacts of a run of characters without a space, and of the unit that stands behind it."""
    token = _trimmed(run)
    if not token:
        return
    if "=" in token and "://" not in token:
        parts = run.split("=")
    elif (
        "://" not in token
        and ":" in token
        and not (token.replace(":", "").isdigit() or token[1:3] in (":\\", ":/"))
    ):
        parts = run.split(":")
    else:
        parts = [run]
    for part in parts[:-1]:
        yield from _of_part(part)
    yield from _of_part(parts[-1], unit)


def _of_part(part: str, unit: str = "") -> Iterator[Artefact]:
    token = _trimmed(part)
    if not token or _ORDINAL.fullmatch(token):
        return
    quantity, span = _QUANTITY.fullmatch(part), SPAN.fullmatch(token)
    if quantity and readings(quantity[4]):
        before, currency, sign, number, glued, hyphened = quantity.groups("")
        measure = glued or hyphened[1:] or (unit if part.endswith(number) else "")
        yield Artefact(ArtefactKind.NUMBER, (before or sign) + currency + number + measure)
    elif span and readings(span[1]) and readings(span[3]):
        yield Artefact(ArtefactKind.NUMBER, span[1] + (span[2] or ""))
        yield Artefact(ArtefactKind.NUMBER, span[3] + (span[4] or (unit if part.endswith(span[3]) else "")))
    elif _is_path(token):
        yield Artefact(ArtefactKind.EXACT, token)
    elif "/" in token:
        *first, last = part.split("/")
        for one in first:
            yield from _of_part(one)
        yield from _of_part(last, unit)
    else:
        yield from _named(token)


def _named(token: str) -> Iterator[Artefact]:
    digit = any("0" <= character <= "9" for character in token)
    letter = any(map(str.isalpha, token))
    if digit and not letter:
        yield Artefact(ArtefactKind.EXACT, token)
    elif digit:
        yield Artefact(ArtefactKind.EXACT if len(token) >= _LONG_ID else ArtefactKind.NAME, token)
    elif not letter:
        return
    elif "_" in token.strip("_") or "@" in token.strip("@") or token.startswith("--"):
        yield Artefact(ArtefactKind.EXACT, token)
    elif (_CAMEL.search(token) or _DOTTED.fullmatch(token)) and token.casefold() not in _COMMON:
        yield Artefact(ArtefactKind.NAME, token)


def _marked(name: str) -> Iterator[Artefact]:
    """A word that the writer marks as code is a name, however plain."""
    token = _trimmed(name)
    if len(token) >= 2 and token.isascii() and token.replace("-", "").replace(".", "").isalpha():
        yield Artefact(ArtefactKind.NAME, token)


def _is_path(token: str) -> bool:
    if "://" in token or (token[1:3] == ":\\" and token[0].isalpha()):
        return True
    separator = "/" if "/" in token else "\\"
    parts = [part for part in token.split(separator) if part]
    if separator not in token or not any(any(map(str.isalnum, part)) for part in parts):
        return False
    if token[0] in "/~" or token.startswith(("./", "../")):
        return any(map(str.isalpha, token))
    if separator == "\\":
        return len(parts) > 1
    dotted = any("." in part.strip(".") or "_" in part.strip("_") for part in parts)
    return dotted or len(parts) > 2 or token.endswith("/") or any(part in _FOLDERS for part in parts)


def _trimmed(token: str) -> str:
    """Without punctuation at its ends, which no name has; the hyphens of a flag stay."""
    if token.startswith("--") and token[2:3].isalpha():
        return token.rstrip(_EDGES)
    return token.lstrip(_LEADS + "-").rstrip(_EDGES)
