"""`elision evaluate`: one scorer, or a rule, against judged labels, as flat figures.

Keys are those a release is judged by, such as ``line_auc_ge2`` or ``e2e_essential@0.33``; a
kind's own figure reads ``line_auc_ge2[kind=grep]``, a baseline's ``baseline.tfidf.line_auc_ge2``.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from elision.compaction.tokens import counter
from elision.model.scorer import load_scorer
from elision.model.types import Scorer, Scores, nothing
from elision.training.baselines import Ranker
from elision.training.baselines import baselines as rules
from elision.training.end_to_end import end_to_end as survived
from elision.training.end_to_end import product, query_of, whole_lines
from elision.training.labels.rows import LabelRow, read_labels
from elision.training.metrics import Ranked, mean_values, measure, ranked

OURS = "elision"
WIDTH = 120
PER_KIND = ("line_auc_ge2", "essential@0.33", "word_auc", "e2e_essential@0.33", "e2e_tokens@0.33")
_KEY = re.compile(r"(?:baseline\.(?P<method>\w+)\.)?(?P<figure>[^\[]+)(?:\[kind=(?P<kind>.*)\])?")


def run(
    labels: Path,
    bundle: Path | None = None,
    *,
    with_query: bool = True,
    baselines: bool = False,
    end_to_end: bool = False,
    as_json: bool = False,
) -> None:
    """Evaluate a bundle (None: the one in use) on a label file and print the figures.

    Raises:
        BadLabels: If the file is not one of labels.
        BundleError: If the bundle cannot be used.
    """
    rows = read_labels(labels)
    scorer = load_scorer(bundle)
    figures = evaluate(rows, scorer, with_query=with_query, baselines=baselines, end_to_end=end_to_end)
    if as_json:
        print(json.dumps(figures, indent=2))
    else:
        print_figures(figures, f"{scorer.bundle} on {len(rows)} chunks of {labels.name}")


def evaluate(
    rows: Sequence[LabelRow],
    scorer: Scorer,
    *,
    with_query: bool = True,
    baselines: bool = False,
    end_to_end: bool = False,
) -> dict[str, float]:
    """Every figure of a scorer, and of the baselines, on judged chunks.

    Args:
        rows: The chunks.
        scorer: Scores each text once.
        with_query: Whether the scorer and the baselines are told what the reader was after.
        baselines: Also measure the rankings that need no model.
        end_to_end: Also run the real text path at keep ratios .33 and .50.

    Returns:
        Flat figures; one with nothing to measure is left out.
    """
    scorer = _Once(scorer)
    count = counter()
    figures = measure([_ranked(row, scorer, with_query) for row in rows])
    if end_to_end:
        figures |= survived(rows, product(scorer, count, with_query), count)
    for name, rule in rules([row.text for row in rows]).items() if baselines else ():
        its = measure([_ruled(row, rule, with_query) for row in rows])
        if end_to_end:
            its |= survived(rows, whole_lines(rule, count, with_query), count)
        figures |= {f"baseline.{name}.{key}": value for key, value in its.items()}
    return figures


def print_figures(figures: Mapping[str, float], title: str = "", console: Console | None = None) -> None:
    """Print figures for a human: every figure of each method, then the main ones per kind."""
    console = console or Console()
    if not console.is_terminal:
        console.width = WIDTH  # of a pipe rich knows no width and takes 80
    methods: dict[str, dict[str, float]] = defaultdict(dict)
    kinds: dict[str, dict[str, float]] = defaultdict(dict)
    for key, value in figures.items():
        found = _KEY.fullmatch(key)
        assert found, key
        method, figure, kind = found["method"] or OURS, found["figure"], found["kind"]
        if kind is None:
            methods[figure][method] = value
        elif method == OURS and figure in PER_KIND:
            kinds[kind][figure] = value
    console.print(_table(title, methods))
    console.print(_table(f"{OURS}, by kind", kinds))


def _table(title: str, rows: Mapping[str, Mapping[str, float]]) -> Table:
    """A row for each outer key, a column for each inner one."""
    table = Table(title=title, title_justify="left")
    table.add_column()
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    for column in columns:
        table.add_column(column, justify="right")
    for name, row in rows.items():
        table.add_row(name, *(f"{row[column]:.3f}" if column in row else "" for column in columns))
    return table


def _ranked(row: LabelRow, scorer: Scorer, with_query: bool) -> Ranked:
    scores = scorer.score(row.text, query_of(row, with_query))
    return ranked(row, lambda spans: mean_values(scores, spans), lambda spans: mean_values(scores, spans))


def _ruled(row: LabelRow, rule: Ranker, with_query: bool) -> Ranked:
    return ranked(row, lambda spans: rule(row.text, spans, query_of(row, with_query)))


class _Once:
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
