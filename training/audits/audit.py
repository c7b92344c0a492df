"""Check what `compress` promises of one text, from the outside.

Only the original, the output and its receipt are looked at, with the guard's definitions of
what a unit, a negation or an error template is; nothing here knows how the text was cut.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import regex
from numpy.typing import NDArray

from elision.compaction.guard.ansi import control_spans
from elision.compaction.guard.blobs import find_blobs
from elision.compaction.guard.negations import negation_spans
from elision.compaction.guard.overlong import OVERLONG
from elision.compaction.guard.reports import names_test
from elision.compaction.guard.segment import Segmented, segment
from elision.compaction.guard.units import unit_spans
from elision.compaction.guard.whole_json import is_json
from elision.compaction.pins import text as pins
from elision.compaction.raw_json import parse
from elision.compaction.types import DIVISIBLE, Compressed, Drop, Kind, TokenCounter
from elision.model.types import Span
from elision.training.audits import structure


class Check(StrEnum):
    """What a text can fail; `UNPROMISED` and `TARGET` allow exceptions."""

    REBUILD = "rebuild from dropped differs"
    RECEIPT = "receipt is wrong"
    TARGET = "target missed"
    UNIT = "unit half kept"
    NEGATION = "negation lost from a kept sentence"
    TEMPLATE = "error template lost"
    TEST = "failing test name lost"
    EXIT_CODE = "exit code lost"
    TOTAL = "total lost"
    UNPROMISED = "lost from code, diffs and JSON (not promised)"
    GROWN = "tokens grown"
    JSON = "JSON invalid or of another shape"
    LINE = "line of code, a diff, a table or a trace cut in two"
    DIFF = "hunk that no longer applies"
    ROW = "row under another heading, or of two lines"


EXCEPTIONS_ALLOWED = frozenset({Check.TARGET, Check.UNPROMISED})

# Kinds of which a line is whole or gone.
WHOLE = frozenset(Kind) - DIVISIBLE - {Kind.BLANK}
# One character of a JSON string as it may be spelled; halves of a pair count as one.
_CHARACTER = regex.compile(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u\w{4}|\\.|[^\\]", regex.DOTALL)

# What files hold; an error mentioned there was not reported. A row of a table may well be one.
SHOWN = frozenset({Kind.CODE, Kind.DIFF, Kind.JSON})

_FACTS: tuple[tuple[Check, Callable[[str], str | None]], ...] = (
    (Check.TEMPLATE, pins.error_template),
    (Check.TEST, pins.failing_test),
    (Check.EXIT_CODE, pins.exit_code),
    (Check.TOTAL, pins.total),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise: which, and the stretch of text that shows it."""

    check: Check
    detail: str


def audit(text: str, result: Compressed, counter: TokenCounter) -> list[Finding]:
    """List every promise broken for one text."""
    clean, kept = without_controls(text, result.receipt.dropped)
    read = segment(clean)
    return [
        *_accounts(text, result, counter),
        *_structure(text, result, clean, kept, read),
        *_facts(read, clean, kept),
    ]


def rebuild(text: str, dropped: tuple[Drop, ...]) -> str:
    """The output, from the original and the receipt alone."""
    parts, at = [], 0
    for drop in dropped:
        parts += [text[at : drop.span.start], drop.replacement]
        at = drop.span.stop
    return "".join(parts) + text[at:]


def without_controls(text: str, dropped: tuple[Drop, ...]) -> tuple[str, NDArray[np.bool_]]:
    """What a terminal would show of ``text``, and which of its characters were kept."""
    shown = np.ones(len(text), dtype=np.bool_)
    kept = np.ones(len(text), dtype=np.bool_)
    for span in control_spans(text):
        shown[span.start : span.stop] = False
    for drop in dropped:
        kept[drop.span.start : drop.span.stop] = False
    if shown.all():
        return text, kept
    return "".join(text[i] for i in np.flatnonzero(shown)), kept[shown]


def _accounts(text: str, result: Compressed, counter: TokenCounter) -> Iterator[Finding]:
    receipt = result.receipt
    before, after = counter.count(text), counter.count(result.text)
    met = after <= receipt.target_tokens + max(0.03 * receipt.target_tokens, 8)
    said = (receipt.tokens_before, receipt.tokens_after, receipt.target_met, receipt.changed)
    if said != (before, after, met, result.text != text):
        yield Finding(Check.RECEIPT, f"says {said}, is {(before, after, met, result.text != text)}")
    if rebuild(text, receipt.dropped) != result.text:
        yield Finding(Check.REBUILD, f"{len(receipt.dropped)} drops")
    if not met:
        yield Finding(
            Check.TARGET, f"{after} of {before} tokens, target {receipt.target_tokens} {receipt.reason}"
        )
    if after > before:
        yield Finding(Check.GROWN, f"{before} to {after} tokens")


def _structure(
    text: str, result: Compressed, clean: str, kept: NDArray[np.bool_], read: Segmented
) -> Iterator[Finding]:
    if is_json(clean):
        broken = structure.reshaped(text if is_json(text) else clean, result.text)
        if broken:
            yield Finding(Check.JSON, broken)
        for inner, inner_kept in json_strings(clean, kept):
            yield from _sentences(segment(inner), inner, inner_kept)
        return
    yield from _sentences(read, clean, kept)
    for line, kind in zip(read.lines, read.kinds, strict=True):
        if kind in WHOLE and len(line) <= OVERLONG and _stays(clean, kept, line) == (True, False):
            yield Finding(Check.LINE, line.of(clean).strip()[:200])
    for detail in structure.broken_hunks(clean, kept):
        yield Finding(Check.DIFF, detail)
    rows = (structure.stray_rows(clean, kept), structure.headless_rows(clean, kept))
    for detail in (*rows[0], *rows[1], *structure.joined_lines(text, result.receipt.dropped)):
        yield Finding(Check.ROW, detail)


def json_strings(text: str, kept: NDArray[np.bool_]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The strings of a JSON text that are values, each with which of its characters were kept."""
    open_ = [parse(text)]
    while open_:
        node = open_.pop()
        open_ += [*node.elements, *(member for _, member in node.members)]
        if isinstance(node.value, str):
            spelled = list(_CHARACTER.finditer(text, node.span.start + 1, node.span.stop - 1))
            stays = [bool(kept[match.start() : match.end()].all()) for match in spelled]
            yield "".join(json.loads(f'"{match.group()}"') for match in spelled), np.array(stays, dtype=np.bool_)


def _sentences(read: Segmented, text: str, kept: NDArray[np.bool_]) -> Iterator[Finding]:
    """Units cut in two, and negations cut from what otherwise stayed."""
    for span in _whole_sentences(read):
        if kept[span.start : span.stop].all() or not kept[span.start : span.stop].any():
            continue
        units = [unit for unit in unit_spans(text, span) if unit.of(text).strip()]
        stays = {unit: _stays(text, kept, unit) for unit in units}
        for unit, (some, every) in stays.items():
            if some and not every and not find_blobs(unit.of(text)):  # a blob keeps its ends
                yield Finding(Check.UNIT, unit.of(text).strip())
        if any(some and any(c.isalnum() for c in unit.of(text)) for unit, (some, _) in stays.items()):
            for negation in negation_spans(text, span):
                if not _stays(text, kept, negation)[1]:
                    yield Finding(
                        Check.NEGATION, f"{negation.of(text).strip()!r} of {span.of(text).strip()[:200]!r}"
                    )


def _whole_sentences(read: Segmented) -> Iterator[Span]:
    """Passages, the stretches of one overlong sentence joined again; those of a line of code go whole."""
    pending: Span | None = None
    for passage in read.passages:
        if pending and passage.continues and passage.divisible:
            pending = Span(pending.start, passage.span.stop)
            continue
        if pending:
            yield pending
        pending = passage.span
    if pending:
        yield pending


def _stays(text: str, kept: NDArray[np.bool_], span: Span) -> tuple[bool, bool]:
    """Whether some, and whether all, of the visible characters of ``span`` stay."""
    visible = [kept[i] for i in range(span.start, span.stop) if not text[i].isspace()]
    return any(visible), all(visible)


def _facts(read: Segmented, text: str, kept: NDArray[np.bool_]) -> Iterator[Finding]:
    """Facts that lines of the original report and no line of what is left does.

    Of an error template the first and the last line must stay, of the others any one. Code, diffs
    and JSON report nothing, so nothing is promised; what went there is counted apart.
    """
    reports: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    for span, kind in zip(read.lines, read.kinds, strict=True):
        pair = (span.of(text), _left(text, kept, span))
        (others if kind in SHOWN else reports).append(pair)
    for check, told in _FACTS:
        yield from _lost(check, told, reports)
    for _, told in _FACTS:
        yield from _lost(Check.UNPROMISED, told, others)


def _lost(check: Check, told: Callable[[str], str | None], lines: list[tuple[str, str]]) -> Iterator[Finding]:
    first: dict[str, tuple[str, bool]] = {}
    last: dict[str, tuple[str, bool]] = {}
    anywhere: set[str] = set()
    for line, left in lines:
        fact = told(line)
        if fact is not None:
            stays = left == line or told(left) == fact
            first.setdefault(fact, (line, stays))
            last[fact] = (line, stays)
            anywhere |= {fact} if stays else set()
    for fact, ends in ((fact, (first[fact], last[fact])) for fact in first):
        named = fact in anywhere or any(names_test(full, fact) for full in anywhere)
        ok = all(stays for _, stays in ends) if check is Check.TEMPLATE else named
        if not ok:
            yield Finding(check, next((line for line, stays in ends if not stays), ends[0][0]).strip()[:200])


def _left(text: str, kept: NDArray[np.bool_], span: Span) -> str:
    """What is left of a stretch."""
    stays = kept[span.start : span.stop]
    return span.of(text) if stays.all() else "".join(text[span.start + i] for i in np.flatnonzero(stays))
