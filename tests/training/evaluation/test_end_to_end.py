"""What survives the real cut is measured against what the judge would keep at the same tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elision.compaction.tokens import counter
from elision.model.types import IntArray, Scores, Span, nothing
from elision.training.evaluation.baselines import baselines, head_tail
from elision.training.evaluation.end_to_end import (
    Shortened,
    end_to_end,
    keep_whole,
    stretches,
    survival,
    whole_lines,
)
from elision.training.evaluation.evaluate import evaluate
from elision.training.labels.rows import JudgedLine, LabelRow


@dataclass(frozen=True)
class Characters:
    """A counter for hand work: every character is a token."""

    encoding: str = "characters"
    exact: bool = True

    def count(self, text: str) -> int:
        return len(text)

    def prefix(self, text: str) -> IntArray:
        return np.arange(len(text) + 1)


@dataclass(frozen=True)
class JudgeScorer:
    """Scores every character by the level of its line: the perfect scorer."""

    rows: Sequence[LabelRow]
    bundle: str = "judge"
    runner: str = "none"

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        row = next(row for row in self.rows if row.text == text)
        values = np.zeros(len(text), dtype=np.float32)
        for line in row.lines:
            values[line.start : line.end] = line.level / 3
        places = np.array([i for i, c in enumerate(text) if not c.isspace()], dtype=np.int64)
        return Scores(places, places + 1, values[places])


def judged(text: str, levels: str, kind: str = "test") -> LabelRow:
    """A chunk whose line i has level ``levels[i]``."""
    lines, start = [], 0
    for line, level in zip(text.split("\n"), levels, strict=True):
        lines.append(JudgedLine(start, start + len(line), int(level), None))
        start += len(line) + 1
    return LabelRow("r", kind, "line", "", "", "fix the test", "pytest -q", "", text, tuple(lines))


ROW = judged("aaa\nbbbbb\nccc\nddddd", "0313")  # tokens with line ends: 4, 6, 4, 5


def test_stretches_partition_the_text_with_their_line_ends() -> None:
    assert [s.of(ROW.text) for s in stretches(ROW)] == ["aaa\n", "bbbbb\n", "ccc\n", "ddddd"]


def test_survival_by_hand() -> None:
    # Ten level-3 characters. Nine tokens buy the judge one line (6 tokens) and 3/5 of the other: 8.
    left = Shortened((Span(0, 4), Span(10, 19)), tokens=9)

    assert survival(ROW, left, Characters()) == pytest.approx(5 / 8)


def test_a_text_left_whole_survives_whole() -> None:
    assert survival(ROW, Shortened((), tokens=19), Characters()) == 1.0


def test_a_chunk_without_level_3_is_skipped() -> None:
    assert survival(judged("a\nb", "02"), Shortened((), 3), Characters()) is None
    assert end_to_end([judged("a\nb", "02")], lambda row, ratio: Shortened((), 3), Characters()) == {}


def test_a_word_cut_counts_by_its_characters() -> None:
    left = Shortened((Span(0, 4), Span(6, 9), Span(10, 14)), tokens=8)

    # kept bb and ddddd: 7 of 10; eight tokens buy the judge 5 + 2/5 * 5 = 7
    assert survival(ROW, left, Characters()) == pytest.approx(1.0)


def test_whole_spans_that_do_not_fit_are_skipped_for_the_next_best() -> None:
    spans = stretches(ROW)

    left = keep_whole(ROW.text, spans, np.array([1.0, 3.0, 0.0, 2.0]), 10, Characters())

    assert left == Shortened((spans[2], spans[3]), tokens=10)


@settings(deadline=None)  # the counter loads in the first example
@given(st.lists(st.text("ab 1\t\n", max_size=8), min_size=1, max_size=12), st.integers(0, 40))
def test_a_baseline_never_exceeds_its_target(lines: list[str], target: int) -> None:
    text = "\n".join(lines)
    row = judged(text, "0" * (text.count("\n") + 1))
    spans = stretches(row)

    left = keep_whole(text, spans, np.arange(len(spans), dtype=float), target, counter())

    kept = "".join(span.of(text) for span in spans if span not in left.dropped)
    assert left.tokens == counter().count(kept) <= target


def test_json_stays_whole_for_a_baseline_as_for_the_product() -> None:
    row = judged('{"a": [1, 2, 3],\n"b": "c"}', "33")

    assert whole_lines(head_tail, Characters())(row, 0.33) == Shortened((), len(row.text))


def test_figures_come_per_ratio_and_kind() -> None:
    figures = end_to_end([ROW], lambda row, ratio: Shortened((), 19), Characters())

    assert set(figures) == {
        f"e2e_{what}@{ratio}{kind}"
        for what in ("essential", "tokens")
        for ratio in ("0.33", "0.50")
        for kind in ("", "[kind=test]")
    }
    assert set(figures.values()) == {1.0}


LOG = judged(
    "\n".join(
        f"2024-05-01 10:00:{i:02d} worker {i} finished its batch in {i * 7} ms"
        if i % 4
        else f"2024-05-01 10:00:{i:02d} worker {i} lost the lock held by client {i * 31}"
        for i in range(40)
    ),
    "".join("0" if i % 4 else "3" for i in range(40)),
)


def test_the_perfect_scorer_gets_one_from_the_ruler_and_from_the_product() -> None:
    figures = evaluate([LOG], JudgeScorer([LOG]), end_to_end=True)

    assert figures["line_auc_ge2"] == figures["pooled_auc_ge3"] == figures["essential@0.33"] == 1.0
    assert figures["e2e_essential@0.33"] == pytest.approx(1.0, abs=0.02)
    assert figures["e2e_tokens@0.33"] <= 0.36


def test_every_baseline_is_measured_under_its_name() -> None:
    figures = evaluate([LOG, ROW], JudgeScorer([LOG, ROW]), baselines=True)

    for name in baselines([]):
        assert 0 <= figures[f"baseline.{name}.line_auc_ge2"] <= 1
    assert figures["baseline.length.line_auc_ge2[kind=test]"] > 0.5
