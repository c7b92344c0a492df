"""`elision evaluate`: one scorer, or a rule, against judged labels, as flat figures.

Keys are those a release is judged by, such as ``line_auc_ge2`` or ``e2e_essential@0.33``; a
kind's own figure reads ``line_auc_ge2[kind=grep]``, a baseline's ``baseline.tfidf.line_auc_ge2``.
"""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elision.model.bundle import load_bundle
from elision.model.scorer import load_scorer
from elision.model.types import Scorer
from elision.training.evaluation.against import Asked, Measurement, Report, measure_against, read_rows
from elision.training.evaluation.baselines import baselines as rules
from elision.training.evaluation.card import model_card, write_card
from elision.training.evaluation.measured import measure_rule, measure_scorer
from elision.training.evaluation.tables import print_figures, print_report
from elision.training.labels.rows import LabelRow


def run(asked: Asked, *, baselines: bool = False, as_json: bool = False) -> None:
    """Evaluate a bundle on each label file and print the figures; several files as JSON go by name.

    Raises:
        BadLabels: If a file is not one of labels, or has none.
        BundleError: If the bundle cannot be used.
    """
    sets = {str(path): read_rows(path, asked.exclude) for path in asked.labels}
    scorer = load_scorer(asked.bundle)
    query, through = asked.with_query, asked.end_to_end
    found: dict[str, dict[str, float]] = {}
    for name, rows in sets.items():
        found[name] = evaluate(rows, scorer, with_query=query, baselines=baselines, end_to_end=through)
        if not as_json:
            print_figures(found[name], f"{scorer.bundle} on {len(rows)} chunks of {Path(name).name}")
    if as_json:
        print(json.dumps(found if len(found) > 1 else next(iter(found.values())), indent=2))


def run_against(asked: Asked, *, as_json: bool = False, card: Path | None = None, command: str = "") -> None:
    """Compare a bundle with what it has to beat, print the report and write the model card.

    Args:
        asked: What to measure.
        as_json: Print the report as one JSON object.
        card: File for the model card; None for none.
        command: The command line, for whoever reads the card.

    Raises:
        BadLabels, BadTranscript, BundleError: See `measure_against`.
    """
    report = measure_against(asked)
    if as_json:
        print(json.dumps(report_json(report), indent=2))
    else:
        print_report(report)
    if card is not None:
        write_card(card, model_card(report, load_bundle(asked.bundle), command))


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
    figures = measure_scorer(rows, scorer, with_query=with_query, end_to_end=end_to_end).figures()
    for name, rule in rules([row.text for row in rows]).items() if baselines else ():
        its = measure_rule(rows, name, rule, with_query=with_query, end_to_end=end_to_end).figures()
        figures |= {f"baseline.{name}.{key}": value for key, value in its.items()}
    return figures


def report_json(report: Report) -> dict[str, Any]:
    """The report as JSON: its fields, each comparison with its difference and verdict."""
    return dataclasses.asdict(report) | {
        "labels": [_measurement_json(found) for found in report.labels],
        "actions": _measurement_json(report.actions) if report.actions else None,
        "cost": _judged_json(report.cost, "ratio", "verdict") if report.cost else None,
    }


def _measurement_json(found: Measurement) -> dict[str, Any]:
    compared = {
        side: [_judged_json(one, "difference", "verdict") for one in comparisons]
        for side, comparisons in (("bundle", found.bundle), ("rules", found.rules))
    }
    return dataclasses.asdict(found) | compared


def _judged_json(item: Any, *computed: str) -> dict[str, Any]:
    return dataclasses.asdict(item) | {name: getattr(item, name) for name in computed}
