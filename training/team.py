"""What a simulated team is promised, and the table of what it got.

`scripts/simulated_team.py` fine-tunes on one recorded session and measures on another; here is what its
figures mean.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elision.training.evaluation.compare import Comparison
from elision.training.transcripts.types import Transcript

RATIO, FIGURE = 0.33, "line_auc_ge2"
LARGEST_LOSS, LONGEST = 0.005, 60.0  # of FIGURE, in minutes


@dataclass(frozen=True, slots=True)
class Asked:
    """What is run.

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


def by_session(parts: Iterable[Transcript]) -> dict[str, list[Transcript]]:
    """The parts of each session: their ids end in ``-NUMBER``."""
    found: dict[str, list[Transcript]] = {}
    for part in parts:
        found.setdefault(part.id.rpartition("-")[0], []).append(part)
    return found


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
    yield f"minutes: {', '.join(minutes)}", ", ".join(f"{its:.1f}" for its in minutes.values())
    yield "minutes in all", f"{sum(minutes.values()):.0f}"
    yield from ((name, "yes" if held else "**no**") for name, held in promises(found).items())


def _cell(one: Comparison, count: int) -> str:
    within = " ({:+.3f} to {:+.3f}; {})".format(*one.interval, count) if one.interval else ""
    return f"{one.theirs:.3f} → {one.ours:.3f}, {one.difference:+.3f}{within}"


def _compared(raw: Mapping[str, Any]) -> Comparison:
    return Comparison(**{**raw, "interval": tuple(raw["interval"]) if raw["interval"] else None})
