"""Rare lines and errors that survive in logs: ours against every offline peer, at equal tokens.

    .venv/bin/python scripts/bench_logs.py [--logs ../shared/data/logs/dev] [--keep-ratio 0.3] [--json]

Of the lines of each log whose template occurs once or twice, the share that still stands whole as a
line. The peers run in a venv of their own, made on first use, with no network and no memory from one log
to the next; what they gave is kept under the venv's folder. Each is taken as it comes, and at equal
tokens: one that took more than ours is cut to its head and tail, ours is asked for what the other took.
JSON documents, which ours leaves valid, are shown apart. What ours lost and a peer kept at no more tokens
is listed in runs/bench_logs. Ends with 1 if a peer has on average no lower share at equal or fewer tokens,
or ours loses an error template; logs in which some peer has the higher one are listed.
"""

import argparse
import gzip
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from elision.compaction.guard.whole_json import is_json
from elision.compaction.logs.window import compress_window
from elision.compaction.reduce.memory import Memory
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Order
from elision.model.scorer import load_scorer
from elision.model.types import Scorer, Scores, nothing
from elision.training.audits.bout_report import Outcome, figures, log_tables, mean_table, missed, verdict
from elision.training.audits.bouts import contest
from elision.training.audits.rare_lines import rows, wanted
from elision.training.audits.rivals import REFEREE, Rivals

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT.parent / "shared" / "data" / "logs" / "dev"
OUT = ROOT / "runs" / "bench_logs"
LISTED = 30


@dataclass(frozen=True, slots=True)
class Job:
    """One log with what the peers made of it."""

    name: str
    text: str
    clusters: list[int]
    outputs: dict[str, str]
    keep_ratio: float
    bundle: Path | None


class Remembering:
    """A scorer that is asked about the same text for every budget."""

    def __init__(self, scorer: Scorer) -> None:
        self.bundle, self.runner, self._scorer = scorer.bundle, scorer.runner, scorer
        self._known: dict[tuple[str, str], Scores] = {}

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        """See `elision.model.types.Scorer`."""
        if (text, query) not in self._known:
            self._known[text, query] = self._scorer.score(text, query, tick)
        return self._known[text, query]


def shortened(text: str, tokens: int, scorer: Scorer) -> str:
    """What the product makes of a log that may keep so many tokens."""
    order = Order(Budget(target_tokens=tokens, floor_tokens=0))
    return compress_window(text, order, memory=Memory(), scorer=scorer, counter=counter()).compressed.text


def work(job: Job) -> Outcome:
    scorer = Remembering(_scorer(job.bundle))
    before = counter().count(job.text)
    target = Budget(keep_ratio=job.keep_ratio).target(before)
    of = wanted(job.text, job.clusters)
    its = contest(of, target, lambda tokens: shortened(job.text, tokens, scorer), job.outputs, counter())
    unchanged = tuple(peer for peer, output in job.outputs.items() if output == job.text)
    return Outcome(job.name, is_json(job.text), before, of.rare, len(of.errors), unchanged, its)


@cache
def _scorer(bundle: Path | None) -> Scorer:
    return load_scorer(bundle)


def read(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*.log.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="") as file:
            yield path.name.removesuffix(".log.gz"), file.read()


def jobs(logs: dict[str, str], rivals: Rivals, keep_ratio: float, bundle: Path | None) -> Iterator[Job]:
    """Run every peer on every log; say what failed.

    Raises:
        ValueError: If the referee failed on one, so that none of its lines is known to be rare.
    """
    clusters = rivals.outputs(
        REFEREE, {name: "\n".join(rows(text)) for name, text in logs.items()}, keep_ratio
    )
    given = {peer: rivals.outputs(peer, logs, keep_ratio) for peer in rivals.names}
    for peer, its in given.items():
        for error, count in Counter(output.error for output in its.values() if output.error).items():
            failed = [name for name in its if its[name].error == error]
            say(f"{peer} failed on {count} logs ({', '.join(failed[:3])} ...): {error}")
    for name, text in logs.items():
        if clusters[name].error:
            raise ValueError(f"the referee {REFEREE} failed on {name}: {clusters[name].error}")
        outputs = {peer: its[name].text for peer, its in given.items() if not its[name].error}
        yield Job(name, text, json.loads(clusters[name].text), outputs, keep_ratio, bundle)


def say(what: str) -> None:
    """On stderr, so that JSON stays JSON."""
    print(what, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--logs", type=Path, default=LOGS, help="folder of *.log.gz")
    parser.add_argument("--keep-ratio", type=float, default=0.3)
    parser.add_argument("--peers-venv", type=Path, default=ROOT / "runs" / "peers", help="made on first use")
    parser.add_argument(
        "--bundle",
        type=Path,
        default=os.environ.get("ELISION_BUNDLE") or None,
        help="bundle folder [default: ELISION_BUNDLE, else the shipped one]",
    )
    parser.add_argument("--sample", type=int, help="measure only so many logs, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--json", action="store_true", help="print the means as JSON instead")
    args = parser.parse_args()
    if not 0 < args.keep_ratio <= 1:
        parser.error(f"--keep-ratio is {args.keep_ratio}, must be above 0 and at most 1")
    logs = list(read(args.logs))
    if not logs:
        parser.error(f"no *.log.gz under {args.logs}")
    if args.sample and args.sample < len(logs):
        logs = sorted(random.Random(args.seed).sample(logs, args.sample))
    here = ROOT / "scripts" / "peers"
    rivals = Rivals.installed(args.peers_venv, here / "requirements.txt", here / "run_peers.py")
    say("Peers: " + ", ".join(f"{name} {version}" for name, version in rivals.known.items()))
    for package, reason in rivals.missing.items():
        say(f"{package} cannot be installed: {reason}")
    if REFEREE not in rivals.versions:
        parser.error(f"the referee {REFEREE} is not there, so no line is known to be rare")
    try:
        todo = list(jobs(dict(logs), rivals, args.keep_ratio, args.bundle))
    except ValueError as error:
        parser.error(str(error))
    with ProcessPoolExecutor(args.jobs) as pool:
        outcomes = list(pool.map(work, todo))
    return report(outcomes, rivals.names, args.logs.name, args.json)


def report(outcomes: Sequence[Outcome], peers: Sequence[str], of: str, as_json: bool) -> int:
    """Print all there is to say, and write what is too long to print."""
    documents = [o for o in outcomes if o.is_json]
    logs = [o for o in outcomes if not o.is_json]
    holds, said = verdict(logs)
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f"missed-{of}.txt").write_text(missed(logs, LISTED), encoding="utf-8", errors="backslashreplace")
    if as_json:
        print(json.dumps(figures(logs, peers)))
        return int(not holds)
    if documents:
        print("\n## JSON documents, which ours leaves valid; no part of the claim\n")
        print(log_tables(documents, peers))
    print("\n## Logs\n")
    print(log_tables(logs, peers))
    print(mean_table(logs, peers))
    print(f"{said}\nOn average higher than every peer, and no error lost: {'yes' if holds else 'no'}.")
    return int(not holds)


if __name__ == "__main__":
    sys.exit(main())
