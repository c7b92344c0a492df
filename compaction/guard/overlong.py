"""Divide what is too long to be weighed as one.

A page or a paragraph on one line is read as prose, and goes word by word like any other. Minified code,
and data that no reader of ours takes for a document, has no words to lose: it is divided where a
statement or a value ends, and what goes from there leaves a marker.
"""

from collections.abc import Iterator

import regex

from elision.compaction.guard.logs import is_stamped
from elision.compaction.guard.prose import is_prose
from elision.compaction.guard.units import unit_spans
from elision.compaction.guard.whole_json import is_json
from elision.compaction.types import DIVISIBLE, Kind
from elision.model.types import Span

OVERLONG = 600  # characters of a passage: more is not weighed as one
STRETCH = 300
LONGEST_WORDS = 15  # characters a word of running text has on average, at most
_REACH, _REACH_OF_PROSE = 4000, 300
# Characters to one of these: minified code has 9, a log line with pairs or a payload 20 and more.
_SIGN, _CHARACTERS_TO_A_SIGN = regex.compile(r"[;{}()]"), 15
_END = regex.compile(r"[;},>\s](?![\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\n])")


def kind_of_overlong(row: str, kind: Kind, neighbours: list[Kind]) -> Kind:
    """What an overlong line is, given what it was taken for by its beginning.

    Args:
        row: The line.
        kind: What it was taken for.
        neighbours: The kinds of the lines next to it: a long row among others of its kind is one of them.
    """
    start = row[:_REACH]
    if kind is Kind.LOG:
        return Kind.CODE if _is_minified(start) else kind
    if kind not in (Kind.TABLE, Kind.CODE, Kind.JSON) or kind in neighbours:
        return kind
    if kind is Kind.JSON and start.lstrip()[:1] in ("{", "["):
        return kind
    if kind is not Kind.TABLE and not is_prose(start[:_REACH_OF_PROSE]):
        return kind
    return Kind.PROSE if len(start.split()) * LONGEST_WORDS >= len(start) else kind


def stretches(text: str, span: Span, kind: Kind) -> Iterator[Span]:
    """``span``, or where it is overlong and of a kind that may be divided, stretches of it."""
    if len(span) <= OVERLONG:
        yield span
    elif kind in DIVISIBLE:
        yield from _between_units(text, span)
    elif kind is Kind.CODE or (kind is Kind.JSON and not is_json(span.of(text))):
        yield from _between_statements(text, span)
    else:
        yield span


def _is_minified(start: str) -> bool:
    """Whether a line that pairs such as ``a=b`` make look like a log is code."""
    dense = len(_SIGN.findall(start)) * _CHARACTERS_TO_A_SIGN >= len(start)
    return dense and not is_stamped(start) and not is_prose(start[:_REACH_OF_PROSE])


def _between_units(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    for unit in unit_spans(text, span):
        if unit.stop - start > STRETCH and unit.start > start and span.stop - unit.start > STRETCH // 2:
            yield Span(start, unit.start)
            start = unit.start
    yield Span(start, span.stop)


def _between_statements(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    while end := _END.search(text, start + STRETCH, span.stop - STRETCH // 2):
        yield Span(start, end.end())
        start = end.end()
    yield Span(start, span.stop)
