"""A simulated team: learn from one of two recorded sessions, and ask of the other whether it helped.

    .venv/bin/python scripts/simulated_team.py [--train-on 1] [--write docs/fine-tune.md]

The dev transcripts hold two long sessions of one repository, each in parts cut at user turns. One is
labelled from hindsight and learnt from, beside judged labels against forgetting. Measured are the other
one's next-action support at keep ratio .33 and the ranking of judged lines of all other sources, tuned
against the bundle that it began with. Each step's result stays under --out, and the same command goes on
where it stopped. Exit code 1 if the promise does not hold: support up by an interval above 0, no more
than 0.005 of line_auc_ge2 lost, 60 minutes in all.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from elision.compaction.tokens import counter
from elision.model.bundle import load_bundle
from elision.model.errors import ElisionError
from elision.model.scorer import load_scorer
from elision.training.action_support import Cases, cases, shortened
from elision.training.against import read_rows
from elision.training.compare import Comparison, compare, compare_values
from elision.training.errors import BadConfig, BadTranscript
from elision.training.labels.hindsight import Settings, label_transcripts
from elision.training.labels.rows import HINDSIGHT, write_labels
from elision.training.measured import Once, measure_scorer
from elision.training.next_action import supported
from elision.training.transcripts.files import read_transcripts, write_transcripts
from elision.training.transcripts.outputs import outputs_of
from elision.training.transcripts.types import Transcript

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
BEGIN, END = "<!-- simulated team: written by scripts/simulated_team.py -->", "<!-- /simulated team -->"
RATIO, FIGURE = 0.33, "line_auc_ge2"
LARGEST_LOSS, LONGEST = 0.005, 60.0  # of FIGURE, in minutes
STEPS = ("label", "train", "export", "support", "rank")
TEAM = Settings()  # those of `elision label`: what is measured here a stranger can do


@dataclass(frozen=True, slots=True)
class Asked:
    """What is run. Kept beside the results, which are good for nothing else.

    Attributes:
        learnt: Session that is learnt from.
        held: Session that support is measured on.
        bundle: Identity of the bundle that it begins with.
        passes, replay_share, learning_rate, mean_with_init: See `TrainConfig`.
        weight: What hindsight counts for beside the judged labels.
        chunks: Most chunks learnt from; 0 for all.
        hindsight: How they are labelled.
    """

    learnt: str
    held: str
    bundle: str
    passes: int
    replay_share: float
    learning_rate: float
    mean_with_init: bool
    weight: float
    chunks: int
    hindsight: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Files:
    """Where things are: the sessions, judged labels to replay and to measure on, the bundle, the results."""

    sessions: Path
    replay: Path
    judged: Path
    bundle: Path
    out: Path


class Clock:
    """Minutes of a step, over all attempts at it; what a killed one spent since `keep` is lost."""

    def __init__(self, file: Path) -> None:
        self.file, self.began = file, time.perf_counter()
        self.before = json.loads(file.read_text()) if file.is_file() else 0.0

    def keep(self) -> None:
        self.file.write_text(json.dumps(self.before + (time.perf_counter() - self.began) / 60))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--train-on", type=int, choices=(1, 2), help="session [default: each in turn]")
    parser.add_argument("--bundle", type=Path, help="where it begins [default: the shipped one]")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "team")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--replay-share", type=float, default=0.5)
    parser.add_argument("--rate", type=float, default=5e-5, help="peak of the learning rate")
    parser.add_argument("--weight", type=float, default=1.0, help="of hindsight beside judged labels")
    parser.add_argument("--mean", action="store_true", help="export the mean with the bundle it begins with")
    parser.add_argument("--chunks", type=int, default=0, help="learn from so many at most, for a try")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into a page, between its marks")
    args = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch loads: a busy core must not spin
    sessions = args.data / "transcripts" / "dev" / "coding-pi-mono.jsonl.gz"
    labels = args.data / "labels"
    try:
        if args.write and BEGIN not in args.write.read_text(encoding="utf-8"):
            parser.error(f"{args.write}: has no {BEGIN}")
        bundle = load_bundle(args.bundle)
        names = list(of_sessions(sessions))
        if len(names) != 2:
            parser.error(f"{sessions}: holds {len(names)} sessions, two are needed")
        columns = []
        for number in [args.train_on] if args.train_on else [1, 2]:
            files = Files(sessions, labels / "train.jsonl.gz", labels / "dev.jsonl.gz", bundle.path, args.out / str(number))
            learnt, held = names[number - 1], names[2 - number]
            asked = Asked(
                learnt, held, bundle.identity, args.passes, args.replay_share, args.rate, args.mean, args.weight, args.chunks, asdict(TEAM)
            )  # fmt: skip
            columns.append((asked, run(asked, files)))
    except (ElisionError, OSError) as error:
        parser.error(str(error))
    text = "\n".join(table(columns))
    print(text)
    if args.write:
        before, _, rest = args.write.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        args.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    return 0 if all(all(promises(found).values()) for _, found in columns) else 1


def of_sessions(path: Path) -> dict[str, list[Transcript]]:
    """The parts of each session: their ids end in ``-NUMBER``."""
    found: dict[str, list[Transcript]] = {}
    for part in read_transcripts(path):
        found.setdefault(part.id.rpartition("-")[0], []).append(part)
    return found


def run(asked: Asked, files: Files) -> dict[str, Any]:
    """Every step that is not done yet; returns what each found, and its minutes.

    Raises:
        BadConfig: If the folder holds results of something else.
    """
    files.out.mkdir(parents=True, exist_ok=True)
    mark, said = files.out / "asked.json", json.dumps(asdict(asked), indent=2) + "\n"
    if mark.is_file() and mark.read_text() != said:
        raise BadConfig(f"{files.out}: holds results of another bundle or other settings ({mark}); give another --out")
    mark.write_text(said)
    steps: dict[str, Callable[[Asked, Files, Clock], Any]] = dict(zip(STEPS, (label, tune, export, support, rank), strict=True))
    found = {name: _kept(name, step, asked, files) for name, step in steps.items()}
    return found | {"minutes": {name: Clock(files.out / f"{name}.minutes").before for name in STEPS}}


def _kept(name: str, step: Callable[[Asked, Files, Clock], Any], asked: Asked, files: Files) -> Any:
    done = files.out / f"{name}.json"
    if not done.is_file():
        print(f"{asked.learnt}: {name}", file=sys.stderr, flush=True)
        clock = Clock(files.out / f"{name}.minutes")
        try:
            found = step(asked, files, clock)
        finally:
            clock.keep()
        partial = done.with_name(f"{done.name}.partial")
        partial.write_text(json.dumps(found, indent=2) + "\n")
        os.replace(partial, done)
    return json.loads(done.read_text())


def label(asked: Asked, files: Files, clock: Clock) -> dict[str, Any]:
    """Hindsight labels of the session that is learnt from, as `elision label` makes them."""
    with tempfile.TemporaryDirectory() as scratch:
        parts = Path(scratch) / "session.jsonl.gz"
        write_transcripts(parts, of_sessions(files.sessions)[asked.learnt])
        rows = label_transcripts([parts], TEAM)
    rows = rows[: asked.chunks or None]
    write_labels(files.out / "labels.jsonl.gz", rows)
    return {"chunks": len(rows), "levels": Counter(line.level for row in rows for line in row.lines)}


def tune(asked: Asked, files: Files, clock: Clock) -> dict[str, Any]:
    """The run that `elision train --data ... --replay ...` makes of the same numbers."""
    from elision.serving.commands.learning import _FINE_TUNE
    from elision.training.config import read_back
    from elision.training.loop import train

    def log(line: str) -> None:
        clock.keep()
        print(line, file=sys.stderr, flush=True)

    config = read_back(
        {
            **_FINE_TUNE,
            "name": f"team-{asked.learnt}",
            "labels": [str(files.out / "labels.jsonl.gz")],
            "replay": [str(files.replay)],
            "init": str(files.bundle),
            "out": str(files.out / "run"),
            "passes": asked.passes,
            "replay_share": asked.replay_share,
            "learning_rate": asked.learning_rate,
            "weights": {HINDSIGHT: asked.weight},
            "mean_with_init": asked.mean_with_init,
        }
    )
    return {"best": str(train(config, log=log))}


def export(asked: Asked, files: Files, clock: Clock) -> dict[str, Any]:
    """The bundle as it would ship: what is measured is stored in 4 and 8 bits."""
    from elision.training.export import export as write

    write(files.out / "run", files.out / "bundle")
    return {"bundle": load_bundle(files.out / "bundle").identity}


def support(asked: Asked, files: Files, clock: Clock) -> list[Any]:
    """Next-action support on the other session, and the tokens left: tuned against before.

    Parts are drawn, as `elision evaluate` draws transcripts: outputs of one part share what the user asked
    for. How it looks if the outputs themselves are drawn is told beside it.
    """
    found = cases(output for part in of_sessions(files.sessions)[asked.held] for output in outputs_of(part))
    if not found.used:
        raise BadTranscript(f"{files.sessions}: of no output of {asked.held} did the agent use anything next")
    parts = [output.transcript for output, _ in found.used]
    outputs = [output.name for output, _ in found.used]
    tuned, tokens = shares(found, files.out / "bundle")
    before, spent = shares(found, files.bundle)
    figure = f"next_action@{RATIO:.2f}"
    return [
        [len(set(parts)), asdict(compare_values(figure, asked.bundle, tuned, before, parts))],
        [len(outputs), asdict(compare_values(figure, asked.bundle, tuned, before, outputs))],
        [len(set(parts)), asdict(compare_values(f"next_action_tokens@{RATIO:.2f}", asked.bundle, tokens, spent, parts))],
    ]


def shares(found: Cases, bundle: Path) -> tuple[Any, Any]:
    """Of each output the share of what was used that a bundle leaves, and the share of its tokens."""
    scorer = Once(load_scorer(bundle, threads=os.cpu_count() or 1))
    left = [(output, wanted, *shortened(output, RATIO, scorer)) for output, wanted in found.used]
    there = [len(supported(wanted, text)) / len(wanted) for _, wanted, text, _ in left]
    return np.array(there), np.array([tokens / counter().count(output.text) for output, _, _, tokens in left])


def rank(asked: Asked, files: Files, clock: Clock) -> list[Any]:
    """Judged dev lines of all other sources: tuned against before, drawing documents."""
    rows = read_rows(files.judged, (files.sessions.name.partition(".")[0],))
    threads = os.cpu_count() or 1
    tuned, before = (measure_scorer(rows, load_scorer(path, threads)) for path in (files.out / "bundle", files.bundle))
    docs = [row.doc for row in rows]
    return [[len(set(docs)), asdict(one)] for one in compare(tuned, [before], docs, figures=(FIGURE, "essential@0.33", "word_auc"))]


def promises(found: Mapping[str, Any]) -> dict[str, bool]:
    """What issue 5 asks of one direction, and whether it is so."""
    lift, loss = _compared(found["support"][0][1]), _compared(found["rank"][0][1])
    return {
        "support up, interval above 0": bool(lift.interval and lift.interval[0] > 0),
        f"at most {LARGEST_LOSS} of `{FIGURE}` lost": loss.difference >= -LARGEST_LOSS,
        f"at most {LONGEST:.0f} minutes": sum(found["minutes"].values()) <= LONGEST,
    }


def table(columns: Sequence[tuple[Asked, Mapping[str, Any]]]) -> Iterator[str]:
    """Markdown: a column for each direction."""
    cells: dict[str, list[str]] = {}
    for asked, found in columns:
        for name, cell in _rows(asked, found):
            cells.setdefault(name, []).append(cell)
    yield f"| | {' | '.join(f'learnt from `{asked.learnt}`' for asked, _ in columns)} |"
    yield f"| --- |{' --- |' * len(columns)}"
    for name, its in cells.items():
        yield f"| {name} | {' | '.join(its)} |"


def _rows(asked: Asked, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "measured on", f"`{asked.held}`"
    numbers = f"{asked.passes}, {asked.learning_rate:g}, {asked.replay_share:g}, {asked.weight:g}"
    yield "passes, rate, share replayed, weight", numbers + (", mean with the start" if asked.mean_with_init else "")
    yield "began with", f"`{asked.bundle}`"
    yield "chunks labelled from hindsight", f"{found['label']['chunks']}"
    drawn = ("parts", "outputs", "parts")
    for (count, one), what in zip(found["support"], drawn, strict=True):
        figure = "share of the tokens left" if "tokens" in one["figure"] else f"next-action support at {RATIO:.2f}"
        yield f"{figure}, drawing {what}", _cell(_compared(one), count)
    for count, one in found["rank"]:
        yield f"`{one['figure']}` of judged lines elsewhere, drawing documents", _cell(_compared(one), count)
    minutes = found["minutes"]
    yield f"minutes: {', '.join(STEPS)}", ", ".join(f"{minutes[name]:.1f}" for name in STEPS)
    yield "minutes in all", f"{sum(minutes.values()):.0f}"
    yield from ((name, "yes" if held else "**no**") for name, held in promises(found).items())


def _cell(one: Comparison, count: int) -> str:
    within = " ({:+.3f} to {:+.3f}; {})".format(*one.interval, count) if one.interval else ""
    return f"{one.theirs:.3f} → {one.ours:.3f}, {one.difference:+.3f}{within}"


def _compared(raw: Mapping[str, Any]) -> Comparison:
    return Comparison(**{**raw, "interval": tuple(raw["interval"]) if raw["interval"] else None})


if __name__ == "__main__":
    sys.exit(main())
