"""Clipping is the last resort: it always meets the limit, and never breaks a character."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.compress import compress
from elision.compaction.cut import rebuild
from elision.compaction.reduce.clip import CLIPPED, clip, clipped
from elision.compaction.tokens import counter
from elision.compaction.types import Budget

COUNTER = counter("o200k_base")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300) | st.lists(
    st.sampled_from(["error: no such file", "ok", "", "héllo wörld", "你好世界", "👩‍👩‍👧 family", "x" * 90]), max_size=40
).map("\n".join)


@given(TEXTS, st.integers(1, 60))
def test_what_stays_is_a_beginning_and_an_end(text: str, tokens: int) -> None:
    gone = clip(text, tokens, COUNTER)

    assert 0 <= gone.start <= gone.stop <= len(text)


@given(TEXTS, st.integers(12, 60), st.floats(0.1, 1))
def test_a_clipped_text_meets_its_target_and_its_receipt_rebuilds_it(text: str, tokens: int, share: float) -> None:
    first = compress(text, Budget(keep_ratio=share, floor_tokens=0), scorer=HashScorer(), counter=COUNTER)
    limited = replace(first, receipt=replace(first.receipt, target_tokens=tokens))
    done = clipped(text, limited, COUNTER)

    assert rebuild(text, done.receipt.dropped) == done.text
    assert done.receipt.tokens_after == COUNTER.count(done.text)
    assert done.receipt.tokens_after <= max(tokens, 12) or done is limited


def test_a_text_within_its_target_is_left_alone() -> None:
    done = compress("all is well", Budget(target_tokens=50), scorer=HashScorer(), counter=COUNTER)

    assert clipped("all is well", done, COUNTER) is done


def test_the_marker_counts_the_lines_of_the_source() -> None:
    text = "\n".join(f"line {number} of the log, nothing to see" for number in range(100))
    done = compress(text, Budget(target_tokens=40, floor_tokens=0), scorer=HashScorer(), counter=COUNTER)
    done = clipped(text, replace(done, receipt=replace(done.receipt, target_tokens=30)), COUNTER)

    assert done.receipt.reason == CLIPPED
    counted = sum(drop.span.of(text).count("\n") for drop in done.receipt.dropped)
    assert counted + len([row for row in done.text.splitlines() if row.startswith("line")]) >= 99
