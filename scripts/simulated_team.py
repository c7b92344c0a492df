"""A simulated team: learn from one of two recorded sessions, and ask of the other whether it helped.

    .venv/bin/python scripts/simulated_team.py [--train-on 1] [--write docs/fine-tune.md]

The dev transcripts hold two long sessions of one repository, each in parts cut at user turns. One is
labelled from hindsight and learnt from by the line head; with --passes by the network too, and with
--replay-share beside judged labels against forgetting. Measured are the other
one's next-action support at keep ratio .33 and the ranking of judged lines of all other sources, tuned
against the bundle that it began with. Each step's result stays under --out, and the same command goes on
where it stopped. Exit code 1 if the promise does not hold: support up by an interval above 0, no more
than 0.005 of line_auc_ge2 lost, 60 minutes in all.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from elision.compaction.tokens import counter
from elision.model.bundle import load_bundle
from elision.model.errors import ElisionError
from elision.model.scorer import load_scorer
from elision.training.errors import BadConfig, BadTranscript
from elision.training.evaluation.action_support import Cases, cases, shortened
from elision.training.evaluation.against import read_rows
from elision.training.evaluation.compare import compare, compare_values
from elision.training.evaluation.measured import Once, measure_scorer
from elision.training.evaluation.next_action import supported
from elision.training.labels.evidence import Settings
from elision.training.labels.hindsight import label_transcripts
from elision.training.labels.rows import HINDSIGHT, write_labels
from elision.training.passages import rewritten
from elision.training.steps import Clock, take
from elision.training.team import FIGURE, RATIO, Asked, by_session, promises, table
from elision.training.transcripts.files import read_transcripts, write_transcripts
from elision.training.transcripts.outputs import NEXT, outputs_of
from elision.training.transcripts.types import Transcript

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
BEGIN, END = "<!-- simulated team: written by scripts/simulated_team.py -->", "<!-- /simulated team -->"

# Next-action support looks at the agent's next five texts and calls, and asks for what only this output had
# told it. So hindsight looks as far, and a use of what was known before counts nothing.
HORIZON, KNOWN = NEXT, 0.0
PER_TEXT = 8  # chunks of a text: one session has few texts
TEAM = Settings(horizon=HORIZON, known=KNOWN, per_text=PER_TEXT)


@dataclass(frozen=True, slots=True)
class Files:
    """Where things are: the sessions, judged labels to replay and to measure on, the bundle, the results."""

    sessions: Path
    replay: Path
    judged: Path
    bundle: Path
    out: Path


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--train-on", type=int, choices=(1, 2), help="session [default: each in turn]")
    parser.add_argument("--bundle", type=Path, help="where it begins [default: the shipped one]")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "team")
    parser.add_argument("--passes", type=int, default=0, help="of the network; 0: the line head alone learns")
    parser.add_argument("--replay-share", type=float, default=0.0)
    parser.add_argument("--rate", type=float, default=5e-5, help="peak of the learning rate")
    parser.add_argument("--weight", type=float, default=1.0, help="of hindsight beside judged labels")
    parser.add_argument("--mean", action="store_true", help="export the mean with the bundle it begins with")
    parser.add_argument("--chunks", type=int, default=0, help="learn from so many at most, for a try")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into a page, between its marks")
    args = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch loads: a busy core must not spin
    try:
        if args.write:
            _put(args.write, "")  # better now than after an hour
        columns = [(asked, run(asked, files)) for asked, files in directions(args)]
        text = "\n".join(table(columns))
        print(text)
        if args.write:
            args.write.write_text(_put(args.write, text), encoding="utf-8")
    except (ElisionError, OSError) as error:
        parser.error(str(error))
    return 0 if all(all(promises(found).values()) for _, found in columns) else 1


def directions(args: argparse.Namespace) -> list[tuple[Asked, Files]]:
    """What is run: learn from one session and measure on the other.

    Raises:
        BadTranscript: If there are not two.
    """
    sessions, labels = args.data / "transcripts" / "dev" / "coding-pi-mono.jsonl.gz", args.data / "labels"
    bundle = load_bundle(args.bundle)
    names = list(by_session(read_transcripts(sessions)))
    if len(names) != 2:
        raise BadTranscript(f"{sessions}: holds {len(names)} sessions, two are needed")
    found = []
    for number in [args.train_on] if args.train_on else [1, 2]:
        asked = Asked(
            learnt=names[number - 1],
            held=names[2 - number],
            bundle=bundle.identity,
            passes=args.passes,
            replay_share=args.replay_share,
            learning_rate=args.rate,
            mean_with_init=args.mean,
            weight=args.weight,
            chunks=args.chunks,
            hindsight=asdict(TEAM),
        )
        out = args.out / str(number)
        found.append((asked, Files(sessions, labels / "train.jsonl.gz", labels / "dev.jsonl.gz", bundle.path, out)))
    return found


def run(asked: Asked, files: Files) -> dict[str, Any]:
    """Every step that is not done yet; what each found, and its minutes."""
    steps = {"label": label, "train": tune, "export": export, "support": support, "rank": rank}
    bound = {name: partial(step, asked, files) for name, step in steps.items()}
    return take(bound, asdict(asked), files.out, lambda name: _say(f"{asked.learnt}: {name}"))


def label(asked: Asked, files: Files, clock: Clock) -> dict[str, Any]:
    """Hindsight labels of the session that is learnt from, as `elision label hindsight` makes them."""
    with tempfile.TemporaryDirectory() as scratch:
        parts = Path(scratch) / "session.jsonl.gz"
        write_transcripts(parts, parts_of(asked.learnt, files))
        rows = label_transcripts([parts], TEAM)
    rows = rows[: asked.chunks or None]
    write_labels(files.out / "labels.jsonl.gz", rows)
    return {"chunks": len(rows), "levels": Counter(line.level for row in rows for line in row.lines)}


def tune(asked: Asked, files: Files, clock: Clock) -> dict[str, Any]:
    """The run that `elision train --data ... --replay ...` makes of the same numbers."""
    from elision.serving.commands.learning import FINE_TUNE
    from elision.training.config import read_back
    from elision.training.loop import train

    def log(line: str) -> None:
        clock.keep()
        _say(line)

    config = read_back(
        {
            **FINE_TUNE,
            "name": f"team-{asked.learnt}",
            "labels": [str(files.out / "labels.jsonl.gz")],
            "replay": [str(files.replay)] if asked.replay_share else [],
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
    from elision.training.bundles.export import export as write

    write(files.out / "run", files.out / "bundle")
    return {"bundle": load_bundle(files.out / "bundle").identity}


def support(asked: Asked, files: Files, clock: Clock) -> list[Any]:
    """Next-action support on the other session, and the tokens left: tuned against before.

    Parts are drawn, as `elision evaluate` draws transcripts: outputs of one part share what the user asked
    for. How it looks if the outputs themselves are drawn is told beside it.
    """
    found = cases(output for part in parts_of(asked.held, files) for output in outputs_of(part))
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


def parts_of(session: str, files: Files) -> list[Transcript]:
    return by_session(read_transcripts(files.sessions))[session]


def _put(page: Path, text: str) -> str:
    try:
        return rewritten(page.read_text(encoding="utf-8"), BEGIN, END, text)
    except ValueError as error:
        raise BadConfig(f"{page}: {error}") from error


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
