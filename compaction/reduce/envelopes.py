"""Show only the messages of structured log lines that stand in the same envelope.

In a run of JSON lines whose fields are all the same, but for times and counters, the first and the last
line tell the fields and the time that passed. Of those between them the message stays, as it is spelled,
after a mark.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from elision.compaction.logs.envelope import without_end
from elision.compaction.logs.members import Member
from elision.compaction.logs.stamp_formats import epoch
from elision.compaction.logs.structured import TIMES, structured
from elision.compaction.logs.times import time_of
from elision.compaction.types import Drop
from elision.model.types import Span

ENVELOPE = "envelope"
MARK = "…"
_LEAST = 3  # lines of a run: what stands between its first and its last
_WORTH = 8  # characters: what is saved has to be more than the mark costs in tokens
_TIMES = frozenset(TIMES)
_TIMED = regex.compile(r"(?i)time(?:stamp)?(?:_?[nmu]?s)?")
# What numbers the records themselves; the id of a user or the line of a source file does not.
_COUNTER = regex.compile(
    r"(?i)(?:.*[_.\-@])?(?:seq|seq_?n(?:o|um|r)|sequence(?:_?n(?:o|um(?:ber)?))?|serial|offset|ordinal|counter)|_?id|"
    r"(?:event|record|log|message|msg|entry)_?(?:id|n(?:o|um(?:ber)?))"
)
_NUMBERED = regex.compile(r"(?P<before>[^\d]{0,40}?)(?P<number>\d{1,18})")
# The journal's own account of where a record stands.
_JOURNAL = frozenset({"__CURSOR", "__SEQNUM", "__MONOTONIC_TIMESTAMP", "_SOURCE_MONOTONIC_TIMESTAMP"})


@dataclass(frozen=True, slots=True)
class _Line:
    """A structured line: where its message stands in it, and its fields as they are spelled but for that."""

    message: Span
    fields: tuple[Member, ...]
    spelled: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(field.key for field in self.fields)


def envelope_drops(text: str, lines: Sequence[Span]) -> list[Drop]:
    """The drops that leave of lines in one envelope only the message; sorted, not overlapping.

    Args:
        text: Any text.
        lines: Lines of it, with their line ends, in text order. Of lines that do not follow each
            other without a gap none are taken to be of one run.
    """
    drops: list[Drop] = []
    run: list[tuple[Span, _Line]] = []
    for span in lines:
        opened = _opened(span.of(text)) if text.startswith("{", span.start, span.stop) else None
        if opened and run and span.start == run[-1][0].stop and _alike(run[-1][1], opened):
            run.append((span, opened))
            continue
        drops += _of_run(text, run)
        run = [(span, opened)] if opened else []
    return drops + _of_run(text, run)


def _opened(line: str) -> _Line | None:
    found = structured(line)
    if found is None:
        return None
    fields, message = found
    if not isinstance(message.value, str):
        return None
    spelled = tuple(
        line[field.start : field.stop]
        if not field.start <= message.start < field.stop
        else line[field.start : message.start] + line[message.stop : field.stop]
        for field in fields
    )
    said = without_end(line, message.value, Span(message.start, message.stop))[1]
    return _Line(said, tuple(fields), spelled)


def _alike(one: _Line, other: _Line) -> bool:
    if one.keys != other.keys:
        return False
    return all(
        spelled == said or _passes(field, follows)
        for field, follows, spelled, said in zip(
            one.fields, other.fields, one.spelled, other.spelled, strict=True
        )
    )


def _passes(field: Member, follows: Member) -> bool:
    """Whether what differs in a field is only the time, or a count that goes up."""
    if field.key in _JOURNAL:
        return True
    if field.key in _TIMES or _TIMED.search(field.key):
        return _is_time(field.value) and _is_time(follows.value)
    return _counts(field.key, field.value, follows.value)


def _is_time(value: object) -> bool:
    if isinstance(value, str):
        return epoch(value) is not None or time_of(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool) and epoch(value) is not None


def _counts(key: str, value: object, follows: object) -> bool:
    """Whether a field that numbers the records goes up."""
    if not _COUNTER.fullmatch(key):
        return False
    if isinstance(value, str) and isinstance(follows, str):
        one, other = _NUMBERED.fullmatch(value), _NUMBERED.fullmatch(follows)
        if not one or not other or one["before"] != other["before"]:
            return False
        value, follows = int(one["number"]), int(other["number"])
    return type(value) is int and type(follows) is int and follows > value


def _of_run(text: str, run: Sequence[tuple[Span, _Line]]) -> list[Drop]:
    if len(run) < _LEAST:
        return []
    drops: list[Drop] = []
    for span, line in run[1:-1]:
        before = Span(span.start, span.start + line.message.start)
        after = Span(span.start + line.message.stop, span.start + len(span.of(text).rstrip("\r\n")))
        if len(line.message) and len(before) + len(after) >= _WORTH:
            drops += [Drop(before, MARK, ENVELOPE), Drop(after, "", ENVELOPE)]
    return drops
