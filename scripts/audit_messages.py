"""Audit the message path on real transcripts, in every wire format: does every promise hold?

    .venv/bin/python scripts/audit_messages.py [--split dev] [--sample 200 --seed 1] [--json]

Each transcript is written as a request body of each format. At keep ratio 1 the bytes must come back;
at .4 the body stays valid, has the same shape, differs in tool results only, and is for several k the
continuation of what its first k messages alone became, with a cold and with a warm store. The scorer
is a stand-in that needs no model, unless --bundle or --real-scorer is given. Ends with 1 on any
failure.
"""

import argparse
import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import regex
from rich.console import Console
from rich.table import Table

from elision.compaction.compress import compress
from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts import last_signed, validate
from elision.compaction.decisions import Shorten
from elision.compaction.formats.read import read
from elision.compaction.messages import compress_messages
from elision.compaction.policy import Policy
from elision.compaction.store import Store
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Compressed, Order
from elision.model.scorer import load_scorer
from elision.model.types import Scorer
from elision.serving.stores.sqlite import MemoryStores
from elision.serving.stores.types import Limits
from elision.training.audits.convert import convert
from elision.training.audits.message_audit import Check, Outcome, Pass, Passed, audit_request
from elision.training.audits.stand_in import StandIn

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FLOOR = 50  # tokens: lower than the product's, so that more leaves are touched


@dataclass(frozen=True, slots=True)
class Job:
    """One transcript to audit, and how."""

    row: dict[str, Any]
    formats: tuple[Format, ...]
    keep_ratio: float
    ends: int
    seed: int
    real: bool
    bundle: Path | None


def jobs(args: argparse.Namespace) -> list[Job]:
    formats = tuple(Format(name) for name in args.formats)
    splits = ("train", "dev") if args.split == "all" else (args.split,)
    paths = [path for split in splits for path in sorted((args.data / "transcripts" / split).glob("*.jsonl.gz"))]
    rows = [json.loads(line) for path in paths for line in gzip.open(path, "rt", encoding="utf-8")]
    if args.sample and args.sample < len(rows):
        rows = random.Random(args.seed).sample(rows, args.sample)
    real = args.real_scorer or args.bundle is not None
    return [Job(row, formats, args.keep_ratio, args.ends, args.seed, real, args.bundle) for row in rows]


def work(job: Job) -> dict[Format, Outcome]:
    shorten = remembering(_scorer(job.real, job.bundle))
    return {format: audited(job, format, shorten) for format in job.formats}


def audited(job: Job, format: Format, shorten: Shorten) -> Outcome:
    name = job.row["id"]
    request = convert(job.row["messages"], format, tools=job.row.get("tools", ()), seed=name)
    dice = random.Random(f"{job.seed} {name}")
    ends = dice.sample(request.ends, min(job.ends, len(request.ends)))
    stores, tenants = MemoryStores(Limits(ttl_seconds=3600, max_bytes=10**9)), count()

    def fresh(keep_ratio: float) -> Pass:
        return passing(format, keep_ratio, stores.scope(str(next(tenants)), name), shorten)

    return audit_request(
        request,
        ends,
        fresh=lambda: fresh(job.keep_ratio),
        untouched=fresh(1.0),
        bound=last_signed(read(request.body(), format)) >= 0,
    )


def passing(format: Format, keep_ratio: float, store: Store, shorten: Shorten) -> Pass:
    """The message path at one ratio, over one store."""
    policy = Policy(Budget(keep_ratio=keep_ratio, floor_tokens=FLOOR))

    def run(raw: str) -> Passed:
        conversation = read(raw, format)
        done = compress_messages(
            conversation, policy, shorten=shorten, store=store, counter=counter(), made_by="audit"
        )
        problems = _new_problems(conversation, read(done.raw, format))
        return Passed(done.raw, done.before.total, done.after.total, problems)

    return run


def remembering(scorer: Scorer) -> Shorten:
    """The text path, each text and order once: the same leaf comes by in every format and every cut.

    That its outcome depends on nothing else is what the laws of the text path are for.
    """

    @cache
    def once(text: str, budget: Budget, query: str, pins: "tuple[regex.Pattern[str], ...]") -> Compressed:
        return compress(text, budget, scorer=scorer, counter=counter(), query=query, pins=pins)

    def shorten(text: str, order: Order) -> Compressed:
        return once(text, order.budget, order.query, tuple(order.pins))

    return shorten


def _new_problems(before: Conversation, after: Conversation) -> tuple[str, ...]:
    known = {(problem.pointer, problem.rule) for problem in validate(before)}
    new = (problem for problem in validate(after) if (problem.pointer, problem.rule) not in known)
    return tuple(f"{problem.pointer}: {problem.rule}" for problem in new)


@cache
def _scorer(real: bool, bundle: Path | None) -> Scorer:
    return load_scorer(bundle) if real else StandIn()


def summary(found: list[tuple[str, dict[Format, Outcome]]]) -> dict[str, Any]:
    """Counts over all transcripts, per format and of each check."""
    every = [outcome for _, outcomes in found for outcome in outcomes.values()]
    failed = Counter(finding.check for outcome in every for finding in outcome.findings)
    repairs: Counter[str] = sum((outcome.repairs for outcome in every), Counter())
    return {
        "transcripts": len(found),
        "formats": {
            format.value: _sums([outcomes[format] for _, outcomes in found if format in outcomes])
            for format in Format
            if any(format in outcomes for _, outcomes in found)
        },
        "repairs": dict(repairs),
        "failures": {check.value: failed[check] for check in Check},
    }


def _sums(outcomes: list[Outcome]) -> dict[str, int]:
    return {
        "messages": sum(outcome.messages for outcome in outcomes),
        "result texts": sum(outcome.results for outcome in outcomes),
        "leaves touched": sum(outcome.touched for outcome in outcomes),
        "tokens before": sum(outcome.before for outcome in outcomes),
        "tokens after": sum(outcome.after for outcome in outcomes),
        "shorter requests": sum(outcome.ends for outcome in outcomes),
        "bound by signatures": sum(outcome.bound for outcome in outcomes),
        "failures": sum(len(outcome.findings) for outcome in outcomes),
    }


def failures(found: list[tuple[str, dict[Format, Outcome]]]) -> Iterator[str]:
    for name, outcomes in found:
        for format, outcome in outcomes.items():
            for finding in outcome.findings:
                k = f"k={finding.end or 'all'}"
                yield f"{name} {format.value} {k}: {finding.check.value}: {finding.detail}"


def show(figures: dict[str, Any], console: Console) -> None:
    rows = list(next(iter(figures["formats"].values())))
    table = Table("", *figures["formats"], title=f"{figures['transcripts']} transcripts, {figures['scorer']}")
    for row in rows:
        table.add_row(row, *(f"{sums[row]:,}" for sums in figures["formats"].values()))
    console.print(table)
    for name in ("repairs", "failures"):
        console.print(name, figures[name])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--split", choices=["train", "dev", "all"], default="all")
    names = [format.value for format in Format if format is not Format.TEXT]
    parser.add_argument("--formats", nargs="+", choices=names, default=names)
    parser.add_argument("--keep-ratio", type=float, default=0.4)
    parser.add_argument("--ends", type=int, default=3, help="beginnings of each request to compare")
    parser.add_argument("--sample", type=int, help="audit only so many transcripts, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--real-scorer", action="store_true", help="score with the shipped bundle")
    parser.add_argument("--bundle", type=Path, help="score with this bundle")
    parser.add_argument("--show", type=int, default=20, help="failures to list")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    todo = jobs(args)
    if not todo:
        parser.error(f"no transcripts under {args.data}")
    with ProcessPoolExecutor(args.jobs) as pool:
        found = list(zip([job.row["id"] for job in todo], pool.map(work, todo), strict=True))
    scorer = _scorer(todo[0].real, args.bundle)
    figures = {"scorer": f"{scorer.bundle} on {scorer.runner}", **summary(found)}
    broken = list(failures(found))
    for line in broken[: args.show]:
        print(line, file=sys.stderr)
    if args.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures, Console(width=130))
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
