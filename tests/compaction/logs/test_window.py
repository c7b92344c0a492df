"""Windows of a log: cut between records, compressed one after the other, counted."""

import pytest
from examples import at_least
from hypothesis import assume, given
from hypothesis import strategies as st
from scorers import HashScorer
from strategies import logs, repetitive_logs, texts

from elision.compaction.guard.lines import count_lines
from elision.compaction.guard.markers import counted
from elision.compaction.logs.window import CompressedWindow, border, compress_window, windows
from elision.compaction.pins.text import compile_pins
from elision.compaction.reduce.memory import Memory
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Order
from elision.model.types import Span

COUNTER = counter()
any_text = st.one_of(repetitive_logs, logs, texts)


def compressed(text: str, ratio: float = 0.3, memory: Memory | None = None, **more: object) -> CompressedWindow:
    order = Order(Budget(keep_ratio=ratio, floor_tokens=0), **more)  # type: ignore[arg-type]
    return compress_window(text, order, memory=memory or Memory(), scorer=HashScorer(), counter=COUNTER)


@pytest.mark.law
@given(any_text, st.integers(20, 3000))
def test_windows_partition_a_text(text: str, size: int) -> None:
    spans = list(windows(text, size))

    assert "".join(span.of(text) for span in spans) == text
    assert all(span.stop == len(text) or len(span) <= size for span in spans)


@pytest.mark.law
@given(any_text, st.integers(20, 3000))
def test_a_window_ends_with_a_line_where_there_is_one(text: str, size: int) -> None:
    for span in windows(text, size):
        assert span.stop == len(text) or "\n" not in span.of(text) or span.of(text).endswith("\n")


def test_a_trace_is_not_cut() -> None:
    record = "2026-01-02 10:00:00 ERROR failed\nTraceback (most recent call last):\n  File \"a.py\", line 3\nValueError: x\n"
    text = record * 100

    assert all(span.start % len(record) == 0 for span in windows(text, 1000))
    assert border(text, 0, len(record) + 50) == len(record)


@pytest.mark.law
@at_least(300)
@given(any_text, st.floats(0.05, 1))
def test_the_counts_of_a_window_add_up(text: str, ratio: float) -> None:
    counts = compressed(text, ratio).counts

    assert counts.lines == text.count("\n") + (not text.endswith("\n") and text != "")
    assert sum(counts.levels.values()) == counts.lines
    assert sum(before for before, _ in counts.templates.values()) == counts.lines
    assert all(0 <= stays <= before for before, stays in counts.templates.values())


@pytest.mark.law
@given(any_text, st.floats(0.05, 1))
def test_a_window_is_never_made_longer(text: str, ratio: float) -> None:
    receipt = compressed(text, ratio).compressed.receipt

    assert receipt.tokens_after <= receipt.tokens_before


@pytest.mark.law
@given(repetitive_logs, st.floats(0.05, 0.9))
def test_the_same_windows_give_the_same_output(text: str, ratio: float) -> None:
    one, other = Memory(), Memory()
    spans = list(windows(text, 800))

    first = [compressed(span.of(text), ratio, one).compressed.text for span in spans]
    assert first == [compressed(span.of(text), ratio, other).compressed.text for span in spans]


@pytest.mark.law
@given(repetitive_logs, st.floats(0.05, 0.9))
def test_no_line_is_lost_from_the_count(text: str, ratio: float) -> None:
    left = compressed(text, ratio).compressed.text.split("\n")
    found = [one for row in left if (one := counted(row))]
    others = [row for row in left if row and not counted(row)]

    # Blank lines go uncounted where they stand alone.
    assert sum(one.lines for one in found) + len(others) >= len([row for row in text.split("\n") if row.strip()])


def test_what_was_not_selected_leaves_a_marker_and_is_no_part_of_the_budget() -> None:
    rows = [f"2026-01-02 10:00:{n:02} INFO {'x' * n} done\n" for n in range(60)]
    text = "".join(rows)
    out = Span(0, len("".join(rows[:50])))
    order = Order(Budget(keep_ratio=1.0, floor_tokens=0))
    window = compress_window(text, order, memory=Memory(), left_out=[out], scorer=HashScorer(), counter=COUNTER)

    assert window.compressed.text == "[…50 lines]\n" + "".join(rows[50:])
    assert window.counts.lines == 10
    half = Order(Budget(keep_ratio=0.5, floor_tokens=0))
    window = compress_window(text, half, memory=Memory(), left_out=[out], scorer=HashScorer(), counter=COUNTER)
    assert window.compressed.receipt.target_tokens < COUNTER.count("".join(rows[50:]))


def test_what_is_pinned_is_not_folded() -> None:
    text = "".join(f"2026-01-02 10:00:{n % 60:02} INFO request {n} of the worker took 3ms\n" for n in range(300))

    assert "request 217 of" in compressed(text, pins=compile_pins([r"request 217 .*"])).compressed.text
    assert "request 217 of" not in compressed(text).compressed.text


def test_what_the_query_names_is_not_folded() -> None:
    text = "".join(f"2026-01-02 10:00:{n % 60:02} INFO job a{n}b of the worker took 3ms\n" for n in range(300))

    assert "job a217b of" in compressed(text, query="what became of a217b?").compressed.text


def test_a_small_window_is_folded_and_otherwise_left_alone() -> None:
    text = "the worker waits for a job\n" * 5 + "a job came\n"
    order = Order(Budget(keep_ratio=0.1))
    window = compress_window(text, order, memory=Memory(), scorer=HashScorer(), counter=COUNTER)

    assert window.compressed.text == "the worker waits for a job\n[…4 lines as above]\na job came\n"


def test_a_window_is_folded_in_the_light_of_those_before() -> None:
    memory = Memory()
    text = "".join(f"heartbeat number {n} of the scheduler process\n" for n in range(20))
    compressed(text, memory=memory)

    assert compressed(text, memory=memory).compressed.text.startswith("[…20 lines as above")


@pytest.mark.law
@given(repetitive_logs, st.floats(0.05, 0.9))
def test_what_stays_of_a_log_stands_whole(text: str, ratio: float) -> None:
    lines = set(text.replace("\r\n", "\n").split("\n"))

    for row in compressed(text, ratio).compressed.text.split("\n"):
        assert row.removesuffix("\r") in lines or counted(row) or row.startswith("…")


@pytest.mark.law
@given(st.lists(repetitive_logs, min_size=3, max_size=3), st.floats(0.05, 1))
def test_counts_are_of_what_was_selected(parts: list[str], ratio: float) -> None:
    assume(parts[1].strip())  # a blank line is shorter than its marker
    text = "".join(parts)
    out = Span(len(parts[0]), len(parts[0]) + len(parts[1]))
    order = Order(Budget(keep_ratio=ratio, floor_tokens=0))
    left_out = [out] if len(out) else []
    window = compress_window(text, order, memory=Memory(), left_out=left_out, scorer=HashScorer(), counter=COUNTER)
    markers = [found for row in window.compressed.text.split("\n") if (found := counted(row))]

    assert window.counts.lines == count_lines(parts[0].replace("\r", "")) + count_lines(parts[2].replace("\r", ""))
    assert sum(window.counts.levels.values()) == window.counts.lines
    assert sum(one.lines for one in markers) >= count_lines(parts[1].replace("\r", ""))


def test_lines_around_a_selection_keep_their_count() -> None:
    rows = [f"2026-01-02 10:00:{n:02} INFO heartbeat {n}\n" for n in range(60)]
    out = Span(len("".join(rows[:20])), len("".join(rows[:30])))
    order = Order(Budget(keep_ratio=0.3, floor_tokens=0))
    window = compress_window("".join(rows), order, memory=Memory(), left_out=[out], scorer=HashScorer(), counter=COUNTER)

    assert window.compressed.text.split("\n")[1:4] == [
        "[…19 lines as above: 10:00:01–10:00:19, heartbeat 1..19]", "[…10 lines]",
        '[…30 lines as above: 10:00:30–10:00:59, 30× "INFO heartbeat", heartbeat 30..59]',
    ]  # fmt: skip
    assert window.counts.templates == {"* * INFO heartbeat *": (50, 1)}
