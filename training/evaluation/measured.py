"""One method on judged chunks, chunk by chunk: what figures are made of, and what is drawn again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from elision.compaction.tokens import counter
from elision.model.types import Scorer, Scores, nothing
from elision.training.evaluation.baselines import Ranker
from elision.training.evaluation.end_to_end import Method, end_to_end, product, query_of, whole_lines
from elision.training.evaluation.metrics import (
    Ranked,
    by_kind,
    chunk_figures,
    mean_values,
    means,
    measure,
    ranked,
)
from elision.training.labels.rows import LabelRow


@dataclass(frozen=True, slots=True)
class Measured:
    """What one method made of each chunk, in the order of the rows.

    Attributes:
        name: The bundle's identity or the baseline's name.
        chunks: The values it gave.
        survived: What the real cut left of each chunk; empty where that was not asked for, or
            nothing in the chunk is essential.
    """

    name: str
    chunks: tuple[Ranked, ...]
    survived: tuple[Mapping[str, float], ...]

    def figures(self) -> dict[str, float]:
        """Every figure, over all chunks and per kind."""
        return measure(self.chunks) | by_kind(self.survived, [chunk.kind for chunk in self.chunks], means)

    def alone(self) -> list[dict[str, float]]:
        """The figures of each chunk by itself."""
        pairs = zip(self.chunks, self.survived, strict=True)
        return [chunk_figures(chunk) | dict(survived) for chunk, survived in pairs]


def measure_scorer(
    rows: Sequence[LabelRow], scorer: Scorer, *, with_query: bool = True, end_to_end: bool = False
) -> Measured:
    """Let a scorer value each chunk once, and the product cut it if it is to go end to end."""
    once = Once(scorer)
    chunks = tuple(_ranked(row, once, with_query) for row in rows)
    return Measured(scorer.bundle, chunks, _survived(rows, product(once, counter(), with_query), end_to_end))


def measure_rule(
    rows: Sequence[LabelRow], name: str, rule: Ranker, *, with_query: bool = True, end_to_end: bool = False
) -> Measured:
    """The same for a baseline, which values no words and is cut in whole lines."""
    chunks = tuple(
        ranked(row, lambda spans, row=row: rule(row.text, spans, query_of(row, with_query)))  # type: ignore[misc]
        for row in rows
    )
    return Measured(name, chunks, _survived(rows, whole_lines(rule, counter(), with_query), end_to_end))


class Once:
    """A scorer that scores the same text and query once."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.seen: dict[tuple[str, str], Scores] = {}

    @property
    def bundle(self) -> str:
        return self.scorer.bundle

    @property
    def runner(self) -> str:
        return self.scorer.runner

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        key = (text, query)
        if key not in self.seen:
            self.seen[key] = self.scorer.score(text, query, tick)
        return self.seen[key]


def _ranked(row: LabelRow, scorer: Scorer, with_query: bool) -> Ranked:
    scores = scorer.score(row.text, query_of(row, with_query))
    return ranked(row, lambda spans: mean_values(scores, spans), lambda spans: mean_values(scores, spans))


def _survived(rows: Sequence[LabelRow], method: Method, wanted: bool) -> tuple[dict[str, float], ...]:
    """End-to-end figures of each row by itself."""
    if not wanted:
        return tuple({} for _ in rows)
    alone = (end_to_end([row], method, counter()) for row in rows)
    return tuple({key: value for key, value in its.items() if "[" not in key} for its in alone)
