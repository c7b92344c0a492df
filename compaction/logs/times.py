"""When a log line was written, and the bounds that a caller gives.

Zones: a stamp or a bound without a zone is compared as it is written, whatever the zone of the
other; only where both have one are they brought together. So ``--since 10:00`` means what the lines
say, and ``15m`` means fifteen minutes before now wherever a line gives its zone.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import regex

from elision.compaction.errors import BadTime
from elision.compaction.logs.stamp_formats import (
    EPOCH,
    FORMATS,
    NUMBERS,
    Stamp,
    first_readable,
    read,
    read_exactly,
    search,
)

# A stamp begins within so many characters, after so few words, of which so few are plain ones.
_NEAR, _FAR, _WORDS, _PLAIN_WORDS = 40, 110, 5, 1
_MEMO = 50_000
_DIGITS = bytes.maketrans(b"0123456789", b"1" * 10)
_ANSI = regex.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PLAIN_WORD = regex.compile(r"(?<![\w.\-/:=@\[])\p{Ll}{2,}(?![\w.\-/:=@\[(])")
_MIDDLE = regex.compile(r"\[pid: \d+\|app[^\]]*\][^\[\]]{0,80}\[")
_SKEW = timedelta(days=1)  # a clock that runs ahead, or in another zone, is not of last year

_RELATIVE = regex.compile(
    r"(?:(\d+(?:\.\d+)?)\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)\s*)+(?:ago)?"
)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_DAY = regex.compile(r"\d{4}-\d\d?-\d\d?")
_CLOCK = regex.compile(r"(\d{1,2}):\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+\-]\d\d:?\d\d)?")

_near: dict[bytes, tuple[int, int] | None] = {}
_far: dict[bytes, tuple[int, int] | None] = {}


def time_of(line: str, now: datetime | None = None) -> datetime | None:
    """The time stamped on a line, or None; without a zone if none is written.

    Only a stamp near the beginning counts. Seconds since boot, as the kernel writes them, are no time.

    Args:
        line: One line.
        now: A stamp without a year is of the year, one without a date of the day, that puts it nearest
            before. Without it such stamps tell no time.
    """
    stamp = stamp_of(line)
    if stamp is None:
        return None
    return stamp.when if stamp.year else _dated(stamp, now)


def stamp_of(line: str) -> Stamp | None:
    """The stamp of a line as it is written, or None."""
    if "\x1b" in line[:_FAR]:
        line = _ANSI.sub("", line[: 4 * _FAR])
    found = _place(line[:_NEAR], _near) or (_place(line[:_FAR], _far) if len(line) > _NEAR else None)
    if found is None:
        return None
    stamp = read(found[0], line, found[1])
    return first_readable(line[:_FAR]) if stamp is None and found[0] in NUMBERS else stamp


def _place(head: str, memo: dict[bytes, tuple[int, int] | None]) -> tuple[int, int] | None:
    key = head.encode("utf-8", "replace").translate(_DIGITS)
    if key in memo:
        return memo[key]
    if len(memo) >= _MEMO:
        memo.clear()
    memo[key] = found = _near_beginning(key.decode())
    return found


def _near_beginning(head: str) -> tuple[int, int] | None:
    found = search(head)
    if found is None:
        return None
    before = head[: found[1]]
    if _MIDDLE.match(before):
        return found
    few = len(before.split()) <= _WORDS and (
        found[0] == EPOCH or len(_PLAIN_WORD.findall(before)) <= _PLAIN_WORDS
    )
    return found if few else None


def _dated(stamp: Stamp, now: datetime | None) -> datetime | None:
    """The stamp in the year, or on the day, nearest before now."""
    if now is None:
        return None
    if stamp.when.tzinfo is None:
        latest = now.replace(tzinfo=None)
    else:
        latest = now if now.tzinfo else now.replace(tzinfo=UTC)
    if not stamp.date:
        day = latest.astimezone(stamp.when.tzinfo) if latest.tzinfo else latest
        when = stamp.when.replace(year=day.year, month=day.month, day=day.day)
        return when if when <= latest else when - timedelta(days=1)
    for year in range(latest.year + 1, latest.year - 9, -1):
        try:
            when = stamp.when.replace(year=year)
        except ValueError:  # the 29th of February
            continue
        if when <= latest + _SKEW:
            return when
    return None


@dataclass(frozen=True, slots=True)
class Bound:
    """A time given from outside: as long as what was written, so ``10:05`` ends where 10:06 begins.

    Attributes:
        start: Where it begins.
        stop: Where it has passed.
        daily: Whether only the time of day counts, of every day; the dates are then of no day.
    """

    start: datetime
    stop: datetime
    daily: bool = False

    def begun(self, when: datetime) -> bool:
        """Whether the bound has begun by then."""
        return self._on_my_clock(when) >= self._mine(self.start, when)

    def passed(self, when: datetime) -> bool:
        """Whether the bound has passed by then."""
        stop, on_clock = self._mine(self.stop, when), self._on_my_clock(when)
        return on_clock >= stop if self.stop > self.start else on_clock > stop

    def _on_my_clock(self, when: datetime) -> datetime:
        if self.start.tzinfo is None or when.tzinfo is None:
            when = when.replace(tzinfo=None)
        elif self.daily:
            when = when.astimezone(self.start.tzinfo)
        return when.replace(year=1972, month=1, day=1) if self.daily else when

    def _mine(self, mine: datetime, when: datetime) -> datetime:
        return mine.replace(tzinfo=None) if when.tzinfo is None else mine


def parse_bound(text: str, now: datetime) -> Bound:
    """Read a time that a caller gives: a date, a date and time, a time of day, or how long ago.

    Any stamp that `time_of` reads is understood too. A time of day holds for every day.

    Raises:
        BadTime: If it is none of these.
    """
    spelled = text.strip()
    for reader in (_ago, _named_day, _day, _clock):
        found = reader(spelled, now)
        if found:
            return found
    for form, pattern in enumerate(FORMATS):
        if pattern.fullmatch(spelled) and (stamp := read_exactly(form, spelled)):
            when = stamp.when if stamp.year else _dated(stamp, now)
            if when is not None:
                return Bound(when, when + stamp.width)
    raise BadTime(
        f"{text!r} is no time: give 2024-05-01, 2024-05-01T10:00, 2024-05-01T10:00:00Z, 10:00, or how long ago: 15m, 2h, 3d"
    )


def _ago(spelled: str, now: datetime) -> Bound | None:
    found = _RELATIVE.fullmatch(spelled.lower())
    if not found:
        return None
    parts = zip(found.captures(1), found.captures(2), strict=True)
    try:
        when = now - timedelta(seconds=sum(float(count) * _SECONDS[unit[0]] for count, unit in parts))
    except OverflowError as error:
        raise BadTime(f"{spelled!r} is before all time") from error
    return Bound(when, when)


def _named_day(spelled: str, now: datetime) -> Bound | None:
    if spelled.lower() == "now":
        return Bound(now, now)
    back = {"today": 0, "yesterday": 1}.get(spelled.lower())
    if back is None:
        return None
    day = (now - timedelta(days=back)).replace(hour=0, minute=0, second=0, microsecond=0)
    return Bound(day, day + timedelta(days=1))


def _day(spelled: str, now: datetime) -> Bound | None:
    if not _DAY.fullmatch(spelled):
        return None
    try:
        day = datetime(*map(int, spelled.split("-")))  # type: ignore[arg-type]
        return Bound(day, day + timedelta(days=1))
    except (ValueError, OverflowError):
        return None


def _clock(spelled: str, now: datetime) -> Bound | None:
    if not _CLOCK.fullmatch(spelled):
        return None
    stamp = read_exactly(0, f"1972-01-01 {spelled}")
    return Bound(stamp.when, stamp.when + stamp.width, daily=True) if stamp else None
