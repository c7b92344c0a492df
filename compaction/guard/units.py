"""Partition a stretch of text into the smallest things that may be dropped.

A unit is what lies between two white spaces, with the white space before it: ids, hashes,
paths, URLs, numbers and flags hold no space and so are whole by construction. `glue` names
the facts that do hold one (``30 days``, ``May 5, 2024``), `scripts` cuts what has no spaces.
No unit ends inside a grapheme.
"""

from collections.abc import Iterator

import regex

from elision.compaction.guard import glue
from elision.compaction.guard.scripts import UNSPACED, runs
from elision.model.types import Span

_WHOLE = "|".join((*glue.MARKUP, *glue.DATES, *glue.NUMBERS))
# Nine words in ten: letters, no number after them that could be theirs ("line 12", "May 5").
_PLAIN = r"\p{L}++[.,;:!?]?+(?=\s)(?!\s{1,2}[\#(:=$€£¥₹]?\s?[+\-−]?\d)"
_UNIT = regex.compile(
    rf"[^\S\r\n]*+(?:[\r\n]++|{_PLAIN}|(?P<whole>{_WHOLE})\S*+|\S++|(?=\Z))|[^\S\r\n]++", regex.VERBOSE
)
# Where scripts without spaces stand, such things also begin after a character, and end before one. None of
# them begins with a letter.
_INLINE = "|".join(glue.INLINE)
_UNSPACED_UNIT = regex.compile(
    rf"[^\S\r\n]*+(?:[\r\n]++|(?P<whole>{_WHOLE})[\p{{Pe}}\p{{Pf}}\p{{Po}}--[@#&\\/*\"']]*+"
    rf"|(?:\p{{L}}|(?!(?<=[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}])(?:{_INLINE}))\S)++|(?=\Z))|[^\S\r\n]++",
    regex.VERBOSE | regex.V1,
)
# An em dash or an ellipsis between words is a joint, not part of a name.
_JOINT = regex.compile(r"(?<=\p{L}[—…])(?=\p{L})")
_INDENT = regex.compile(r"[^\S\r\n]++(?=[^\r\n])")
_COMPOUND = regex.compile(rf"[—…]|{UNSPACED.pattern}")
_OPERATOR = regex.compile(r"(?<!\S)\L<operators>(?!\S)", operators=sorted(glue.OPERATORS))
_GRAPHEME = regex.compile(r"\X")
_CLUSTERS = regex.compile(r"[^\p{GCB=Other}\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}\p{GCB=LV}\p{GCB=LVT}]")


def unit_spans(text: str, span: Span) -> list[Span]:
    """Partition ``span`` into units.

    Units of white space alone are layout: the indentation of a line, its end with the spaces
    before it, and the white space that closes a sentence. They stay or go with their passage.

    Args:
        text: Any string.
        span: A line or a sentence; must not begin or end inside a grapheme.

    Returns:
        Units in text order; empty for an empty span.
    """
    cuts = list(_cuts(text, span))
    if not text[span.start : span.stop].isascii() and _CLUSTERS.search(text, span.start, span.stop):
        whole = {match.start() for match in _GRAPHEME.finditer(text, span.start, span.stop)}
        cuts = [cut for cut in cuts if cut in whole]
    edges = [span.start, *cuts, span.stop] if len(span) else []
    units = list(map(Span, edges[:-1], edges[1:]))
    return _joined_operators(text, units) if _OPERATOR.search(text, span.start, span.stop) else units


def _cuts(text: str, span: Span) -> Iterator[int]:
    """Where units begin, strictly inside ``span``, rising."""
    at = span.start
    if at == 0 or text[at - 1] in "\r\n":
        indent = _INDENT.match(text, at, span.stop)
        if indent:
            yield (at := indent.end())
    simple = not _COMPOUND.search(text, at, span.stop)
    unspaced = not simple and UNSPACED.search(text, at, span.stop) is not None
    for match in (_UNSPACED_UNIT if unspaced else _UNIT).finditer(text, at, span.stop):
        start, stop = match.span()
        if start > at and stop > start:
            yield start
        if not simple and match.start("whole") < 0 and stop > start:
            yield from _inner_cuts(text, start, stop, unspaced)


def _inner_cuts(text: str, start: int, stop: int, unspaced: bool) -> Iterator[int]:
    if unspaced and UNSPACED.search(text, start, stop):
        while text[start].isspace():
            start += 1
        yield from runs(text, start, stop)
    elif "—" in text[start:stop] or "…" in text[start:stop]:
        for joint in _JOINT.finditer(text, start, stop):
            yield joint.start()


def _joined_operators(text: str, units: list[Span]) -> list[Span]:
    """Make ``a == b`` one unit: half a comparison says nothing, or something else."""
    joined: list[Span] = []
    pending = False
    for unit in units:
        word = text[unit.start : min(unit.stop, unit.start + 8)].strip() if len(unit) < 8 else ""
        operator = word in glue.OPERATORS and bool(joined) and not text[joined[-1].start : joined[-1].stop].isspace()
        if joined and (operator or (pending and not text[unit.start : unit.stop].isspace())):
            joined[-1] = Span(joined[-1].start, unit.stop)
        else:
            joined.append(unit)
        pending = operator
    return joined
