"""The formats of the time stamps that logs have, found in the beginning of a line and read.

Which format a line has does not depend on its digits, so it is looked up under the line's beginning
with all digits alike: runs of lines of one format are searched once.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import regex

_ZONE = r"(?P<zone>Z\b|\ ?(?:UTC|GMT)\b|\ ?[+\-]\d\d:?\d\d(?!\d))?"
_TIME = rf"(?P<H>\d{{1,2}}):(?P<M>\d\d)(?::(?P<S>\d\d)(?:[.,:](?P<f>\d{{1,9}}))?)?(?:\ ?(?P<half>[AP]M)\b)?{_ZONE}"
_NAME = r"(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_MONTHS = {name: at + 1 for at, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split())}
# Of equal beginnings the first counts.
_PATTERNS = (
    rf"(?P<Y>\d{{4}})(?P<sep>[\-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?:[T,_:\s]{{1,3}}|-(?=\d)){_TIME}",
    r"(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)-(?P<H>\d\d)\.(?P<M>\d\d)\.(?P<S>\d\d)(?:\.(?P<f>\d{1,9}))?",
    rf"(?P<Y>\d{{4}})(?P<m>\d\d)(?P<d>\d\d)[T\-\ ](?:{_TIME}|(?P<H2>\d\d)(?P<M2>\d\d)(?P<S2>\d\d)(?P<Z2>Z)?(?!\d))",
    rf"(?P<y>\d\d)(?P<m>\d\d)(?P<d>\d\d)\ {{1,2}}(?:{_TIME}|(?P<H2>\d\d)(?P<M2>\d\d)(?P<S2>\d\d)(?!\d))",
    rf"(?P<y>\d\d)/(?P<m>\d\d)/(?P<d>\d\d)[\ ,]{{1,2}}{_TIME}",
    rf"(?P<a>\d{{1,2}})(?P<sep>[/.\-])(?P<b>\d{{1,2}})(?P=sep)(?P<Y>\d{{4}})[T\ ,:]{{1,3}}{_TIME}",
    rf"(?P<d>\d{{1,2}})[/\ \-]{_NAME}[/\ \-](?P<Y>\d{{4}})[:\ ,]{{1,3}}{_TIME}",
    rf"{_NAME}\ {{1,2}}(?P<d>\d{{1,2}})[\ ,]{{1,2}}(?:(?P<Y2>\d{{4}})[\ ,]{{1,2}})?{_TIME}(?:\ [A-Z]{{3,4}})?(?:\ (?P<Y>(?:19|20|11)\d\d)(?![\d:.]))?",
    rf"(?P<m>\d\d)[\-./](?P<d>\d\d)\ {_TIME}",
    rf"[IWEFD](?P<m>\d\d)(?P<d>\d\d)\ {{1,2}}{_TIME}",
    r"(?P<epoch>\d{10}(?:\d{3}|\d{6}|\d{9})?(?:\.\d{1,9})?)(?![\w.])",
    rf"(?P<H>\d{{1,2}}):(?P<M>\d\d):(?P<S>\d\d)(?:[.,](?P<f>\d{{1,9}}))?(?:\ ?(?P<half>[AP]M)\b)?{_ZONE}(?![\w:])",
)
FORMATS = tuple(re.compile(pattern) for pattern in _PATTERNS)
EPOCH = 10  # of the formats
NUMBERS = frozenset({3, EPOCH})  # of which a plain number can look like one
# Where a stamp may begin: not inside a word or a number.
_EDGE = r"(?<![\w.\-/]|(?<!:):)"


def _nameless(pattern: str) -> str:
    return regex.sub(r"[(][?]P<[A-Za-z]+[0-9]?>", "(?:", pattern.replace("(?P=sep)", "[-/.]"))


_ANY = regex.compile(
    "|".join(f"(?P<f{at}>{_EDGE}{_nameless(pattern)})" for at, pattern in enumerate(_PATTERNS))
)
_NAMED = regex.compile(r"[A-Za-z_]{1,12}:(?=\d)")
_MEMO = 10_000
_UNKNOWN = object()
# Nothing was logged in others, and their days can be too early or too late to reckon with.
_CENTURIES = ("19", "20", "21")
_INSTANT = timedelta(0)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = 631_152_000, 4_102_444_800  # 1990 to 2100; another number is no time


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time as it was written.

    Attributes:
        when: The time; what was not written is of 1972, a leap year.
        year: Whether a year was written.
        date: Whether a day was written.
        width: How long that lasts which was written: a minute if there are no seconds.
    """

    when: datetime
    year: bool
    date: bool
    width: timedelta


_stamps: dict[tuple[int, str], Stamp | None | object] = {}  # a busy log has many lines a second


def search(head: str) -> tuple[int, int] | None:
    """The format of the first stamp in the beginning of a line, and where it begins; None if there is none."""
    name = _NAMED.match(head)
    found = (_ANY.match(head[name.end() :]) if name else None) or _ANY.search(head)
    if not found:
        return None
    return int(str(found.lastgroup)[1:]), found.start() + (name.end() if name and found.start() == 0 else 0)


def first_readable(head: str) -> Stamp | None:
    """The first stamp whose numbers are a time; what looks like one before it is none."""
    for found in _ANY.finditer(head, overlapped=True):
        stamp = read(int(str(found.lastgroup)[1:]), head, found.start())
        if stamp is not None:
            return stamp
    return None


def read(form: int, line: str, at: int) -> Stamp | None:
    """Read the stamp of a known format; None if its numbers are no time."""
    if form == 0:
        plain = _iso(line, at)
        if plain is not None:
            return plain
    return read_exactly(form, line, at)


def read_exactly(form: int, line: str, at: int = 0) -> Stamp | None:
    """As `read`, and sure of how long lasts what was written."""
    found = FORMATS[form].match(line, at)
    if not found:
        return None
    known = _stamps.get((form, found[0]), _UNKNOWN)
    if known is _UNKNOWN:
        if len(_stamps) >= _MEMO:
            _stamps.clear()
        parts = {name: part for name, part in found.groupdict().items() if part}
        _stamps[form, found[0]] = known = _read_parts(form, parts)
    return known if isinstance(known, Stamp) else None


def _read_parts(form: int, parts: dict[str, str]) -> Stamp | None:
    try:
        return _READERS.get(form, _read)(parts)
    except (ValueError, OverflowError):
        return None


def epoch(number: float | str) -> datetime | None:
    """A time in seconds, or in milli-, micro- or nanoseconds, since 1970; told by its size."""
    whole, _, part = str(number).partition(".")
    if not whole.isascii() or not whole.isdigit() or len(whole) > 19 or (part and not part.isdigit()):
        return None
    for power in (0, 3, 6, 9):
        seconds = int(whole) // 10**power
        if _FIRST <= seconds < _LAST:
            rest = (whole[len(str(seconds)) :] + part)[:6].ljust(6, "0")
            return _EPOCH + timedelta(seconds=seconds, microseconds=int(rest))
    return None


def _iso(line: str, at: int) -> Stamp | None:
    """The shape that is by far the commonest, without a pattern: seconds, and a fraction if one follows."""
    stop = at + 19
    after = line[stop : stop + 1]
    if after in (".", ","):
        stop += 4 if not line[stop + 4 : stop + 5].isdigit() else 7
        after = line[stop : stop + 1]
    zoned = after in ("+", "-", "Z") or (after == " " and line[stop + 1 : stop + 2] in ("+", "-", "U", "G"))
    if zoned or after.isdigit() or line[at + 16 : at + 17] != ":":
        return None
    if line[at : at + 2] not in _CENTURIES:
        return None
    try:
        return Stamp(datetime.fromisoformat(line[at:stop]), True, True, _INSTANT)
    except ValueError:
        return None


def _read(parts: dict[str, str]) -> Stamp:
    month = _MONTHS[parts["name"]] if "name" in parts else int(parts.get("m", 1))
    year = parts.get("Y") or parts.get("Y2") or ("y" in parts and _century(int(parts["y"])))
    return _stamp(parts, int(year or 1972), month, int(parts.get("d", 1)), bool(year), "d" in parts)


def _day_or_month_first(parts: dict[str, str]) -> Stamp:
    """``1/2/2024`` has the month first, ``1.2.2024`` the day, unless only the other can be."""
    a, b = int(parts["a"]), int(parts["b"])
    month_first = (parts["sep"] == "/" and a <= 12) or b > 12
    return _stamp(parts, int(parts["Y"]), *((a, b) if month_first else (b, a)), True, True)


def _two_digits(parts: dict[str, str]) -> Stamp:
    """``17/06/09`` is the year first, as log4j writes it, unless only ``06/17/09`` can be."""
    first, second, third = int(parts["y"]), int(parts["m"]), int(parts["d"])
    if second <= 12:
        return _stamp(parts, _century(first), second, third, True, True)
    return _stamp(parts, _century(third), first, second, True, True)


def _since_1970(parts: dict[str, str]) -> Stamp:
    found = epoch(parts["epoch"])
    if found is None:
        raise ValueError(parts["epoch"])
    return Stamp(found, True, True, timedelta(seconds=len(parts["epoch"]) == 10))


def _stamp(parts: dict[str, str], year: int, month: int, day: int, has_year: bool, has_date: bool) -> Stamp:
    if str(year)[:2] not in _CENTURIES:
        raise ValueError(year)
    hour = int(parts.get("H") or parts.get("H2") or 0)
    if "half" in parts:
        hour = hour % 12 + 12 * (parts["half"] == "PM")
    minute, second = int(parts.get("M") or parts.get("M2") or 0), parts.get("S") or parts.get("S2")
    micros = int(parts.get("f", "")[:6].ljust(6, "0"))
    zone = _zone(parts.get("zone") or parts.get("Z2") or "")
    width = 1_000_000 // 10 ** len(parts.get("f", "")[:6]) if second else 60_000_000
    when = datetime(year, month, day, hour, minute, int(second or 0), micros, zone)
    return Stamp(when, has_year, has_date, timedelta(microseconds=width))


def _zone(spelled: str) -> timezone | None:
    spelled = spelled.strip()
    if not spelled:
        return None
    if spelled[0] not in "+-":
        return UTC
    offset = timedelta(hours=int(spelled[1:3]), minutes=int(spelled[-2:]))
    return timezone(-offset if spelled[0] == "-" else offset)


def _century(two: int) -> int:
    return two + (1900 if two >= 70 else 2000)


_READERS: dict[int, Callable[[dict[str, str]], Stamp]] = {
    4: _two_digits,
    5: _day_or_month_first,
    EPOCH: _since_1970,
}
