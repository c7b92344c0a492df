import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.logs.levels import RANKS, at_least, level_depends_on_numbers, level_of, named

GET = '10.0.0.1 - - [22/Jan/2019:03:56:14 +0330] "GET / HTTP/1.1" {} 12'


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("2024-05-01 10:00:00 WARNING slow", "WARN"),
        ("2024-05-01 10:00:00 [error] 1#1: gone", "ERROR"),
        ("2024-05-01T10:00:00Z\tinfo\tup", "INFO"),
        ("2024-05-01T10:00:00Z warn slow", "WARN"),
        ("2016-09-28 04:30:30, Info                  CBS    Loaded", "INFO"),
        ("[Wed Oct 11 14:32:52 2000] [core:error] [pid 1] gone", "ERROR"),
        ("[2023-05-15 18:19:32] local.EMERGENCY: gone", "EMERGENCY"),
        ("[10:00:00 FTL] gone", "FATAL"),
        ("2024-01-01 10:00:00 UTC [12] LOG:  up", "INFO"),
        ("E0101 10:00:00.123456 1 f.go:1] gone", "ERROR"),
        ("I0101 10:00:00.123456 1 f.go:1] up", "INFO"),
        ("D/Zygote(  12): up", "DEBUG"),
        ("03-17 16:13:38.811  1702  2395 W WindowManager: slow", "WARN"),
        ("<11>Oct 11 22:14:15 host su: gone", "ERROR"),
        ("fail: Microsoft.Hosting[0]", "ERROR"),
        ("npm ERR! code 1", "ERROR"),
        ("src/a.c:12:3: fatal error: gone", "ERROR"),
        ("12:M 01 Jan 2024 10:00:00.000 # slow", "WARN"),
        (GET.format(503), "ERROR"),
        (GET.format(404), "WARN"),
        (GET.format(200), "INFO"),
        ('10.0.0.1 - - [22/Jan/2019:03:56:14 +0330] "GET /?level=error HTTP/1.1" 200 12', "INFO"),
        ('INFO:     10.0.0.1:80 - "GET / HTTP/1.1" 500 Internal Server Error', "ERROR"),
        ('{"level":50,"msg":"gone"}', "ERROR"),
        ('{"log":"ERROR gone\\n","stream":"stdout"}', "ERROR"),
        ('{"log":"{\\"level\\":40,\\"msg\\":\\"slow\\"}\\n","stream":"stdout"}', "WARN"),
        ("web-1 | level=warn msg=slow n=1", "WARN"),
        ("nothing is wrong with this error here", None),
        ("plain", None),
        ("", None),
    ],
)
def test_the_level_a_line_declares(line: str, level: str | None) -> None:
    assert level_of(line) == level


def test_levels_have_an_order() -> None:
    assert named("Warning") == named(" wrn") == "WARN"
    assert named("nonsense") is None
    assert at_least("FATAL", "CRITICAL") and at_least("ERROR", "WARN") and not at_least("INFO", "NOTICE")
    assert not at_least(None, "TRACE")
    assert all(named(name) == name for name in RANKS)


@pytest.mark.parametrize(
    "line",
    [
        GET.format(200),
        '{"level":30,"msg":"a"}',
        '{"PRIORITY" : "3", "MESSAGE":"a"}',
        "<11>a",
        "level=3 msg=a",
        '{"log":"{\\"level\\":30}\\n"}',
    ],
)
def test_a_level_in_numbers_is_told(line: str) -> None:
    assert level_depends_on_numbers(line)


@pytest.mark.parametrize(
    "line",
    [
        "2024-05-01 10:00:00 WARN a 3",
        '{"level":"info","n":3}',
        "level=info msg=a n=3",
        "",
        'said "a" 200 times',
    ],
)
def test_a_level_in_words_does_not_depend_on_numbers(line: str) -> None:
    assert not level_depends_on_numbers(line)


WORDS = [
    "INFO",
    "error",
    "[warn]",
    "E0101",
    "10:00:00",
    "2024-05-01",
    '"GET / HTTP/1.1"',
    "200",
    "<11>",
    "level=3",
    "a/b.c:3:",
    "error:",
    "12:M",
]


@pytest.mark.law
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=6)), st.sampled_from(" \t|["))
def test_no_digit_changes_the_level_unless_that_is_told(words: list[str], between: str) -> None:
    line = between.join(words)
    other = line.translate(str.maketrans("0123456789", "9876543210"))

    if not level_depends_on_numbers(line) and line.isascii():
        assert level_of(line) == level_of(other)


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("train/loghub-BGL", {"INFO": 1597, "FATAL": 347, "WARN": 8, "ERROR": 48}),
        ("train/loghub-Android", {"DEBUG": 650, "TRACE": 257, "INFO": 920, "WARN": 170, "ERROR": 3}),
        ("dev/loghub-Zookeeper", {"INFO": 669, "WARN": 1318, "ERROR": 13}),
        ("train/loghub-Windows", {"INFO": 2000}),
        ("train/server-logfile_shop_access_log.0", {"INFO": 976, "WARN": 24}),
    ],
)
def test_the_levels_of_real_logs(shared: Path, name: str, levels: dict[str, int]) -> None:
    with gzip.open(shared / "data/logs" / f"{name}.log.gz", "rt", newline="") as lines:
        found = Counter(map(level_of, lines))

    assert found == levels


def test_a_record_in_numbers_of_every_size_has_a_level_or_none() -> None:
    for number in (*range(0, 70), 100, 600, 10**30):
        assert level_of(json.dumps({"level": number, "msg": "a"})) in {None, *RANKS}
