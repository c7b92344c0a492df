"""Passages partition the text: a line each, or a sentence each in prose."""

from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from elision.compaction.guard.segment import segment
from elision.compaction.types import Kind

SHARED = Path(__file__).parents[4] / "shared"


@settings(max_examples=500)
@given(st.text() | st.lists(st.sampled_from(["A b c d. ", "E f g h!\n", "\r\n", "\u0301", "x = 1\n", "不。", "| a |\n", "\ud800", " "])).map("".join))
def test_passages_partition_any_text_and_split_no_grapheme(text: str) -> None:
    read = segment(text)
    graphemes = {m.end() for m in regex.finditer(r"\X", text)}

    assert "".join(p.span.of(text) for p in read.passages) == text
    assert len(read.kinds) == len(read.lines)
    assert all(p.kind is read.kinds[p.line] and len(p.span) for p in read.passages)
    assert {p.span.stop for p in read.passages} <= graphemes


def test_only_prose_is_read_sentence_by_sentence() -> None:
    text = "One thing was done. Another was not.\n2024-05-03 10:11:12 INFO One thing. Another thing.\n"

    assert [(p.kind, p.line) for p in segment(text).passages] == [(Kind.PROSE, 0), (Kind.PROSE, 0), (Kind.LOG, 1)]


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
