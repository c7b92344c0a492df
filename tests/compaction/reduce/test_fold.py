"""Folding: what repeats goes and can be had back; what is rare stays."""

import gzip
from pathlib import Path

import pytest
from examples import at_least
from hypothesis import given
from hypothesis import strategies as st
from strategies import logs, repetitive_logs, texts

from elision.compaction.guard.lines import count_lines
from elision.compaction.guard.markers import counted
from elision.compaction.reduce.fold import Folded, expand, fold
from elision.compaction.reduce.memory import RARE, Memory
from elision.compaction.reduce.variables import HOLE, VARIABLE
from elision.model.types import Span

LOGS = Path(__file__).parents[4] / "shared" / "data" / "logs"
any_text = st.one_of(repetitive_logs, repetitive_logs, logs, texts)


def lines_of(*rows: str) -> str:
    return "".join(row + "\n" for row in rows)


def numbered(row: str, count: int) -> list[str]:
    return [row.format(n) for n in range(count)]


@pytest.mark.law
@at_least(500)
@given(any_text)
def test_expand_gives_back_what_was_folded(text: str) -> None:
    assert expand(fold(text)) == text


@pytest.mark.law
@at_least(500)
@given(st.lists(repetitive_logs, max_size=5))
def test_expand_gives_back_every_window_of_a_log(windows: list[str]) -> None:
    memory = Memory()

    for window in windows:
        assert expand(fold(window, memory)) == window


@pytest.mark.law
@at_least(300)
@given(any_text)
def test_what_went_is_like_a_record_that_stays_but_for_its_variables(text: str) -> None:
    folded = fold(text)
    stays = VARIABLE.sub(HOLE, folded.text)

    for one in folded.folds:
        assert "".join(record.text for record in one.records) == one.span.of(text)
        for record in one.records:
            assert record.kind.template.strip() in stays
            assert all(VARIABLE.fullmatch(value) for value in record.values)


@pytest.mark.law
@at_least(300)
@given(any_text)
def test_markers_count_the_lines_that_went(text: str) -> None:
    for one in fold(text).folds:
        found = counted(one.marker)
        assert found is not None
        assert found.lines == count_lines(one.span.of(text).replace("\r\n", "\n").replace("\r", " "))


@pytest.mark.law
@at_least(300)
@given(any_text)
def test_what_stays_is_a_slice_and_the_folds_are_what_is_missing(text: str) -> None:
    folded = fold(text)
    at, parts = 0, []
    for one in folded.folds:
        parts += [text[at : one.span.start], one.marker]
        at = one.span.stop

    assert folded.text == "".join(parts) + text[at:]
    assert len(folded.text) <= len(text)


@pytest.mark.law
@given(any_text)
def test_what_is_rare_stays(text: str) -> None:
    folded = fold(text)
    counts: dict[int, int] = {}
    for record in folded.records:
        counts[id(record.kind)] = counts.get(id(record.kind), 0) + 1

    for record in folded.records:
        if counts[id(record.kind)] <= RARE and len(record.lines) == 1:
            assert record.span.of(text).strip("\n") in folded.text


@pytest.mark.law
@given(repetitive_logs, st.integers(0, 200), st.integers(1, 30))
def test_what_is_fixed_stays(text: str, start: int, length: int) -> None:
    span = Span(min(start, len(text)), min(start + length, len(text)))

    assert span.of(text) in fold(text, fixed=[span] if len(span) else []).text


@pytest.mark.skipif(not LOGS.exists(), reason="needs ../shared/data/logs")
def test_every_real_log_comes_back() -> None:
    files = sorted(LOGS.glob("*/*.gz"))

    assert len(files) > 200
    for file in files[::3]:
        text = gzip.decompress(file.read_bytes()).decode("utf-8", "replace")
        assert expand(fold(text)) == text, file.name


def test_a_log_of_one_kind_shows_the_first_and_what_the_others_were() -> None:
    folded = fold(lines_of(*numbered("2026-01-02 10:00:{0:02} INFO request {0} took 3ms", 50)))

    assert folded.text == lines_of(
        "2026-01-02 10:00:00 INFO request 0 took 3ms", "[…49 lines as above: 10:00:01–10:00:49, request 1..49]"
    )


def test_lines_that_are_all_the_same_are_counted() -> None:
    assert fold("retrying\n" * 40).text == "retrying\n[…39 lines as above]\n"


def test_few_values_are_listed() -> None:
    folded = fold(lines_of(*(f"the connection to server {n} was lost, and it is tried again" for n in (4, 9, 7, 9))))

    assert folded.text.endswith("again\n[…3 lines as above: server 9|7|9]\n")


def test_two_of_a_kind_stay() -> None:
    text = lines_of("opened file 1", "opened file 2")

    assert fold(text).text == text


def test_the_odd_value_among_many_the_same_stays() -> None:
    rows = numbered("GET /items/{0} status=200", 300)
    rows[170] = "GET /items/170 status=503"

    assert "GET /items/170 status=503\n" in fold(lines_of(*rows)).text


def test_the_last_error_of_a_kind_stays() -> None:
    rows = numbered("ERROR cannot reach host 10.0.0.{0}", 90)

    assert fold(lines_of(*rows)).text == lines_of(
        rows[0], "[…88 lines as above, 88 errors: host 88 values]", rows[-1]
    )


def test_numeric_levels_are_kinds_of_their_own() -> None:
    rows = [f'{{"level":30,"time":17000000{n},"msg":"ok"}}' for n in range(10, 60)]
    rows[20] = '{"level":50,"time":1700000030,"msg":"ok"}'

    assert rows[20] in fold(lines_of(*rows)).text


def test_a_trace_goes_only_as_a_whole() -> None:
    def trace(name: str, line: int) -> str:
        return lines_of(
            f"2026-01-02 10:00:{line:02} ERROR failed", "Traceback (most recent call last):",
            f'  File "app.py", line {line}, in {name}', f"    {name}()", "ValueError: too large",
        )  # fmt: skip

    folded = fold("".join(trace("load", n) for n in range(9)) + trace("save", 40))

    assert trace("save", 40) in folded.text
    assert folded.text.startswith(trace("load", 0) + "[…")
    assert trace("load", 8) in folded.text


def test_a_block_of_lines_over_and_over_is_one_marker() -> None:
    folded = fold("start\n" + "pull image\npush image\nverify\n" * 6 + "end\n")

    assert folded.text == "start\npull image\npush image\nverify\n[…15 lines as above: 5× the last 3 lines]\nend\n"


def test_the_frames_of_a_recursion_fold_inside_the_trace() -> None:
    frame = '  File "a.py", line 3, in walk\n    return walk(node)\n'
    head, end = "Traceback (most recent call last):\n", "RecursionError: maximum recursion depth exceeded\n"

    assert fold(head + frame * 40 + end).text == head + frame + "[…78 lines as above: 39× the last 2 lines]\n" + end


def test_lines_that_differ_in_a_word_are_not_alike() -> None:
    text = lines_of(*(f"session opened for user {name}" for name in ("root", "alice", "bob", "carol")))

    assert fold(text).text == text


def test_a_later_window_folds_what_an_earlier_one_showed() -> None:
    memory = Memory()
    first = fold(lines_of(*numbered("heartbeat number {0} of the scheduler process", 5)), memory)
    second = fold(lines_of(*numbered("heartbeat number {0} of the scheduler process", 5)), memory)

    assert first.text.startswith("heartbeat")
    assert second.text.startswith("[…5 lines as above")


def test_one_error_status_among_many_statuses_stays() -> None:
    rows = [f'10.0.0.1 - - [01/May/2024:10:{n // 60:02}:{n % 60:02} +0000] "GET /a HTTP/1.1" {(200, 201, 204, 301, 302, 304, 400, 401, 403, 404)[n % 10]} 5' for n in range(310)]
    rows[150] = rows[150].replace(" 200 ", " 503 ")

    assert rows[150] in fold(lines_of(*rows)).text


def test_a_stretch_under_another_kind_is_named() -> None:
    text = lines_of(*(f"job {n} of the scheduler runs" for n in range(4)), "shutting down", *(f"job {n} of the scheduler runs" for n in range(4)))

    assert fold(text).text.endswith('down\n[…4 lines as above: 4× "of the scheduler runs"]\n')


def test_a_stretch_is_like_the_record_above_it_not_one_below() -> None:
    rows = [*(f"request {n} to host h1 was refused" for n in range(9)), *(f"request {n} to host h2 was refused" for n in range(200))]

    assert fold(lines_of(*rows)).text.startswith("request 0 to host h1 was refused\n[…8 lines as above: request 1..8]\n") or (
        "h2" in fold(lines_of(*rows)).text.split("\n")[1]
    )


def test_a_block_that_is_not_all_visible_is_not_named_as_one() -> None:
    text = lines_of("a b 1", "a b 2", "a b 3", "c d", "a b 1", "a b 2", "a b 3", "c d", "a b 1", "a b 2", "a b 3", "c d")

    assert "the last 4 lines" not in fold(text).text


def test_a_text_with_the_mark_for_variables_is_left_alone() -> None:
    text = f"a {HOLE} 1\n" * 9

    assert fold(text).text == text
    assert isinstance(fold(text), Folded)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import elision.compaction.reduce.memory as module

    monkeypatch.setattr(module, "KINDS", 50)
    memory = Memory()
    for window in range(20):
        fold("".join(f"kind {'x' * (window * 40 + at)}\n" for at in range(40)), memory)

    assert memory.kinds <= 50


def test_memory_of_endless_lines_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import elision.compaction.reduce.memory as module

    monkeypatch.setattr(module, "CHARACTERS", 10_000)
    memory = Memory()
    for window in range(30):
        fold("x" * (1000 + window) + "\n" + "y" * (1000 + window) + "\n", memory)

    assert memory.kinds <= 10


def test_markers_are_not_folded() -> None:
    text = lines_of(*(f"[…{n} lines]" for n in range(3, 30)))

    assert fold(text).text == text
