import gzip
import pickle
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.errors import BadAround, BadLevel, BadTime
from elision.compaction.logs.records import records
from elision.compaction.logs.select import Selection, Selector, left_out
from elision.model.errors import ElisionError
from elision.model.types import Span

NOW = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
LOG = """\
starting
2024-05-01 10:00:00 INFO up
2024-05-01 10:01:00 WARN slow
  detail of slow
2024-05-01 10:02:00 ERROR failed
Traceback (most recent call last):
  File "/app/run.py", line 12, in main
ValueError: no such job
2024-05-01 10:03:00 INFO retried

2024-05-01 10:04:00 INFO done
"""


def stays(text: str, selection: Selection) -> list[str]:
    gone = left_out(text, selection)
    kept, at = [], 0
    for span in [*gone, Span(len(text), len(text))]:
        kept += text[at : span.start].splitlines()
        at = span.stop
    return kept


def asked(**wanted: "str | int") -> Selection:
    return Selection.asked(NOW, **wanted)  # type: ignore[arg-type]


def test_since_and_until_take_records_with_what_belongs_to_them() -> None:
    kept = stays(LOG, asked(since="10:01", until="2024-05-01T10:02"))

    assert kept == LOG.splitlines()[2:8]


def test_a_bound_may_be_how_long_ago() -> None:
    assert stays(LOG, asked(since="117m")) == LOG.splitlines()[8:]


def test_a_time_of_day_may_reach_over_midnight() -> None:
    lines = "".join(f"2024-05-0{1 + at // 24} {at % 24:02}:30:00 INFO {at}\n" for at in range(48))

    assert len(stays(lines, asked(since="22:00", until="05:59"))) == 2 * (2 + 6)


def test_a_level_takes_what_is_at_least_as_severe_with_what_belongs_to_it() -> None:
    assert stays(LOG, asked(level="warning")) == LOG.splitlines()[2:8]
    assert stays(LOG, asked(level="err")) == LOG.splitlines()[4:8]


def test_around_takes_whole_records_and_those_near_them() -> None:
    lines = LOG.splitlines()

    assert stays(LOG, asked(around="no such job")) == lines[4:8]
    assert stays(LOG, asked(around="no such job", context=1)) == lines[2:10]
    assert stays(LOG, asked(around="^starting$", context=1)) == lines[:2]


def test_matches_near_each_other_share_their_context() -> None:
    lines = [f"2024-05-01 10:00:{at:02} INFO {'hit' if at in (3, 5, 20) else 'miss'}" for at in range(30)]
    kept = stays("\n".join(lines), asked(around="hit", context=2))

    assert kept == lines[1:8] + lines[18:23]


def test_around_is_asked_of_what_time_and_level_leave() -> None:
    assert stays(LOG, asked(around="failed|slow", context=1, level="error")) == LOG.splitlines()[4:8]


def test_what_matches_nothing_is_no_error() -> None:
    assert left_out(LOG, asked(around="nowhere")) == [Span(0, len(LOG))]
    assert left_out("", asked(around="nowhere")) == []


def test_a_selection_that_asks_for_nothing_takes_nothing_out() -> None:
    assert not Selection().selects
    assert left_out(LOG, Selection()) == []


def test_what_is_joined_to_a_record_has_its_level_a_stamped_line_has_its_own() -> None:
    text = "2024-05-01 10:00:00 ERROR gone\n\nplain\n2024-05-01 10:00:01 no level\n"

    assert stays(text, asked(level="error")) == ["2024-05-01 10:00:00 ERROR gone", "", "plain"]


@pytest.mark.parametrize(
    "error",
    [
        'Traceback (most recent call last):\n  File "/app/run.py", line 12, in main\n    go()\nValueError: no such job\n',
        "java.lang.NullPointerException: no job\n\tat x.y.Z.run(Z.java:3)\nCaused by: x.y.Gone\n",
        "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:3 +0x1d\n",
        "\x1b[31mError: cannot open file\x1b[0m\n",
        "FAILED tests/test_x.py::test_y - assert 1 == 2\n",
    ],
)
def test_an_error_under_a_quieter_line_makes_the_record_one(error: str) -> None:
    quiet = "2024-05-01 10:00:0{} INFO up\n"
    text = quiet.format(0) + quiet.format(1) + error + quiet.format(2)

    assert stays(text, asked(level="error")) == (quiet.format(1) + error).splitlines()
    assert stays(text, asked(level="fatal")) == []


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):", "ValueError: bad", "Error: cannot open file", "FAILED tests/x.py",
        "java.lang.NullPointerException", "panic: no memory", "2024-05-01 10:00:00 Error: no level, but an error",
        '{"log":"Error: cannot open file\\n","stream":"stderr","time":"2024-05-01T10:01:00Z"}',
        '{"msg":"job failed\\nValueError: bad","time":"2024-05-01T10:01:00Z"}', "web-1  | Error: cannot open file",
    ],
)  # fmt: skip
def test_a_line_without_a_level_that_reports_an_error_is_one(line: str) -> None:
    assert stays(f"starting\n{line}\n", asked(level="error")) == [line]


@pytest.mark.parametrize(
    "line",
    ["2024-05-01 10:00:00 INFO Error: gone, trying again", "WARN ValueError: bad", '{"level":"info","msg":"Error: x"}'],
)
def test_a_line_that_declares_its_level_is_believed(line: str) -> None:
    assert stays(line, asked(level="error")) == []


def test_a_traceback_of_which_docker_wraps_each_line_is_an_error() -> None:
    said = ["Traceback (most recent call last):", '  File \\"/app/run.py\\", line 12, in main', "ValueError: no such job"]
    lines = [
        f'{{"log":"{line}\\n","stream":"{stream}","time":"2024-05-01T10:0{at}:00Z"}}'
        for at, (stream, line) in enumerate([("stdout", "up"), *(("stderr", line) for line in said), ("stdout", "up")])
    ]

    assert stays("\n".join(lines), asked(level="error")) == lines[1:4]


def test_no_level_is_taken_from_the_record_above() -> None:
    assert stays("fatal: not a repository\nbye\nCRITICAL gone\n", asked(level="error")) == [
        "fatal: not a repository",
        "CRITICAL gone",
    ]
    assert "bye" not in stays("fatal: not a repository\n" + "bye\n" * 9, asked(level="error"))


def test_a_record_too_long_to_be_held_is_an_error_from_where_it_tells_one() -> None:
    text = "2024-05-01 10:00:00 INFO up\n" + "  detail\n" * 300 + "Caused by: x.y.GoneException: no\n" + "  at x\n"

    assert stays(text, asked(level="error")) == text.splitlines()[-2:]


def test_what_stands_before_the_first_time_is_older_than_all() -> None:
    assert stays(LOG, asked(until="10:00")) == LOG.splitlines()[:2]
    assert stays(LOG, asked(since="10:00", until="10:00")) == LOG.splitlines()[1:2]
    assert stays("no\ntime\n", asked(until="10:00")) == ["no", "time"]


def test_the_time_and_the_level_are_looked_for_inside_envelopes() -> None:
    docker = '{{"log":"{}\\n","stream":"stdout","time":"2024-05-01T10:0{}:00Z"}}'
    lines = [
        docker.format("INFO up", 0),
        docker.format("ERROR failed", 1),
        docker.format("\\tat x.y(z.java:1)", 2),
        docker.format("INFO up", 3),
    ]
    text = "\n".join(lines)

    assert stays(text, asked(level="error")) == lines[1:3]
    assert stays(text, asked(since="10:01", until="10:01")) == lines[1:3]


@pytest.mark.parametrize(
    ("wanted", "error", "message"),
    [
        ({"since": "soon"}, BadTime, "'soon' is no time"),
        ({"since": "2024-05-02", "until": "2024-05-01"}, BadTime, "first is after the second"),
        ({"since": "2024-05-02T00:00Z", "until": "2024-05-01"}, BadTime, "first is after the second"),
        ({"level": "loud"}, BadLevel, "'loud' is no level: give one of trace, debug"),
        ({"around": "("}, BadAround, "not a regular expression"),
        ({"around": "x", "context": -1}, BadAround, "context is -1"),
    ],
)
def test_a_callers_mistake_is_told(
    wanted: "dict[str, str | int]", error: type[ElisionError], message: str
) -> None:
    with pytest.raises(error, match=message):
        asked(**wanted)


def test_a_pattern_that_takes_too_long_is_told() -> None:
    with pytest.raises(BadAround, match="took more than 1 s"):
        left_out("a" * 60 + "!\n", asked(around="(a|aa)+$"))


def test_a_selection_can_be_sent_to_another_process() -> None:
    selection = asked(since="2h", until="11:00", level="warn", around="x", context=3)

    assert pickle.loads(pickle.dumps(selection)) == selection


def test_lines_are_decided_as_soon_as_they_can_be() -> None:
    selector = Selector(asked(around="hit", context=2))
    decided = selector.push([f"2024-05-01 10:00:{at:02} INFO miss\n" for at in range(10)])

    assert len(decided) == 10 - 2 - 1
    assert not any(stays for _, stays in decided)


LINES = st.sampled_from(
    [
        "2024-05-01 10:00:00 INFO up\n", "2024-05-01 10:05:00 ERROR failed\n", "2024-05-01 11:00:00 WARN slow\n", "  detail\n", "\n", "plain\n",
        "Traceback (most recent call last):\n", "ValueError: hit\n", '{"log":"part","stream":"stdout"}\n', '{"log":"\\n","stream":"stdout"}\n',
        '{"log":"INFO hit\\n","stream":"stdout","time":"2024-05-01T10:02:00Z"}\n', "web-1 | hit\n", "web-1 |   more\n", "}\n",
    ]
)  # fmt: skip
LOGS = st.lists(LINES, max_size=40) | st.lists(LINES, max_size=8).map(
    lambda lines: lines + ["  detail\n"] * 210 + lines
)
LOGS |= st.lists(LINES, max_size=8).map(lambda lines: lines + ["\n"] * 210 + lines)
SELECTIONS = st.builds(
    asked,
    since=st.sampled_from([None, "10:01", "2024-05-01T10:00:01Z", "100m"]),
    until=st.sampled_from([None, "10:30", "2024-05-01T10:59:59"]),
    level=st.sampled_from([None, "info", "warn"]),
    around=st.sampled_from([None, "hit", "up", "^$"]),
    context=st.integers(0, 3),
)


@pytest.mark.law
@given(LOGS, SELECTIONS, st.data())
def test_in_whatever_portions_lines_come_the_decisions_are_the_same(
    lines: list[str], selection: Selection, data: st.DataObject
) -> None:
    whole, selector = Selector(selection), Selector(selection)
    together = [*whole.push(lines), *whole.close()]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(lines)), max_size=5)))
    apart = [
        decided
        for start, stop in zip([0, *cuts], [*cuts, len(lines)], strict=True)
        for decided in selector.push(lines[start:stop])
    ]

    assert [*apart, *selector.close()] == together
    assert [line for line, _ in together] == lines
    assert left_out("".join(lines), selection) == _gone(together)


@pytest.mark.law
@given(LOGS, SELECTIONS)
def test_a_record_stays_or_goes_as_a_whole(lines: list[str], selection: Selection) -> None:
    selector = Selector(selection)
    decided = [*selector.push(lines), *selector.close()]

    assert all(len({decided[at][1] for at in record}) == 1 for record in records(lines))


def _gone(decided: Sequence[tuple[str, bool]]) -> list[Span]:
    spans: list[Span] = []
    at = 0
    for line, stays in decided:
        if not stays:
            start = spans.pop().start if spans and spans[-1].stop == at else at
            spans.append(Span(start, at + len(line)))
        at += len(line)
    return spans


def test_a_real_log_is_selected_by_level_and_time(shared: Path) -> None:
    with gzip.open(shared / "data/logs/dev/loghub-Zookeeper.log.gz", "rt", newline="") as file:
        text = file.read()
    errors = stays(text, asked(level="error"))
    day = stays(text, asked(since="2015-07-29", until="2015-07-29"))

    assert len(errors) == 13 and all(" ERROR " in line for line in errors)
    assert len(day) == sum(line.startswith("2015-07-29") for line in text.splitlines())
