"""Windows of a log as it comes: none waits too long, none is cut elsewhere than a finished log would be."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import logs, repetitive_logs, texts, traces

from elision.compaction.logs.select import Selection, left_out
from elision.compaction.logs.window import windows
from elision.model.types import Span
from elision.serving.logs.cutting import Cutter, Window

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LATENCY = 2.0

any_text = st.one_of(repetitive_logs, logs, traces(), texts)
selections = st.sampled_from(
    [
        Selection.asked(NOW, level="warn"),
        Selection.asked(NOW, since="2026-01-02 03:20", until="2026-01-02 03:40"),
        Selection.asked(NOW, around="worker", context=2),
        Selection.asked(NOW, around="timeout|ERROR", context=1),
    ]
)


@dataclass(frozen=True)
class Taken:
    """A window, and when it was had."""

    window: Window
    at: float


def cut(cutter: Cutter, chunks: list[tuple[str, float]]) -> Iterator[Taken]:
    """The windows of chunks that come at their times; who waits is woken when something is due."""
    now = 0.0
    for text, at in chunks:
        while cutter.due is not None and cutter.due < at:
            now = max(now, cutter.due)
            yield from (Taken(window, now) for window in cutter.push("", now))
        now = at
        yield from (Taken(window, now) for window in cutter.push(text, now))
    while cutter.due is not None:
        now = max(now, cutter.due)
        yield from (Taken(window, now) for window in cutter.push("", now))
    yield from (Taken(window, now) for window in cutter.close())


@st.composite
def chunked(draw: st.DrawFn, text: st.SearchStrategy[str] = any_text) -> list[tuple[str, float]]:
    """A text in pieces, with the times at which they come."""
    left, at, chunks = draw(text), 0.0, []
    while left:
        size = draw(st.integers(1, 400))
        chunks.append((left[:size], at))
        left, at = left[size:], at + draw(st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.9, 2.0, 5.0]))
    return chunks


def whole(chunks: list[tuple[str, float]]) -> str:
    return "".join(text for text, _ in chunks)


@pytest.mark.law
@given(chunked(), st.integers(20, 3000), st.none() | selections)
def test_windows_partition_what_came(chunks: list[tuple[str, float]], size: int, selection: Selection | None) -> None:
    found = list(cut(Cutter(size, LATENCY, selection), chunks))

    assert "".join(one.window.text for one in found) == whole(chunks)
    assert all(one.window.text for one in found)
    assert selection or all(len(one.window.text) <= size for one in found[:-1])


@pytest.mark.law
@given(chunked(), st.integers(20, 3000))
def test_with_time_to_spare_the_windows_are_those_of_a_finished_log(
    chunks: list[tuple[str, float]], size: int
) -> None:
    text = whole(chunks)

    found = [one.window.text for one in cut(Cutter(size), chunks)]
    assert found == [span.of(text) for span in windows(text, size)]


@pytest.mark.law
@given(chunked(), st.integers(20, 3000))
def test_no_line_waits_for_longer_than_the_latency(chunks: list[tuple[str, float]], size: int) -> None:
    found = list(cut(Cutter(size, LATENCY), chunks))
    times = [at for text, at in chunks for _ in text]
    text, shown = whole(chunks), 0

    for one in found:
        stop = shown + len(one.window.text)
        lines = [at for at in range(shown, stop) if text[at] == "\n"]
        assert all(one.at <= times[at] + LATENCY for at in lines)
        shown = stop


@pytest.mark.law
@given(chunked(), st.integers(200, 3000), selections)
def test_what_is_wanted_does_not_depend_on_when_it_came(
    chunks: list[tuple[str, float]], size: int, selection: Selection
) -> None:
    text, at, spans = whole(chunks), 0, list[Span]()
    for one in cut(Cutter(max(size, len(text)), LATENCY, selection), chunks):
        for span in one.window.left_out:
            start = spans.pop().start if spans and spans[-1].stop == span.start + at else span.start + at
            spans.append(Span(start, span.stop + at))
        at += len(one.window.text)

    assert spans == left_out(text, selection)


def texts_of(cutter: Cutter, *chunks: tuple[str, float]) -> list[str]:
    return [one.window.text for one in cut(cutter, list(chunks))]


def test_a_line_without_an_end_waits_for_it_and_keeps_no_other() -> None:
    assert texts_of(Cutter(1000, 2), ("one\ntw", 0), ("o\n", 10)) == ["one\n", "two\n"]


def test_a_line_without_an_end_is_cut_at_the_size_of_a_window() -> None:
    assert texts_of(Cutter(10, 2), ("x" * 25, 0)) == ["x" * 10, "x" * 10, "x" * 5]


def test_a_record_that_goes_on_is_kept_together_for_as_long_as_it_may_wait() -> None:
    head, trace = "2026-01-02 10:00:00 INFO a\n", "2026-01-02 10:00:01 ERROR b\nTraceback (most recent call last):\n"
    rest = '  File "a.py", line 3\nValueError: x\n'

    assert texts_of(Cutter(1000, 2), (head, 0), (trace, 1.9), (rest, 2.1)) == [head, trace + rest]
    assert texts_of(Cutter(1000, 2), (head + trace, 0), (rest, 2.1)) == [head + trace, rest]


def test_a_record_that_is_over_goes_with_the_others() -> None:
    rows = [f"2026-01-02 10:00:0{n} INFO a\n" for n in range(3)]

    assert texts_of(Cutter(1000, 2), (rows[0], 0), (rows[1] + rows[2][:20], 1.9), (rows[2][20:], 5)) == [
        rows[0] + rows[1],
        rows[2],
    ]


def test_lines_that_are_not_wanted_make_nothing_due() -> None:
    cutter = Cutter(1000, 2, Selection.asked(NOW, level="error"))
    quiet = "2026-01-02 10:00:00 INFO a\n" * 3

    assert list(cutter.push(quiet, 0)) == []
    assert cutter.due == 2  # the last record may still be one
    assert list(cutter.push("", 2)) == [Window(quiet[:54], (Span(0, 54),))]
    assert cutter.due is None


def test_a_wanted_record_at_the_end_of_a_silent_log_is_had_in_time() -> None:
    cutter = Cutter(1000, 2, Selection.asked(NOW, level="error"))
    text = "2026-01-02 10:00:00 INFO a\n2026-01-02 10:00:01 ERROR b\n"
    list(cutter.push(text, 0))

    assert cutter.due == 2
    assert list(cutter.push("", 2)) == [Window(text, (Span(0, 27),))]
    assert list(cutter.push("2026-01-02 10:00:02 INFO c\n", 3)) == []
    assert list(cutter.close()) == [Window("2026-01-02 10:00:02 INFO c\n", (Span(0, 27),))]


def test_what_may_be_near_a_match_waits_for_it() -> None:
    cutter = Cutter(1000, 2, Selection.asked(NOW, around="boom", context=1))
    rows = [f"2026-01-02 10:00:0{n} INFO {said}\n" for n, said in enumerate(["a", "b", "boom", "c", "d"])]
    assert list(cutter.push(rows[0] + rows[1], 0)) == []
    assert list(cutter.push("", 2)) == []
    assert cutter.due is None

    list(cutter.push(rows[2], 3))
    assert list(cutter.push("", 5)) == [Window("".join(rows[:3]), (Span(0, len(rows[0])),))]
