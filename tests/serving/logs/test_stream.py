"""What becomes of an endless log: what becomes of its windows, one after the other, with one memory."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scorers import HashScorer
from strategies import logs, repetitive_logs, texts

from elision.compaction.errors import RedactionFailed
from elision.compaction.logs.select import Selection
from elision.compaction.logs.window import compress_window, windows
from elision.compaction.reduce.memory import Memory
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Order
from elision.model.types import Scores, Span
from elision.serving.batch.forms.log_lines import shorten_log
from elision.serving.batch.forms.work import Work
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.tally import Tally
from elision.serving.batch.types import Form, Portion
from elision.serving.fail_open import Shortener
from elision.serving.logs.cutting import Cutter, Window
from elision.serving.logs.shortening import LogShortener, Shortened, lines_of
from elision.serving.logs.stream import Read, stream
from elision.serving.logs.totals import KNOWN, Totals

COUNTER = counter()
ORDER = Order(Budget(keep_ratio=0.3, floor_tokens=0))
NOW = datetime(2026, 1, 2, tzinfo=UTC)
any_text = st.one_of(repetitive_logs, logs, texts)


def ignored(error: BaseException) -> None:
    """Nobody is told."""


def shortener(failed: Callable[[BaseException], None] = ignored) -> Shortener:
    return Shortener(HashScorer(), COUNTER, failed)


def coming(chunks: list[tuple[str, float]]) -> Read:
    """A clock that stands where somebody waits for, and what comes by it."""
    left = list(chunks)

    def read(due: float | None) -> tuple[str, float] | None:
        if left and (due is None or left[0][1] <= due):
            return left.pop(0)
        return ("", due) if left and due is not None else None

    return read


def shown(found: list[Shortened]) -> str:
    return "".join(one.compressed.text for one in found)


@pytest.mark.law
@given(st.lists(st.tuples(any_text, st.sampled_from([0.1, 1.0, 3.0])), max_size=3), st.integers(100, 2000))
def test_the_output_is_that_of_the_windows(parts: list[tuple[str, float]], size: int) -> None:
    chunks, at = list[tuple[str, float]](), 0.0
    for text, wait in parts:
        chunks.append((text + "\n", at := at + wait))
    cut = list[Window]()

    class Noting(LogShortener):
        def shorten(self, window: Window) -> Iterator[Shortened]:
            cut.append(window)
            return super().shorten(window)

    found = list(stream(coming(chunks), Cutter(size, 2.0), Noting(ORDER, shortener())))

    assert "".join(window.text for window in cut) == "".join(text for text, _ in chunks)
    memory = Memory()
    assert shown(found) == "".join(
        compress_window(w.text, ORDER, memory=memory, scorer=HashScorer(), counter=COUNTER).compressed.text for w in cut
    )
    assert sum(one.lines for one in found) == sum(lines_of(window.text) for window in cut)


def test_the_output_is_that_of_batch_for_the_same_windows() -> None:
    text = "".join(
        f"2026-01-02 10:{n // 60 % 60:02}:{n % 60:02} INFO request {n} of the worker took {n % 7} ms\n" for n in range(18_000)
    )
    assert len(list(windows(text))) == 2
    portion = Portion(0, 0, 1, text, Form.LOG)
    batch, _ = shorten_log(portion, Work(BatchSettings(0.3), ORDER, shortener()), Tally())

    chunks = [(text[at : at + 50_000], 0.0) for at in range(0, len(text), 50_000)]
    found = list(stream(coming(chunks), Cutter(), LogShortener(ORDER, shortener())))

    assert shown(found).encode() == batch


def test_a_later_window_folds_what_an_earlier_one_showed() -> None:
    log = LogShortener(ORDER, shortener())
    first, later = (
        Window("".join(f"2026-01-02 10:00:{n:02} INFO request {n} is done\n" for n in range(start, start + 20)))
        for start in (0, 20)
    )

    assert "request 0 is done" in shown(list(log.shorten(first)))
    assert shown(list(log.shorten(later))).startswith("[…20 lines as above")


def quiet_and_loud(*counts: int) -> list[tuple[str, float]]:
    """So many quiet lines, an error, so many quiet lines ...; a second apart."""
    rows = list[str]()
    for count in counts:
        rows += ["INFO nothing to tell\n"] * count + ["ERROR boom\n"]
    return [(row, float(at)) for at, row in enumerate(rows[:-1])]


@pytest.mark.parametrize(("size", "latency"), [(100, None), (1000, 2.0), (10**6, 2.0)])
def test_a_quiet_stretch_leaves_one_marker_however_long(size: int, latency: float | None) -> None:
    cutter = Cutter(size, latency, Selection.asked(NOW, level="error"))
    order = Order(Budget(keep_ratio=1.0))

    found = list(stream(coming(quiet_and_loud(50, 3, 200, 7)), cutter, LogShortener(order, shortener())))

    assert shown(found) == "[…50 lines]\nERROR boom\n[…3 lines]\nERROR boom\n[…200 lines]\nERROR boom\n[…7 lines]\n"
    assert sum(one.lines for one in found) == 263
    assert sum(one.left_out for one in found) == 260


@pytest.mark.law
@given(any_text, st.sampled_from(["warn", "error"]), st.integers(200, 2000))
def test_what_was_dropped_tells_the_output_of_every_part(text: str, level: str, size: int) -> None:
    cutter = Cutter(size, None, Selection.asked(NOW, level=level))
    at, markers = 0, list[bool]()

    for one in stream(coming([(text, 0.0)]), cutter, LogShortener(ORDER, shortener())):
        rebuilt = text[at : at + one.characters]
        for drop in reversed(one.compressed.receipt.dropped):
            rebuilt = rebuilt[: drop.span.start] + drop.replacement + rebuilt[drop.span.stop :]
        assert rebuilt == one.compressed.text
        assert one.lines == lines_of(text[at : at + one.characters])
        assert sum(one.counts.levels.values()) == sum(n for n, _ in one.counts.templates.values()) == one.lines - one.left_out
        at += one.characters
        markers.append(one.lines == one.left_out)
    assert at == len(text)
    assert not any(a and b for a, b in zip(markers, markers[1:], strict=False))


class Broken(HashScorer):
    def score(self, text: str, query: str = "", tick: Callable[[], None] = lambda: None) -> Scores:
        raise IndexError("of ours")


def unlike(count: int) -> str:
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()
    return "".join(f"the {words[n % 12]} went to {words[n // 12 % 12]} by way of {words[n * 7 % 11]}\n" for n in range(count))


def test_a_window_that_fails_goes_through_and_counts() -> None:
    said, text = list[BaseException](), unlike(130)
    log = LogShortener(ORDER, Shortener(Broken(), COUNTER, said.append))

    (one,) = log.shorten(Window(text))

    assert one.compressed.text == text
    assert one.compressed.receipt.reason == "internal_error"
    assert [type(error) for error in said] == [IndexError]
    assert one.counts.levels == {"-": 130}


def test_of_a_window_that_fails_what_is_not_wanted_stays_away() -> None:
    text = unlike(130)
    out = Span(text.index("\n") + 1, text.index("\n", 2000) + 1)
    one = LogShortener(ORDER, Shortener(Broken(), COUNTER, ignored)).shortened(text, (out,))

    assert one.compressed.text == f"{text[: out.start]}[…{one.left_out} lines]\n{text[out.stop :]}"
    assert one.counts.lines == one.lines - one.left_out == 130 - out.of(text).count("\n")


def test_with_secrets_to_replace_a_window_that_fails_does_not_go_through() -> None:
    order = Order(Budget(keep_ratio=0.3, floor_tokens=0), redact=True)

    with pytest.raises(RedactionFailed):
        list(LogShortener(order, Shortener(Broken(), COUNTER, ignored)).shorten(Window(unlike(130))))


def test_totals_stay_small_and_add_up() -> None:
    totals, log = Totals(), LogShortener(ORDER, shortener())
    (one,) = log.shorten(Window("INFO nothing\n" * 3))
    for n in range(0, KNOWN + 10, 500):
        counts = {f"template {n + more}": (2, 1) for more in range(500)}
        totals.add(
            Shortened(one.compressed, 0, 1000, 0, type(one.counts)(1000, {"INFO": 1000}, counts))
        )
    found = totals.json()

    assert found["lines"] == sum(row["lines"] for row in found["templates"]) == sum(found["levels"].values())
    assert found["templates"][-1]["template"] == "(other)"
    assert len(found["templates"]) <= 201
