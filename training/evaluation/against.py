"""`elision evaluate --against`: a bundle and its rivals on the same labels and transcripts, as one report.

The rival is another bundle, or the rankings that need no model. Every number that is printed, or stands in
a model card, is a field of the report, measured in this run.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from elision.compaction.tokens import counter
from elision.model.bundle import file_hash
from elision.model.scorer import load_scorer
from elision.model.types import Scorer
from elision.training.errors import BadLabels, BadTranscript
from elision.training.evaluation.action_support import RATIOS, Cases, cases, outputs_under, ruled, shortened
from elision.training.evaluation.baselines import Ranker, baselines
from elision.training.evaluation.compare import Comparison, apart, compare, compare_kinds, compare_values
from elision.training.evaluation.cpu import Cost, cost
from elision.training.evaluation.measured import Measured, Once, measure_rule, measure_scorer
from elision.training.evaluation.metrics import ESSENTIAL, Values
from elision.training.evaluation.next_action import supported
from elision.training.labels.rows import LabelRow, read_labels

DOCUMENTS, CHUNKS, TRANSCRIPTS, OUTPUTS = "documents", "chunks", "transcripts", "outputs"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be measured, on what.

    Attributes:
        labels: Judged label files; each is measured by itself.
        bundle: Folder of ours; None for the one in use.
        against: Folder of the bundle it has to beat; None for none.
        rules: Names of the baselines it has to beat, each figure the best of them.
        transcripts: File or folder of sessions for next-action support; None leaves it out.
        exclude: Chunks whose source begins so are left out.
        with_query: Whether all are told what the reader was after.
        end_to_end: Also through the real text path.
        speed: Also CPU time against the other bundle.
    """

    labels: tuple[Path, ...]
    bundle: Path | None = None
    against: Path | None = None
    rules: tuple[str, ...] = ()
    transcripts: Path | None = None
    exclude: tuple[str, ...] = ()
    with_query: bool = True
    end_to_end: bool = False
    speed: bool = False


@dataclass(frozen=True, slots=True)
class Measurement:
    """One label file, or the transcripts.

    Attributes:
        source: The file or folder.
        sha256: First 12 hex digits of the file's; empty for a folder.
        items: Chunks, or outputs of which something was used.
        groups: Documents, or transcripts.
        drawn: Which of them the intervals draw.
        figures: Ours, as `elision evaluate` prints them.
        bundle: Against the other bundle, then kind by kind; empty where there is none.
        rules: Against the best of the baselines; empty where none was asked for.
        kinds: Chunks, or outputs, of each kind.
    """

    source: str
    sha256: str
    items: int
    groups: int
    drawn: str
    figures: Mapping[str, float]
    bundle: tuple[Comparison, ...]
    rules: tuple[Comparison, ...]
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured.

    Attributes:
        bundle: Identity of ours.
        against: Identity of the other bundle; empty without one.
        runner: What computed the scores.
        labels: Each label file.
        actions: The transcripts; None where there were none.
        cost: CPU time against the other bundle; None where it was not asked for.
    """

    bundle: str
    against: str
    runner: str
    labels: tuple[Measurement, ...]
    actions: Measurement | None = None
    cost: Cost | None = None


def measure_against(asked: Asked) -> Report:
    """Measure all that was asked for.

    Raises:
        BundleError: If a bundle cannot be used.
        BadLabels: If a label file is none, is empty, or calls nothing essential.
        BadTranscript: If the transcripts are none, or the agent used nothing of them.
    """
    files = {path: _essential(path, read_rows(path, asked.exclude)) for path in asked.labels}
    found = cases(outputs_under(asked.transcripts)) if asked.transcripts else None
    if found and not found.used:
        raise BadTranscript(f"{asked.transcripts}: of no output did the agent use anything next")
    ours = load_scorer(asked.bundle)
    theirs = load_scorer(asked.against) if asked.against else None
    rows = [row for path in files for row in files[path]]
    return Report(
        bundle=ours.bundle,
        against=theirs.bundle if theirs else "",
        runner=ours.runner,
        labels=tuple(measure_labels(path, its, asked, ours, theirs) for path, its in files.items()),
        actions=measure_actions(asked, found, ours, theirs) if found else None,
        cost=cost(rows, ours, theirs, counter(), asked.with_query) if asked.speed and theirs else None,
    )


def read_rows(path: Path, exclude: Sequence[str] = ()) -> list[LabelRow]:
    """The chunks of a label file that are not excluded by their source.

    Raises:
        BadLabels: If the file is none, or no chunk is left.
    """
    rows = read_labels(path)
    kept = [row for row in rows if not row.source.startswith(tuple(exclude))]
    if not kept:
        without = f" from other sources than {', '.join(exclude)}" if rows else ""
        raise BadLabels(f"{path}: no judged chunks in it{without}")
    return kept


def _essential(path: Path, rows: list[LabelRow]) -> list[LabelRow]:
    if not any(line.level == ESSENTIAL for row in rows for line in row.lines):
        raise BadLabels(f"{path}: no line of level {ESSENTIAL}, so what is essential cannot be compared")
    return rows


def measure_labels(
    path: Path, rows: Sequence[LabelRow], asked: Asked, ours: Scorer, theirs: Scorer | None
) -> Measurement:
    """Compare on one label file."""
    query, through = asked.with_query, asked.end_to_end
    mine = measure_scorer(rows, ours, with_query=query, end_to_end=through)
    other = [measure_scorer(rows, theirs, with_query=query, end_to_end=through)] if theirs else []
    rankers = _chosen(asked, [row.text for row in rows])
    rules = [measure_rule(rows, name, r, with_query=query, end_to_end=through) for name, r in rankers.items()]
    docs = [row.doc for row in rows]
    groups = apart(docs, [str(index) for index in range(len(rows))])

    def against(rivals: Sequence[Measured]) -> tuple[Comparison, ...]:
        return (*compare(mine, rivals, groups), *compare_kinds(mine, rivals, docs)) if rivals else ()

    return Measurement(
        source=str(path),
        sha256=file_hash(path)[:12],
        items=len(rows),
        groups=len(set(docs)),
        drawn=DOCUMENTS if len(set(docs)) > 1 else CHUNKS,
        figures=mine.figures(),
        bundle=against(other),
        rules=against(rules),
        kinds=_counted(row.kind for row in rows),
    )


def measure_actions(asked: Asked, found: Cases, ours: Scorer, theirs: Scorer | None) -> Measurement:
    """Compare what the agent used next; a rule gets the tokens that ours used."""
    rankers = _chosen(asked, found.texts)
    sessions = [output.transcript for output, _ in found.used]
    groups = apart(sessions, [output.name for output, _ in found.used])
    figures: dict[str, float] = {}
    bundle: list[Comparison] = []
    rules: list[Comparison] = []
    ours, theirs = Once(ours), Once(theirs) if theirs else None  # the ratios share the scores
    lengths = np.array([counter().count(output.text) for output, _ in found.used])
    for ratio in RATIOS:
        name, spent = f"next_action@{ratio:.2f}", f"next_action_tokens@{ratio:.2f}"
        mine, tokens = _supported(found, ours, ratio)
        figures |= {name: float(mine.mean()), spent: float((tokens / lengths).mean())}
        if theirs:
            other, others = _supported(found, theirs, ratio)
            bundle.append(compare_values(name, theirs.bundle, mine, other, groups))
            bundle.append(compare_values(spent, theirs.bundle, tokens / lengths, others / lengths, groups))
        if rankers:
            shares = {rule: _ruled(found, tokens, ranker) for rule, ranker in rankers.items()}
            best = max(shares, key=lambda rule: float(shares[rule].mean()))
            rules.append(compare_values(name, best, mine, shares[best], groups))
    return Measurement(
        source=str(asked.transcripts),
        sha256=file_hash(asked.transcripts)[:12] if asked.transcripts and asked.transcripts.is_file() else "",
        items=len(found.used),
        groups=len(set(sessions)),
        drawn=TRANSCRIPTS if len(set(sessions)) > 1 else OUTPUTS,
        figures=figures,
        bundle=tuple(bundle),
        rules=tuple(rules),
        kinds=_counted(output.kind for output, _ in found.used),
    )


def _supported(found: Cases, scorer: Scorer, ratio: float) -> tuple[Values, Values]:
    """Of each output the share of what was used that the product leaves, and the tokens it leaves."""
    left = [(mentions, shortened(output, ratio, scorer)) for output, mentions in found.used]
    shares = [len(supported(mentions, text)) / len(mentions) for mentions, (text, _) in left]
    return np.array(shares), np.array([tokens for _, (_, tokens) in left], dtype=np.float64)


def _ruled(found: Cases, tokens: Values, ranker: Ranker) -> Values:
    return np.array(
        [
            len(supported(mentions, ruled(output, int(room), ranker))) / len(mentions)
            for (output, mentions), room in zip(found.used, tokens, strict=True)
        ]
    )


def _counted(kinds: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(kinds).items()))


def _chosen(asked: Asked, texts: Sequence[str]) -> dict[str, Ranker]:
    return {name: rule for name, rule in baselines(texts).items() if name in asked.rules}
