"""Audit the text path on real logs and tool outputs: does every promise hold, on every text?

    .venv/bin/python scripts/audit_text.py [--sample 20 --seed 1] [--show 5] [--json]

Every log under DATA/logs/dev, and every tool output of DATA/transcripts/dev of 1,000 tokens or
more with a query from what came before it, at keep ratio .33; `texts_with` counts those that hold
JSON, diffs, tables and so on, so that a 0 is known to be one of many. Ends with 1 when a promise
that allows no exception is broken.
"""

import argparse
import gzip
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from elision.compaction.compress import compress
from elision.compaction.guard.segment import segment
from elision.compaction.guard.whole_json import is_json
from elision.compaction.tokens import counter
from elision.compaction.types import Budget
from elision.model.scorer import load_scorer
from elision.model.types import Scorer
from elision.training.audits.audit import EXCEPTIONS_ALLOWED, Check, Finding, audit
from elision.training.transcripts.outputs import tool_outputs

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LONG = 1000  # tokens of a tool output worth auditing
MET = 0.90  # share of texts whose target must be met


@dataclass(frozen=True, slots=True)
class Job:
    """One text to audit."""

    name: str
    text: str
    query: str
    bundle: Path | None
    keep_ratio: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    name: str
    before: int
    after: int
    target: int
    reason: str
    kinds: frozenset[str]
    drops: dict[str, int]
    findings: list[Finding]


def jobs(data: Path, bundle: Path | None, keep_ratio: float, min_tokens: int) -> Iterator[Job]:
    for path in sorted((data / "logs" / "dev").glob("*.log.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="") as file:
            yield Job(path.name.removesuffix(".log.gz"), file.read(), "", bundle, keep_ratio)
    for output in tool_outputs(data / "transcripts" / "dev"):
        if counter().count(output.text) >= min_tokens:
            yield Job(output.name, output.text, output.query, bundle, keep_ratio)


def work(job: Job) -> Outcome:
    budget = Budget(keep_ratio=job.keep_ratio)
    result = compress(job.text, budget, scorer=_scorer(job.bundle), counter=counter(), query=job.query)
    receipt = result.receipt
    drops = dict(Counter(drop.reason for drop in receipt.dropped))
    findings = audit(job.text, result, counter())
    return Outcome(
        job.name,
        receipt.tokens_before,
        receipt.tokens_after,
        receipt.target_tokens,
        receipt.reason,
        kinds(job.text),
        drops,
        findings,
    )


def kinds(text: str) -> frozenset[str]:
    """What a text holds; JSON only where all of it is."""
    if is_json(text):
        return frozenset({"whole json"})
    return frozenset(kind.value for kind in segment(text).kinds)


@cache
def _scorer(bundle: Path | None) -> Scorer:
    return load_scorer(bundle)


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """Counts over all texts; `target_met_if_touched` leaves out those given back whole with a reason."""
    counts = Counter(finding.check for outcome in outcomes for finding in outcome.findings)
    touched = [o for o in outcomes if o.after < o.before or not o.reason]

    def met(some: list[Outcome]) -> float:
        missed = sum(any(f.check is Check.TARGET for f in o.findings) for o in some)
        return round(1 - missed / len(some), 4) if some else 1.0

    drops: Counter[str] = Counter()
    for outcome in outcomes:
        drops.update(outcome.drops)
    return {
        "texts": len(outcomes),
        "tokens_before": sum(o.before for o in outcomes),
        "tokens_after": sum(o.after for o in outcomes),
        "target_met": met(outcomes),
        "target_met_if_touched": met(touched),
        "under_90_percent_of_target": sum(o.after < 0.9 * o.target for o in touched),
        **{check.value: counts[check] for check in Check if check is not Check.TARGET},
        "texts_with": dict(Counter(kind for o in outcomes for kind in sorted(o.kinds))),
        "reasons": dict(Counter(o.reason or "-" for o in outcomes)),
        "drop_reasons": dict(drops),
    }


def show(outcomes: list[Outcome], most: int, console: Console) -> None:
    for check in Check:
        guilty = [(o.name, f.detail) for o in outcomes for f in o.findings if f.check is check]
        for name, detail in guilty[:most]:
            console.print(f"[bold]{check.value}[/] {name}:", end=" ")
            console.print(repr(detail), markup=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument(
        "--bundle",
        type=Path,
        default=os.environ.get("ELISION_BUNDLE") or None,
        help="bundle folder [default: ELISION_BUNDLE, else the shipped one]",
    )
    parser.add_argument("--keep-ratio", type=float, default=0.33)
    parser.add_argument("--min-tokens", type=int, default=LONG, help="of a tool output")
    parser.add_argument("--sample", type=int, help="audit only so many texts, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--show", type=int, default=3, help="offenders to list per check")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    todo = list(jobs(args.data, args.bundle, args.keep_ratio, args.min_tokens))
    if not todo:
        parser.error(f"no logs and no tool outputs under {args.data}")
    if args.sample and args.sample < len(todo):
        todo = random.Random(args.seed).sample(todo, args.sample)
    with ProcessPoolExecutor(args.jobs) as pool:
        outcomes = list(pool.map(work, todo))
    figures = summary(outcomes)
    console = Console(stderr=args.json)
    show(outcomes, args.show, console)
    if args.json:
        print(json.dumps(figures, indent=2))
    else:
        table = Table("check", "texts or cases", title=f"keep ratio {args.keep_ratio}", title_justify="left")
        for key, value in figures.items():
            table.add_row(key, str(value))
        console.print(table)
    broken = sum(figures[check.value] for check in Check if check not in EXCEPTIONS_ALLOWED)
    return int(broken > 0 or figures["target_met"] < MET)


if __name__ == "__main__":
    sys.exit(main())
