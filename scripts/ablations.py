"""What each part of the training recipe is worth: the table in docs/training.md.

    .venv/bin/python scripts/ablations.py [--write docs/training.md]

Each run of training/configs/ablations is one change to the run before it, at a quarter of the depth, so
that all of them fit an hour on two cores:

    elision train --config training/configs/ablations/NAME.toml

Runs that are there are exported, measured on the dev labels beside the run they differ from, with
paired intervals by document, and the table is written between two markers. What is not there is named.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elision.model.bundle import TOKENIZER, load_bundle
from elision.model.scorer import WindowScorer, line_head_of, runner_of
from elision.model.tokeniser import PieceTokeniser
from elision.training.bundles.export import export
from elision.training.evaluation.baselines import baselines
from elision.training.evaluation.compare import Comparison, compare
from elision.training.evaluation.measured import Measured, measure_rule, measure_scorer
from elision.training.labels.agree import agreement
from elision.training.labels.rows import LabelRow, read_labels
from elision.training.passages import rewritten

ROOT = Path(__file__).resolve().parent.parent
DEV = ROOT / "../shared/data/labels/dev.jsonl.gz"
JUDGED = ROOT / "../shared/data/labels/train.jsonl.gz"
FIGURES = ("line_auc_ge2", "essential@0.33", "word_auc")
BEST_RULE = "best rule"


@dataclass(frozen=True)
class Ablation:
    """One run, what it shows, what it is compared with, and whether its line head is heard."""

    run: str
    shows: str
    against: str
    head: bool = True

    @property
    def name(self) -> str:
        return self.run if self.head else f"{self.run}, network alone"


ABLATIONS = (
    Ablation("judged-25", "a quarter of the judged labels", BEST_RULE),
    Ablation("judged-50", "half of the judged labels", "judged-25"),
    Ablation("judged-100", "all judged labels", "judged-50"),
    Ablation("judged-100", "the same without the line head", "judged-100", head=False),
    Ablation("hindsight", "hindsight alone, no judged label", BEST_RULE),
    Ablation("hindsight", "the same without the line head", "hindsight", head=False),
    Ablation("hindsight-judged", "hindsight, then all judged labels", "judged-100"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "ablation", help="where the runs lie")
    parser.add_argument("--write", type=Path, help="file to write the table into")
    args = parser.parse_args()
    if not DEV.is_file():
        parser.error(f"no labels at {DEV.resolve()}")
    rows = read_labels(DEV)
    measured = dict(_measured(rows, args.runs))
    passages = {"ablations": "\n".join(_table(rows, measured)), "agreement": _agreement(JUDGED, ROOT / "runs" / "twice.jsonl.gz")}
    print("\n\n".join(passages.values()))
    if args.write:
        page = args.write.read_text(encoding="utf-8")
        for name, text in passages.items():
            page = rewritten(page, f"<!-- {name}: written by scripts/ablations.py -->", f"<!-- /{name} -->", text)
        args.write.write_text(page, encoding="utf-8")


def _measured(rows: list[LabelRow], runs: Path) -> Iterator[tuple[str, Measured]]:
    for ablation in ABLATIONS:
        run = runs / ablation.run
        if not (run / "best").is_dir():
            print(f"no run at {run}", file=sys.stderr)
            continue
        bundle = run / "bundle"
        if not bundle.is_dir():
            export(run, bundle)
        yield ablation.name, measure_scorer(rows, _scorer(bundle, ablation.head))


def _scorer(path: Path, head: bool) -> WindowScorer:
    bundle = load_bundle(path)
    tokeniser = PieceTokeniser.load(bundle.file(TOKENIZER))
    heard = line_head_of(bundle, tokeniser) if head else None
    return WindowScorer(bundle, tokeniser, runner_of(bundle), threads=2, head=heard)


def _agreement(one: Path, other: Path) -> str:
    """How two judges agree on the chunks that both judged."""
    if not other.is_file():
        print(f"no labels at {other}", file=sys.stderr)
        return ""
    found = agreement(read_labels(one), read_labels(other))
    return "\n".join(
        [
            "| lines | exactly | within one level | weighted kappa | line_auc_ge2 of one ranked by the other |",
            "| --- | --- | --- | --- | --- |",
            f"| {found['lines']} | {found['exact']:.3f} | {found['within_one']:.3f} | {found['weighted_kappa']:.3f} "
            f"| {found['line_auc_ge2_of_one_by_other']:.3f}, {found['line_auc_ge2_of_other_by_one']:.3f} |",
        ]
    )


def _table(rows: list[LabelRow], measured: dict[str, Measured]) -> Iterator[str]:
    docs = [row.doc for row in rows]
    rules = [measure_rule(rows, name, rule) for name, rule in baselines([row.text for row in rows]).items()]
    yield f"| run | shows | {' | '.join(FIGURES)} | against | difference, 95 % interval |"
    yield f"| --- | --- | {'--- | ' * len(FIGURES)}--- | --- |"
    for ablation in ABLATIONS:
        if ablation.name not in measured:
            continue
        ours, against = measured[ablation.name], ablation.against
        others = [measured[against]] if against in measured else rules  # the rules too where that run is missing
        found = {one.figure: one for one in compare(ours, others, docs, figures=FIGURES)}
        figures = ours.figures()
        shown = " | ".join(f"{figures[name]:.3f}" for name in FIGURES)
        against = f"best rules ({found['line_auc_ge2'].other})" if others is rules else against
        yield f"| {ablation.name} | {ablation.shows} | {shown} | {against} | {'; '.join(map(_difference, found.values()))} |"


def _difference(one: Comparison) -> str:
    low, high = one.interval or (float("nan"), float("nan"))
    return f"{one.figure} {one.difference:+.3f} [{low:+.3f}, {high:+.3f}]"


if __name__ == "__main__":
    main()
