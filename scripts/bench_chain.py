"""Thirty compactions in a row over a growing real history: what is still told, by every policy?

    .venv/bin/python scripts/bench_chain.py [--window 32000] [--passes 30] [--target 8000] [--json]

Facts of seven kinds are planted in the first messages of dev transcripts, which follow one another. Before
each pass the history grows until the policy would act, by a quarter of the window at least; then it is
compacted, the last pass's view being the next one's beginning. Shown are the share of the facts that the
view still tells after 1, 3, 10 and 30 passes, its tokens, and what the writer took. All policies have the
same writer. Unless --writer or --gguf names a real LLM it is a stand-in with no model in it: it quotes
part of what it reads, in few tokens, and forgets the rest. With --target all policies come down to the
same number of tokens; else each goes by its own rules. Exit code 1 if ours is not at least as good as the
best other on constraints, goals and files at equal or fewer tokens.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from elision.compaction.compact.measure import Window
from elision.compaction.compact.types import Means
from elision.compaction.policies.load import load, names
from elision.compaction.prices.lookup import price_of
from elision.compaction.prices.price import cost
from elision.compaction.prices.situation import Situation
from elision.compaction.store import NoStore
from elision.compaction.summary.types import Summariser
from elision.compaction.tokens import counter
from elision.training.evaluation.chain import Counted, Pass, Setting, chain, stream
from elision.training.evaluation.chain_report import AFTER, OURS, Row, row, verdict
from elision.training.evaluation.lead_writer import LeadWriter
from elision.training.evaluation.planted import Fact, Kind
from elision.training.evaluation.planted_facts import facts
from elision.training.transcripts.files import read_transcripts
from elision.training.transcripts.types import Transcript

ROOT = Path(__file__).resolve().parents[1]
DEV = ROOT.parent / "shared" / "data" / "transcripts" / "dev"
STAND_IN = "stand-in"
_STRIDE = 5  # transcripts between the beginnings of two chains
_LATER = (Kind.CONSTRAINT, Kind.FILE, Kind.NUMBER, Kind.ERROR, Kind.DECISION, Kind.REJECTED)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DEV, help="folder of transcripts, *.jsonl.gz")
    parser.add_argument("--policies", nargs="+", default=names(), metavar="POLICY")
    parser.add_argument("--passes", type=int, default=30)
    parser.add_argument("--chains", type=int, default=1, help="chains that begin at other transcripts")
    parser.add_argument("--window", type=int, default=32_000, help="tokens of the reader's window")
    parser.add_argument("--max-output", type=int, default=4096)
    parser.add_argument("--target", type=int, help="tokens that every policy has to come down to")
    parser.add_argument("--per-pass", type=int, default=0, help="facts planted before each further pass")
    parser.add_argument(
        "--writer", default=STAND_IN, help="'openai:MODEL@URL window=8192' [default: a stand-in]"
    )
    parser.add_argument("--gguf", type=Path, help="serve this model with llama.cpp's server and ask it")
    parser.add_argument("--writer-tokens", type=int, default=400, help="tokens that the stand-in writes")
    parser.add_argument("--reader", default="claude-sonnet-4-5", help="whose prices and cache rules count")
    parser.add_argument("--summariser", default="claude-haiku-4-5", help="what the stand-in is priced as")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    transcripts = read(args.data)
    if not transcripts:
        parser.error(f"no transcripts at {args.data}")
    with ExitStack() as stack:
        writer = opened(args, stack)
        rows = {name: measured(name, args, transcripts, writer) for name in args.policies}
    held, said = verdict(rows) if OURS in rows else (True, f"{OURS} is not among the policies")
    if args.json:
        print(
            json.dumps(
                {"writer": writer.name, "policies": {n: asdict(r) for n, r in rows.items()}, "verdict": said}
            )
        )
    else:
        show(rows, Console(width=150))
        print(f"At least as good as the best other on constraints, goals and files? {said}")
    return int(not held)


def read(folder: Path) -> list[Transcript]:
    """All transcripts, those of coding agents first, since they are the long ones."""
    files = sorted(
        folder.glob("*.jsonl.gz"), key=lambda path: (not path.name.startswith("coding"), path.name)
    )
    return [transcript for path in files for transcript in read_transcripts(path)]


def opened(args: argparse.Namespace, stack: ExitStack) -> Summariser:
    """The writer that was asked for; closed with the stack."""
    if args.gguf is None and args.writer == STAND_IN:
        return LeadWriter(counter(), args.writer_tokens)
    sys.path.append(str(ROOT / "tests" / "support"))
    from bench_writers import bench_writer

    log = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "server.log"
    return stack.enter_context(bench_writer("" if args.gguf else args.writer, args.gguf, log))


def measured(
    name: str, args: argparse.Namespace, transcripts: Sequence[Transcript], writer: Summariser
) -> Row:
    """All chains of one policy."""
    window = Window(args.window, args.max_output)
    counted = Counted(writer)
    chains = [list(passes(name, number, args, window, transcripts, counted)) for number in range(args.chains)]
    found = row(chains, counted, window.usable)
    price = price_of(args.summariser)
    dollars = cost(price, counted.input_tokens, output_tokens=counted.output_tokens)
    return found if found.cost else replace(found, cost=dollars)


def passes(
    name: str,
    number: int,
    args: argparse.Namespace,
    window: Window,
    transcripts: Sequence[Transcript],
    writer: Summariser,
) -> Iterator[Pass]:
    """One chain of one policy."""
    start = number * _STRIDE % len(transcripts)
    situation = Situation(price_of(args.reader), price_of(args.summariser))
    seed = args.seed + number
    setting = Setting(
        window, args.passes, window.tokens // 4, window.tokens // 4, situation, args.target, seed
    )
    for one in chain(
        stream([*transcripts[start:], *transcripts[:start]]),
        facts(seed),
        load(name),
        setting,
        Means(counter(), NoStore(), writers=[writer]),
        later(args.per_pass, args.passes, seed),
    ):
        print(
            f"{name} {number + 1}: pass {one.number} {one.decision}, {one.before:,} -> {one.after:,}",
            file=sys.stderr,
        )
        yield one


def later(each: int, passes: int, seed: int) -> list[list[Fact]]:
    """Facts for every pass after the first, of all kinds but goals in turn."""
    pool = facts(seed + 1_000, dict.fromkeys(_LATER, -(-each * passes // len(_LATER))))
    turns = sorted(pool, key=lambda fact: int(fact.id.rpartition("-")[2]))
    sets = [turns[at : at + each] for at in range(0, each * (passes - 1), each)] if each else []
    return [[replace(fact, id=f"later/{fact.id}") for fact in its] for its in sets]


def show(rows: dict[str, Row], console: Console) -> None:
    marks = [mark for mark in AFTER if any(mark in row.after for row in rows.values())]
    table = Table("alive after " + ", ".join(map(str, marks)), *(kind.value for kind in Kind))
    for name, its in rows.items():
        table.add_row(name, *(shares(its.survival[kind.value], marks) for kind in Kind))
    console.print(table)
    heads = ("tokens", *(f"after {mark}" for mark in marks), "passes", "compacted", "pins too large", "over", "invalid", "calls", "in", "out", "cost")  # fmt: skip
    table = Table("view and writer", *heads)
    for name, its in rows.items():
        after = (f"{its.after.get(mark, 0):,}" for mark in marks)
        counts = (its.passes, its.compacted, its.failed, its.over, its.invalid, its.calls, its.input_tokens, its.output_tokens)  # fmt: skip
        table.add_row(
            name, f"{its.tokens:,.0f}", *after, *(f"{count:,}" for count in counts), f"${its.cost:.3f}"
        )
    console.print(table)


def shares(by_mark: dict[int, float], marks: Sequence[int]) -> str:
    return " ".join(f"{by_mark[mark]:4.0%}" if mark in by_mark else "   -" for mark in marks)


if __name__ == "__main__":
    sys.exit(main())
