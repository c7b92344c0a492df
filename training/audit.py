"""Check what `compress` promises of one text, from the outside.

Only the original, the output and its receipt are looked at, with the guard's definitions of
what a unit, a negation or an error template is; nothing here knows how the text was cut.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from elision.compaction import pins
from elision.compaction.guard.ansi import control_spans
from elision.compaction.guard.negations import negation_spans
from elision.compaction.guard.segment import segment
from elision.compaction.guard.units import unit_spans
from elision.compaction.guard.whole_json import is_json
from elision.compaction.types import Compressed, Drop, TokenCounter
from elision.model.types import Span


class Check(StrEnum):
    """What a text can fail."""

    REBUILD = "rebuild from dropped differs"
    RECEIPT = "receipt is wrong"
    TARGET = "target missed"
    UNIT = "unit half kept"
    NEGATION = "negation lost from a kept sentence"
    TEMPLATE = "error template lost"
    TEST = "failing test name lost"
    EXIT_CODE = "exit code lost"
    TOTAL = "total lost"
    GROWN = "tokens grown"
    JSON = "invalid JSON made"


_FACTS: tuple[tuple[Check, Callable[[str], object]], ...] = (
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
    return [
        *_accounts(text, result, counter),
        *_sentences(clean, kept),
        *_facts(clean, kept),
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
        yield Finding(Check.TARGET, f"{after} of {before} tokens, target {receipt.target_tokens} {receipt.reason}")
    if after > before:
        yield Finding(Check.GROWN, f"{before} to {after} tokens")
    if is_json(text) and not is_json(result.text):
        yield Finding(Check.JSON, result.text[:80])


def _sentences(text: str, kept: NDArray[np.bool_]) -> Iterator[Finding]:
    """Units cut in two, and negations cut from what otherwise stayed."""
    for passage in segment(text).passages:
        span = passage.span
        if kept[span.start : span.stop].all() or not kept[span.start : span.stop].any():
            continue
        units = [unit for unit in unit_spans(text, span) if unit.of(text).strip()]
        stays = {unit: _stays(text, kept, unit) for unit in units}
        for unit, (some, every) in stays.items():
            if some and not every:
                yield Finding(Check.UNIT, unit.of(text).strip())
        if any(some and any(c.isalnum() for c in unit.of(text)) for unit, (some, _) in stays.items()):
            for negation in negation_spans(text, span):
                if not _stays(text, kept, negation)[1]:
                    yield Finding(Check.NEGATION, f"{negation.of(text).strip()!r} of {span.of(text).strip()[:200]!r}")


def _stays(text: str, kept: NDArray[np.bool_], span: Span) -> tuple[bool, bool]:
    """Whether some, and whether all, of the visible characters of ``span`` stay."""
    visible = [kept[i] for i in range(span.start, span.stop) if not text[i].isspace()]
    return any(visible), all(visible)


def _facts(text: str, kept: NDArray[np.bool_]) -> Iterator[Finding]:
    """Facts that some line of the original states and no line of what is left does."""
    pairs = list(_lines(text, kept))
    for check, told in _FACTS:
        left = {_fact(told, line) for _, line in pairs}
        lost = {_fact(told, line): line for line, _ in pairs if _fact(told, line) not in left}
        yield from (Finding(check, line.strip()[:200]) for line in lost.values())


def _fact(told: Callable[[str], object], line: str) -> object:
    """What a line tells, None if nothing; of a line that only says yes, the line itself."""
    fact = told(line)
    return line.strip() if fact is True else None if fact is False else fact


def _lines(text: str, kept: NDArray[np.bool_]) -> Iterator[tuple[str, str]]:
    """Each line of ``text``, and what is left of it."""
    start = 0
    for line in text.split("\n"):
        stop = start + len(line)
        stays = kept[start:stop]
        yield line, line if stays.all() else "".join(line[i] for i in np.flatnonzero(stays))
        start = stop + 1
