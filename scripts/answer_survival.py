"""Answer survival on dev questions: is what answers them still there, ours against the best rules?

    .venv/bin/python scripts/answer_survival.py [--sample 30] [--json]

XQuAD in twelve languages: the answer stands in the shortened paragraph. QMSum: share of the characters
of the evidence turns. HolmesGPT: share of the expected facts' terms. Each at keep ratio .33 and .50,
with and without the query; a rule keeps whole lines or sentences within the tokens that ours used.
"""

import argparse
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from elision.compaction.compress import compress
from elision.compaction.guard.segment import segment
from elision.compaction.tokens import counter
from elision.compaction.types import Budget
from elision.model.scorer import load_scorer
from elision.model.types import Scorer
from elision.training.evaluation.baselines import Ranker, baselines
from elision.training.evaluation.end_to_end import Shortened, keep_whole
from elision.training.evaluation.survival import Case, Method, answers, evidence, facts, survival

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
RATIOS = (0.33, 0.50)
OURS = "elision"
KINDS = ("xquad", "qmsum", "holmesgpt")


def cases(data: Path, split: str, kinds: Sequence[str]) -> Iterator[Case]:
    qa = data / "qa" / split
    if "xquad" in kinds:
        yield from answers(qa / "xquad.jsonl.gz")
    if "qmsum" in kinds:
        yield from evidence(qa / "qmsum_qa.jsonl.gz", qa / "qmsum_meetings.jsonl.gz")
    if "holmesgpt" in kinds:
        yield from facts(data / "transcripts" / split / "ops-holmesgpt.jsonl.gz")


def drawn(found: Sequence[Case], sample: int | None, seed: int) -> list[Case]:
    """So many cases of each kind, or all of them."""
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in found:
        groups[case.kind].append(case)
    dice = random.Random(seed)
    few = (dice.sample(group, min(sample or len(group), len(group))) for group in groups.values())
    return [case for group in few for case in group]


def methods(scorer: Scorer, rules: dict[str, Ranker]) -> dict[str, Method]:
    """Ours and each rule; a rule may leave as many tokens of a document as ours did."""

    @cache  # one meeting has many questions
    def ours(text: str, query: str, keep_ratio: float) -> Shortened:
        budget = Budget(keep_ratio=keep_ratio, floor_tokens=0)
        receipt = compress(text, budget, scorer=scorer, counter=counter(), query=query, asked=True).receipt
        return Shortened(tuple(drop.span for drop in receipt.dropped), receipt.tokens_after)

    def by(rule: Ranker, text: str, query: str, keep_ratio: float) -> Shortened:
        spans = [passage.span for passage in segment(text).passages]
        target = ours(text, query, keep_ratio).tokens
        return keep_whole(text, spans, rule(text, spans, query), target, counter())

    return {OURS: ours, **{name: partial(by, rule) for name, rule in rules.items()}}


def measure(found: Sequence[Case], scorer: Scorer) -> dict[str, Any]:
    """Mean share by kind, condition and method."""
    texts = list(dict.fromkeys(text for case in found for text, _ in case.documents))
    compared = methods(scorer, baselines(texts))
    report: dict[str, Any] = {}
    for ratio, with_query in product(RATIOS, (True, False)):
        shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for case, (name, method) in product(found, compared.items()):
            share = survival(case, method, ratio, with_query)
            for group in dict.fromkeys((case.kind, case.kind.split("-")[0])):
                shares[group][name].append(share)
        condition = f"@{ratio:.2f} {'with' if with_query else 'without'} query"
        report[condition] = {
            group: {name: float(np.mean(values)) for name, values in by_method.items()}
            for group, by_method in sorted(shares.items())
        }
    return report


def show(report: dict[str, Any], console: Console) -> None:
    console.print({key: value for key, value in report.items() if not key.startswith("@")})
    for condition in (key for key in report if key.startswith("@")):
        groups = report[condition]
        table = Table(condition, *next(iter(groups.values())))
        for group, shares in groups.items():
            best = max(shares.values())
            table.add_row(group, *(f"[bold]{s:.3f}[/]" if s == best else f"{s:.3f}" for s in shares.values()))
        console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--split", choices=["train", "dev"], default="dev")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument(
        "--bundle",
        type=Path,
        default=os.environ.get("ELISION_BUNDLE") or None,
        help="bundle folder [default: ELISION_BUNDLE, else the shipped one]",
    )
    parser.add_argument("--sample", type=int, help="measure only so many cases of each kind and language")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if not (args.data / "qa" / args.split).is_dir():
        parser.error(f"no questions under {args.data}")
    found = drawn(list(cases(args.data, args.split, args.kinds)), args.sample, args.seed)
    scorer = load_scorer(args.bundle)
    counted = dict(Counter(case.kind for case in found))
    report = {"bundle": scorer.bundle, "cases": counted, **measure(found, scorer)}
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        show(report, Console(width=130))
    return 0


if __name__ == "__main__":
    sys.exit(main())
