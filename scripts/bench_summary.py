"""A history put into words in four ways at equal tokens: what is still told, and what was made up?

    ELISION_TEST_GGUF=model.gguf .venv/bin/python scripts/bench_summary.py [--stories 20] [--json]

Facts of seven kinds are planted in the heads of dev transcripts. What goes is told by a naive prompt, by
our template without pins, with pins and checks, and by rule alone; each may have the same tokens. The LLM is
the one that --writer names, else the model file of --gguf or ELISION_TEST_GGUF, else the small one of the
tests, which knows the protocol and little else. Every reply is kept in runs/bench_summary, one JSON line
a call, so the same command goes on where it was stopped. Exit code 1 if with pins and checks a goal or a
constraint is lost or anything is made up.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path

import regex
from rich.console import Console
from rich.table import Table

from elision.compaction.compact.types import Means
from elision.compaction.prices.lookup import price_of
from elision.compaction.prices.situation import Situation
from elision.compaction.store import NoStore
from elision.compaction.summary.types import Summariser
from elision.compaction.tokens import counter
from elision.training.evaluation.lead_writer import LeadWriter
from elision.training.evaluation.planted import Kind
from elision.training.evaluation.planted_facts import facts
from elision.training.evaluation.recorded import Recorded
from elision.training.evaluation.summary_arms import Arm, Outcome, Story, outcome, story
from elision.training.evaluation.summary_report import Figures, added, figures, promises, sentence
from elision.training.transcripts.files import read_transcripts
from elision.training.transcripts.outputs import text_of
from elision.training.transcripts.types import Transcript

ROOT = Path(__file__).resolve().parents[1]
DEV = ROOT.parent / "shared" / "data" / "transcripts" / "dev"
OUT = ROOT / "runs" / "bench_summary"
STAND_IN = "stand-in"
COUNTS = {
    Kind.GOAL: 1,
    Kind.CONSTRAINT: 3,
    Kind.FILE: 2,
    Kind.NUMBER: 2,
    Kind.ERROR: 2,
    Kind.DECISION: 2,
    Kind.REJECTED: 2,
}
_LEAST_CHARS = 4_000  # of a transcript: a shorter one has no head to cut


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DEV, help="folder of transcripts, *.jsonl.gz")
    parser.add_argument("--stories", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=2400, help="of a story, its facts included")
    parser.add_argument(
        "--summary-tokens", type=int, default=600, help="of what stands for it, pins included"
    )
    parser.add_argument("--writer", help=f"'openai:MODEL@URL window=8192', or {STAND_IN}, which has no model")
    parser.add_argument(
        "--gguf", type=Path, default=os.environ.get("ELISION_TEST_GGUF") or None, help="a model to serve here"
    )
    parser.add_argument("--out", type=Path, default=OUT, help="where replies are kept")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = stories(args)
    if not found:
        parser.error(f"no transcripts of {_LEAST_CHARS:,} characters at {args.data}")
    try:
        with opened(args) as writer:
            outcomes = {arm: list(told(arm, found, args.summary_tokens, writer)) for arm in Arm}
    except RuntimeError as error:
        parser.error(str(error))
    return report(args, found, outcomes, writer.name)


def stories(args: argparse.Namespace) -> list[Story]:
    """Heads of transcripts, of every file in turn."""
    files = [long_ones(path) for path in sorted(args.data.glob("*.jsonl.gz"))]
    turns = [one for its in zip_longest(*files) for one in its if one is not None][: args.stories]
    return [
        story(one, facts(args.seed + number, COUNTS), args.tokens, counter(), args.seed + number)
        for number, one in enumerate(turns)
    ]


def long_ones(path: Path) -> list[Transcript]:
    return [
        one for one in read_transcripts(path) if sum(map(len, map(text_of, one.messages))) >= _LEAST_CHARS
    ]


@contextmanager
def opened(args: argparse.Namespace) -> Iterator[Summariser]:
    """The writer that was asked for, with its replies kept.

    Raises:
        RuntimeError: If there is no LLM.
    """
    args.out.mkdir(parents=True, exist_ok=True)
    model = args.writer or (args.gguf.stem if args.gguf else "small")
    path = args.out / f"{regex.sub(r'[^A-Za-z0-9.-]+', '-', model)}.jsonl"
    if args.writer == STAND_IN:
        yield Recorded(LeadWriter(counter(), args.summary_tokens), path)
        return
    sys.path.append(str(ROOT / "tests" / "support"))
    from bench_writers import bench_writer
    from small_llm import missing

    if not args.writer and missing():
        raise RuntimeError(f"no LLM: give --writer, or install {', '.join(missing())} (see the Makefile)")
    with bench_writer(args.writer or "", args.gguf, args.out / "server.log") as writer:
        yield Recorded(writer, path)


def told(arm: Arm, stories: list[Story], tokens: int, writer: Summariser) -> Iterator[Outcome]:
    """One way over all stories."""
    situation = Situation(price_of("claude-sonnet-4-5"), price_of("claude-haiku-4-5"))
    for number, one in enumerate(stories, 1):
        its = outcome(arm, one, tokens, Means(counter(), NoStore(), writers=[writer]), situation)
        alive = f"{len(its.alive)} of {len(one.facts)} facts in {its.tokens} tokens"
        print(f"{arm} {number}/{len(stories)} {one.id}: {its.failed or alive}", file=sys.stderr, flush=True)
        yield its


def report(
    args: argparse.Namespace, found: list[Story], outcomes: dict[Arm, list[Outcome]], writer: str
) -> int:
    by_arm = {arm: figures(found, its) for arm, its in outcomes.items()}
    by_llm, by_rule, count = added(found, outcomes[Arm.PINNED], outcomes[Arm.EXTRACTIVE])
    fell_back = sum(its.by not in ("", writer) for its in outcomes[Arm.PINNED])
    who = STAND_IN if args.writer == STAND_IN else "LLM"
    said = sentence(who, by_llm, by_rule, count, fell_back, len(found))
    broken = promises(by_arm)
    if args.json:
        whole = {"writer": writer, "arms": {arm: asdict(its) for arm, its in by_arm.items()}}
        print(json.dumps(whole | {"llm_over_extractive": said, "broken": broken}))
    else:
        show(by_arm, f"{len(found)} stories, {writer}", Console(width=150))
        print(said)
        print("; ".join(broken) or "Goals and constraints are all there with pins, and nothing is made up.")
    return int(bool(broken))


def show(by_arm: dict[Arm, Figures], title: str, console: Console) -> None:
    table = Table(title, *(kind.value for kind in Kind), "tokens", "made up", "failed", "written by")
    for arm, its in by_arm.items():
        by = ", ".join(f"{name} {count}" for name, count in its.by.items())
        shares = (f"{its.survival.get(kind.value, 0):.0%}" for kind in Kind)
        table.add_row(arm, *shares, f"{its.tokens:,.0f}", str(its.invented), str(its.failed), by)
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
