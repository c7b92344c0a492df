"""Explaining: every stretch of the text has its value and its fate."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.explain import Explained, explain
from elision.compaction.tokens import counter
from elision.compaction.types import Budget

PROSE = "One thing was done, and it took long. Another must not be done. The third could wait.\n" * 20
JSON = json.dumps({"id": 7, "log": PROSE, "blob": "QUJD" * 300}, indent=2)


def explained(text: str, ratio: float) -> list[Explained]:
    budget = Budget(keep_ratio=ratio, floor_tokens=0)
    return explain(text, budget, scorer=HashScorer(), counter=counter("o200k_base"))


@settings(max_examples=30)
@given(st.lists(st.sampled_from([PROSE, JSON, "\x1b[31mred\x1b[0m\n", "a\rb\n", "x = 1\n", "不要。"]), max_size=4).map("".join))
def test_the_parts_partition_the_text(text: str) -> None:
    parts = explained(text, 0.4)

    assert "".join(part.span.of(text) for part in parts) == text
    assert all(len(part.span) for part in parts)


@pytest.mark.parametrize("text", [PROSE, JSON])
def test_some_of_a_text_and_of_a_text_in_json_goes_but_what_is_pinned_does_not(text: str) -> None:
    parts = explained(text, 0.4)

    assert any(part.dropped for part in parts) and not all(part.dropped for part in parts)
    assert not any(part.dropped and part.pinned for part in parts if part.span.of(text).strip())
