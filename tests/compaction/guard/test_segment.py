"""Passages partition the text: a line each, or a sentence each in prose."""

from pathlib import Path

import pytest
import regex
from examples import at_least
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.segment import segment
from elision.compaction.types import Kind
from elision.model.types import Span

SHARED = Path(__file__).parents[4] / "shared"


@at_least(500)
@given(st.text() | st.lists(st.sampled_from(["A b c d. ", "E f g h!\n", "\r\n", "\u0301", "x = 1\n", "不。", "| a |\n", "\ud800", " "])).map("".join))
def test_passages_partition_any_text_and_split_no_grapheme(text: str) -> None:
    read = segment(text)
    graphemes = {m.end() for m in regex.finditer(r"\X", text)}

    assert "".join(p.span.of(text) for p in read.passages) == text
    assert len(read.kinds) == len(read.lines)
    assert "".join(line.of(text) for line in read.lines) == "".join(row.of(text) for row in read.rows) == text
    assert all(read.rows[p.row].start <= p.span.start < p.span.stop <= read.rows[p.row].stop for p in read.passages)
    assert {p.span.stop for p in read.passages} <= graphemes


def test_only_prose_is_read_sentence_by_sentence() -> None:
    text = "One thing was done. Another was not.\n2024-05-03 10:11:12 INFO One thing. Another thing.\n"

    assert [(p.kind, p.row) for p in segment(text).passages] == [(Kind.PROSE, 0), (Kind.PROSE, 0), (Kind.LOG, 1)]


def test_blank_lines_in_a_row_stay_or_go_together() -> None:
    read = segment("x = 1\n\n  \n\ny = 2\n\nz = 3\n")

    assert [(p.kind, len(p.span)) for p in read.passages if p.kind is Kind.BLANK] == [(Kind.BLANK, 5), (Kind.BLANK, 1)]
    assert len(read.rows) == 5 and len(read.lines) == 7


@pytest.mark.skipif(not (SHARED / "data" / "logs").is_dir(), reason="../shared is not here")
def test_real_logs_are_mostly_read_as_logs() -> None:
    import gzip

    text = gzip.decompress((SHARED / "data/logs/dev/loghub-Zookeeper.log.gz").read_bytes()).decode("utf-8", "replace")
    kinds = segment(text).kinds

    assert kinds.count(Kind.LOG) > 0.99 * len(kinds)


def test_a_page_on_one_line_is_prose_but_a_long_row_among_rows_is_not() -> None:
    page = "[1] link Home | [2] link About us and what we do | some words about it. " * 20
    row = "| " + " | ".join(["a cell with words in it"] * 40) + " |\n"

    assert set(segment(page).kinds) == {Kind.PROSE}
    assert set(segment(row * 3).kinds) == {Kind.TABLE}


def test_stretches_of_an_overlong_sentence_say_that_they_continue_it() -> None:
    passages = segment("words without any end " * 100).passages

    assert len(passages) > 2
    assert [p.continues for p in passages] == [False] + [True] * (len(passages) - 1)


def test_lines_of_one_group_are_one_row_and_one_passage_that_keeps_its_words() -> None:
    text = "Before.\n2026-01-02 03:04:05 INFO done with\n  a list of things\n  and another\nAfter.\n"
    read = segment(text)

    assert [p.span.of(text).count("\n") for p in read.passages] == [1, 3, 1]
    assert [(p.kind, p.row, p.divisible) for p in read.passages[1:2]] == [(Kind.LOG, 1, False)]
    assert len(read.lines) == len(read.kinds) == 5


def test_a_hunk_has_the_header_of_its_file_for_a_head() -> None:
    hunk = "@@ -1 +1 @@\n-a\n+b\n"
    read = segment("Look at what I did.\n--- a/x\n+++ b/x\n" + hunk + hunk)

    assert [(p.kind, p.head) for p in read.passages] == [(Kind.PROSE, -1), (Kind.DIFF, -1), (Kind.DIFF, 1), (Kind.DIFF, 1)]


def test_fixed_spans_are_one_passage_each_and_what_is_between_is_read_on_its_own() -> None:
    text = '{"log": "First it ran. Then it did not.\n  Why?", "n": 1,\n "more": "| a | b |\n|---|---|\n| 1 | 2 |"}'
    first, second = text.index("First"), text.index("| a")
    fixed = [Span(0, first), Span(text.index('", "n"'), second), Span(len(text) - 2, len(text))]
    read = segment(text, fixed=fixed)

    assert [p.span for p in read.passages if p.kind is Kind.JSON] == fixed
    assert [p.span.of(text) for p in read.passages[1:4]] == ["First it ran. ", "Then it did not.\n", "  Why?"]
    assert {p.kind for p in read.passages[5:-1]} == {Kind.TABLE}
    assert not any(p.divisible for p in read.passages if p.kind is Kind.JSON)
    assert [p.head for p in read.passages[6:8]] == [5, 6]


@given(st.lists(st.tuples(st.text("aB. \n,-|", min_size=1, max_size=20), st.booleans()), max_size=12))
def test_fixed_spans_are_rows_of_any_text(parts: list[tuple[str, bool]]) -> None:
    text = "".join(part for part, _ in parts)
    ends = [sum(len(part) for part, _ in parts[: n + 1]) for n in range(len(parts))]
    fixed = [Span(end - len(part), end) for end, (part, is_fixed) in zip(ends, parts, strict=True) if is_fixed]
    read = segment(text, fixed=fixed)

    assert "".join(p.span.of(text) for p in read.passages) == "".join(row.of(text) for row in read.rows) == text
    assert set(fixed) <= set(read.rows) and set(fixed) <= {p.span for p in read.passages}
