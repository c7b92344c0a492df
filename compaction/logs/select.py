"""Select the records of a log: by time, by severity, and around what matches a pattern.

A record stays or goes as a whole. One without a time has that of the record above it; lines before the
first time are older than all, and go if what is older goes. A record is as severe as its first line
declares, or as the errors under it make it; one that tells of none has no severity, whatever is above it.

What a text's lines become depends only on the lines before them and on as many records after them as are
asked for as context, so that an endless input is selected like a finished one.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import regex

from elision.compaction.errors import BadAround, BadLevel, BadTime
from elision.compaction.logs.envelope import open_envelope
from elision.compaction.logs.levels import at_least, record_level, tells_error
from elision.compaction.logs.records import LONGEST, Joiner
from elision.compaction.logs.severities import RANKS, named
from elision.compaction.logs.times import Bound, parse_bound, time_of
from elision.model.types import Span

# A caller's pattern may backtrack without end; so many seconds of one record are its own.
_PATTERN_SECONDS = 1.0
_MOST_CONTEXT = 10_000


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records of a log are wanted; what is None does not matter.

    Attributes:
        since: Records before it go.
        until: Records after it go.
        level: The least severity, one of `severities.RANKS`.
        around: A regular expression: records go that neither match nor stand near one that does.
        context: How many records near, on each side.
        now: When the caller asked: stamps without a year or a date are read from there.
    """

    since: Bound | None = None
    until: Bound | None = None
    level: str | None = None
    around: str | None = None
    context: int = 0
    now: datetime | None = None

    @classmethod
    def asked(
        cls,
        now: datetime,
        since: str | None = None,
        until: str | None = None,
        level: str | None = None,
        around: str | None = None,
        context: int = 0,
    ) -> "Selection":
        """The selection that a caller spells out.

        Raises:
            BadTime: If a bound is no time, or nothing can be between the two.
            BadLevel: If the level is none.
            BadAround: If the pattern is no regular expression, or the context no number of records.
        """
        first = None if since is None else parse_bound(since, now)
        last = None if until is None else parse_bound(until, now)
        if first and last and not (first.daily or last.daily) and last.passed(first.start):
            raise BadTime(f"nothing is since {since} and until {until}: the first is after the second")
        name = None if level is None else named(level)
        if level is not None and name is None:
            raise BadLevel(f"{level!r} is no level: give one of {', '.join(RANKS).lower()}")
        if not 0 <= context <= _MOST_CONTEXT:
            raise BadAround(f"context is {context}, must be from 0 to {_MOST_CONTEXT} records")
        if around is not None:
            _compiled(around)
        return cls(first, last, name, around, context, now)

    @property
    def selects(self) -> bool:
        """Whether anything is asked for at all."""
        return any(each is not None for each in (self.since, self.until, self.level, self.around))


class Selector:
    """Decides line by line which lines of one text stay.

    Lines are decided when their record is complete and, if records around a match are wanted, when
    that many more records are known.
    """

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._pattern = None if selection.around is None else _compiled(selection.around)
        self._joiner = Joiner()
        self._record: list[str] = []
        self._blank: list[str] = []  # after the record; whether it goes on is not known yet
        self._overlong = False  # the record
        self._time: datetime | None = None
        self._level: str | None = None
        # Records, and whether they pass but for the pattern.
        self._waiting: deque[tuple[list[str], bool]] = deque()
        self._after = 0  # so many records after a match are still wanted

    def push(self, lines: Sequence[str]) -> list[tuple[str, bool]]:
        """Take the next lines; returns the lines that are now decided, in order, each with whether it stays.

        Raises:
            BadAround: If the pattern takes more than a second on one record.
        """
        return [decided for line in lines for decided in self._line(line)]

    def close(self) -> list[tuple[str, bool]]:
        """The text has ended; returns the rest."""
        decided = list(self._complete())
        while self._waiting:
            record, _ = self._waiting.popleft()
            decided += [(line, False) for line in record]
        return decided

    def _line(self, line: str) -> Iterator[tuple[str, bool]]:
        joins = self._joiner.joins(line)
        if joins is None:
            self._blank.append(line)
            if len(self._blank) > LONGEST:
                self._overlong = self._overlong or bool(self._record)
                yield from self._complete()
        elif not joins or not (self._record or self._overlong):
            yield from self._complete()
            self._record, self._overlong = [line], False
        elif self._record:
            self._record += [*self._blank, line]
            self._blank = []
            if len(self._record) > LONGEST:
                self._overlong = True
                yield from self._singly()
        else:
            yield from self._complete()
            self._worsen(line)
            yield from self._decide([line])

    def _complete(self) -> Iterator[tuple[str, bool]]:
        """The record has ended; blank lines after it share its fate."""
        lines = self._record + self._blank
        if self._record:
            self._learn(self._record)
        self._record, self._blank = [], []
        if lines:
            yield from self._decide(lines)

    def _singly(self) -> Iterator[tuple[str, bool]]:
        """The record has too many lines: each is one, of the time and severity of them all."""
        lines, self._record = self._record, []
        self._learn(lines)
        for line in lines:
            yield from self._decide([line])

    def _decide(self, record: list[str]) -> Iterator[tuple[str, bool]]:
        passes = self._passes()
        if self._pattern is None:
            yield from ((line, passes) for line in record)
            return
        if passes and self._matches(record):
            while self._waiting:
                earlier, wanted = self._waiting.popleft()
                yield from ((line, wanted) for line in earlier)
            self._after = self._selection.context
            yield from ((line, True) for line in record)
        elif self._after:
            self._after -= 1
            yield from ((line, passes) for line in record)
        else:
            self._waiting.append((record, passes))
            if len(self._waiting) > self._selection.context:
                yield from ((line, False) for line in self._waiting.popleft()[0])

    def _learn(self, record: Sequence[str]) -> None:
        """The time of a record, if it tells one, and its severity."""
        line, asked = record[0], self._selection
        if asked.since is not None or asked.until is not None:
            envelope = open_envelope(line)
            when = envelope and envelope.time
            self._time = when or time_of(envelope.message if envelope else line, asked.now) or self._time
        if asked.level is not None:
            self._level = record_level(record)

    def _worsen(self, line: str) -> None:
        """One line more of a record that was too long to be held."""
        if self._selection.level is not None and not at_least(self._level, "ERROR") and tells_error(line):
            self._level = "ERROR"

    def _passes(self) -> bool:
        asked = self._selection
        if asked.level is not None and not at_least(self._level, asked.level):
            return False
        since, until = asked.since, asked.until
        if since is None and until is None:
            return True
        if self._time is None:
            return since is None
        begun = since is None or since.begun(self._time)
        over = until is not None and until.passed(self._time)
        if since and until and since.daily and until.daily and until.passed(since.start):
            return begun or not over  # over midnight
        return begun and not over

    def _matches(self, record: list[str]) -> bool:
        assert self._pattern is not None
        try:
            return self._pattern.search("".join(record), timeout=_PATTERN_SECONDS) is not None
        except TimeoutError as error:
            message = (
                f"the pattern {self._pattern.pattern!r} took more than {_PATTERN_SECONDS:.0f} s on one record"
            )
            raise BadAround(message) from error


def left_out(text: str, selection: Selection) -> list[Span]:
    """The stretches of whole lines that a selection takes out of a text: sorted, maximal, without empty ones.

    Raises:
        BadAround: If the pattern takes more than a second on one record.
    """
    selector = Selector(selection)
    spans: list[Span] = []
    at = 0
    for line, stays in [*selector.push(_lines(text)), *selector.close()]:
        if not stays:
            start = spans.pop().start if spans and spans[-1].stop == at else at
            spans.append(Span(start, at + len(line)))
        at += len(line)
    return spans


def _lines(text: str) -> list[str]:
    """Lines with their line ends; what else Unicode calls a line end is none in a log."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _compiled(pattern: str) -> "regex.Pattern[str]":
    try:
        return regex.compile(pattern, regex.MULTILINE)
    except regex.error as error:
        raise BadAround(f"the pattern {pattern!r} is not a regular expression: {error}") from error
    except (RecursionError, OverflowError, MemoryError) as error:
        raise BadAround(f"the pattern {pattern[:80]!r} is too large: {error}") from error
