import gzip
import random
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.errors import BadTime
from elision.compaction.logs.times import Bound, parse_bound, time_of

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))
STAMPS = [
    ("2024-05-01T10:00:00Z up", datetime(2024, 5, 1, 10, tzinfo=UTC)),
    ("2024-05-01T10:00:00.123456789+02:00 up", datetime(2024, 5, 1, 10, 0, 0, 123456, EAST)),
    ("2024-05-01 10:00:00 +0200 up", datetime(2024, 5, 1, 10, tzinfo=EAST)),
    ("2024-05-01 10:00 up", datetime(2024, 5, 1, 10)),
    ("2015-07-29 17:41:44,747 - INFO", datetime(2015, 7, 29, 17, 41, 44, 747000)),
    ("[2024-05-01 10:00:00.5] up", datetime(2024, 5, 1, 10, 0, 0, 500000)),
    ("\x1b[32m2024-05-01 10:00:00\x1b[0m up", datetime(2024, 5, 1, 10)),
    ("time=2024-05-01T10:00:00Z level=info", datetime(2024, 5, 1, 10, tzinfo=UTC)),
    ("Jul  9 12:00:01 host su: up", datetime(2026, 7, 9, 12, 0, 1)),
    ("Dec 25 10:00:00 host su: up", datetime(2025, 12, 25, 10)),
    ("Feb 29 10:00:00 host su: up", datetime(2024, 2, 29, 10)),
    ("<11>Jul  9 12:00:01 host su: up", datetime(2026, 7, 9, 12, 0, 1)),
    ('1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /', datetime(2000, 10, 10, 13, 55, 36, tzinfo=timezone(timedelta(hours=-7)))),
    ("1714557600 up", datetime(2024, 5, 1, 10, tzinfo=UTC)),
    ("1714557600.25 up", datetime(2024, 5, 1, 10, 0, 0, 250000, UTC)),
    ("1714557600123 up", datetime(2024, 5, 1, 10, 0, 0, 123000, UTC)),
    ("1714557600123456 up", datetime(2024, 5, 1, 10, 0, 0, 123456, UTC)),
    ("1714557600123456789 up", datetime(2024, 5, 1, 10, 0, 0, 123456, UTC)),
    ("E0101 10:00:00.123456 1 f.go:1] gone", datetime(2026, 1, 1, 10, 0, 0, 123456)),
    ("[10.30 16:49:06] up", datetime(2026, 10, 30, 16, 49, 6)),
    ("03-17 16:13:38.811  1702  2395 D a: b", datetime(2026, 3, 17, 16, 13, 38, 811000)),
    ("2024/01/02 03:04:05 [error] up", datetime(2024, 1, 2, 3, 4, 5)),
    ("1/2/2024 3:04:05 PM up", datetime(2024, 1, 2, 15, 4, 5)),
    ("22.01.2024 10:00:00 up", datetime(2024, 1, 22, 10)),
    ("22/01/2024 10:00:00 up", datetime(2024, 1, 22, 10)),
    ("Jan 02, 2024 3:04:05 PM com.acme.A run", datetime(2024, 1, 2, 15, 4, 5)),
    ("Sun Mar 13 22:49:12 2016 up", datetime(2016, 3, 13, 22, 49, 12)),
    ("17/06/09 20:10:40 INFO up", datetime(2017, 6, 9, 20, 10, 40)),
    ("081109 203615 148 INFO up", datetime(2008, 11, 9, 20, 36, 15)),
    ("20171223-22:15:29:606|Step", datetime(2017, 12, 23, 22, 15, 29, 606000)),
    ("20240102T030405Z up", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
    ("- 2005-06-03-15.42.50.675872 R02", datetime(2005, 6, 3, 15, 42, 50, 675872)),
    ("MainThread::INFO::2011-12-05 07:04:56,101::vdsm", datetime(2011, 12, 5, 7, 4, 56, 101000)),
    ("12:00:01 up", datetime(2026, 11, 30, 12, 0, 1)),
    ("23:59:59 up", datetime(2026, 11, 29, 23, 59, 59)),
    ("478760 12:21:46.284771 execve()", datetime(2026, 11, 30, 12, 21, 46, 284771)),
    ("[    1.234567] usb 1-1: up", None),
    ("2024-13-01 10:00:00 up", None),
    ("the job was started by hand at 2024-05-01 10:00:00", None),
    ("10.251.73.220:50010 up", None),
    ("version 1.2.3", None),
    ("9999999999 up", None),
    ("0001-01-01 00:00:00 up", None),
    ("9999-12-31T23:59:59+05:00 up", None),
    ("", None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "when"), STAMPS)
def test_the_time_of_a_line(line: str, when: datetime | None) -> None:
    found = time_of(line, NOW)

    assert found == when
    assert found is None or when is None or found.tzinfo == when.tzinfo


def test_a_stamp_without_a_year_tells_no_time_if_now_is_not_known() -> None:
    assert time_of("Jul  9 12:00:01 host su: up") is None


def test_what_was_read_before_changes_nothing() -> None:
    shuffled = STAMPS * 3
    random.Random(7).shuffle(shuffled)

    assert [time_of(line, NOW) for line, _ in shuffled] == [when for _, when in shuffled]


@pytest.mark.parametrize(
    ("text", "start", "stop"),
    [
        ("2024-05-01", datetime(2024, 5, 1), datetime(2024, 5, 2)),
        ("2024-05-01T10:05", datetime(2024, 5, 1, 10, 5), datetime(2024, 5, 1, 10, 6)),
        ("2024-05-01 10:05:07", datetime(2024, 5, 1, 10, 5, 7), datetime(2024, 5, 1, 10, 5, 8)),
        (
            "2024-05-01T10:05:07.5Z",
            datetime(2024, 5, 1, 10, 5, 7, 500000, UTC),
            datetime(2024, 5, 1, 10, 5, 7, 600000, UTC),
        ),
        ("Jul 9 12:00:01", datetime(2026, 7, 9, 12, 0, 1), datetime(2026, 7, 9, 12, 0, 2)),
        ("1714557600", datetime(2024, 5, 1, 10, tzinfo=UTC), datetime(2024, 5, 1, 10, 0, 1, tzinfo=UTC)),
        ("15m", NOW - timedelta(minutes=15), NOW - timedelta(minutes=15)),
        ("1h30m ago", NOW - timedelta(minutes=90), NOW - timedelta(minutes=90)),
        ("3 days", NOW - timedelta(days=3), NOW - timedelta(days=3)),
        ("now", NOW, NOW),
        ("yesterday", datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC)),
    ],
)
def test_a_bound_lasts_as_long_as_what_was_written(text: str, start: datetime, stop: datetime) -> None:
    assert parse_bound(text, NOW) == Bound(start, stop)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "15",
        "15x",
        "25:00",
        "2024-13-01",
        "2024-02-30T10:00",
        "10:00:61",
        "99999999999999999999d",
        "2024",
        "9999-12-31",
        "9999-12-31T23:59",
    ],
)
def test_what_is_no_time_is_told_with_what_can_be_given(text: str) -> None:
    with pytest.raises(BadTime, match="2024-05-01|before all time"):
        parse_bound(text, NOW)


def test_without_a_zone_on_both_sides_the_clocks_are_compared_as_they_are_written() -> None:
    ten = parse_bound("2024-05-01T10:00", NOW)
    ten_utc = parse_bound("2024-05-01T10:00Z", NOW)

    assert ten.begun(datetime(2024, 5, 1, 10, tzinfo=EAST))
    assert not ten_utc.begun(datetime(2024, 5, 1, 10, tzinfo=EAST))
    assert ten_utc.begun(datetime(2024, 5, 1, 12, tzinfo=EAST))
    assert ten_utc.begun(datetime(2024, 5, 1, 10))


def test_until_a_minute_holds_to_its_end() -> None:
    five = parse_bound("2024-05-01T10:05", NOW)

    assert not five.passed(datetime(2024, 5, 1, 10, 5, 59))
    assert five.passed(datetime(2024, 5, 1, 10, 6))


def test_a_time_of_day_holds_for_every_day() -> None:
    ten = parse_bound("10:00", NOW)

    assert ten.daily
    assert ten.begun(datetime(2001, 1, 1, 10)) and not ten.begun(datetime(2030, 1, 1, 9, 59))
    assert ten.passed(datetime(2001, 1, 1, 10, 1)) and not ten.passed(datetime(2001, 1, 1, 10, 0, 59))


@pytest.mark.law
@given(
    st.datetimes(datetime(1990, 1, 2), datetime(2090, 1, 1)),
    st.sampled_from(
        [
            "%Y-%m-%d %H:%M:%S,%f",
            "%d/%b/%Y:%H:%M:%S",
            "%b %d %H:%M:%S.%f %Y",
            "%Y%m%dT%H%M%S",
            "%m/%d/%Y %I:%M:%S %p",
        ]
    ),
)
def test_a_time_that_is_written_is_read_again(when: datetime, form: str) -> None:
    written = when if "%f" in form else when.replace(microsecond=0)

    assert time_of(when.strftime(form) + " up") == written


@pytest.mark.law
@given(st.text() | st.text(alphabet="0123456789:-./, TZ+[]JanFeb", max_size=40))
def test_any_line_may_be_asked_for_its_time(line: str) -> None:
    assert time_of(line, NOW) == time_of(line, NOW)


@pytest.mark.law
@given(st.text(max_size=30) | st.text(alphabet="0123456789:-hms dago", max_size=20))
def test_any_text_is_a_bound_or_told_to_be_none(text: str) -> None:
    try:
        bound = parse_bound(text, NOW)
    except BadTime:
        return

    assert bound.stop >= bound.start


@pytest.mark.parametrize("name", ["HPC", "Proxifier", "Zookeeper"])
def test_every_line_of_a_real_log_has_a_time(shared: Path, name: str) -> None:
    with gzip.open(shared / "data/logs/dev" / f"loghub-{name}.log.gz", "rt", newline="") as lines:
        assert all(time_of(line, NOW) for line in lines)
