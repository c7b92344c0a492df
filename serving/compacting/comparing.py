"""One history by several policies, side by side: when each acts, what it leaves, what it loses and costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from elision.compaction.compact.every_text import every_text
from elision.compaction.compact.mass import ValuedLines
from elision.compaction.compact.notes import pins_of
from elision.compaction.compact.types import CompactedHistory
from elision.compaction.cuts import new_problems
from elision.compaction.formats.read import read
from elision.compaction.pins.check import alive
from elision.compaction.policies.load import load
from elision.compaction.prices.verdict import Decision
from elision.serving.compacting.jobs import Job

_COLUMNS = (
    *("policy", "acts at", "tokens", "left", "messages cut", "hard pins", "soft pins"),
    *("value", "calls", "cost", "pays after", "valid"),
)


@dataclass(frozen=True, slots=True)
class Compared:
    """What a policy makes of a history.

    Attributes:
        job: The history and the policy.
        done: What came of it; it was asked for, so that every policy acts.
        hard, soft: Pins alive and pins in all.
        mass: Share of the classifier's value of what messages say that is still there.
        problems: What a provider would refuse that it would not have refused before.
    """

    job: Job
    done: CompactedHistory
    hard: tuple[int, int]
    soft: tuple[int, int]
    mass: float | None
    problems: int

    @property
    def calls(self) -> int:
        """Times a model was asked."""
        return sum(bool(attempt.input_tokens or attempt.output_tokens) for attempt in self.done.attempts)

    @property
    def cost(self) -> float:
        """Dollars of these calls."""
        return self.done.cost

    @property
    def break_even(self) -> float | None:
        """Turns after which it pays; None for never."""
        return self.done.plan.bills.cache.break_even_turns if self.done.plan.bills else None


def compared(job: Job, valued: ValuedLines) -> Compared:
    """Compact a history, and look what is left of what it said.

    Args:
        valued: What the classifier makes of its lines, the same for every policy.
    """
    done = job.run()
    after = read(done.raw, job.conversation.format)
    # All policies are measured by the same pins, whether they know any or not.
    pins = [
        pin for pin in pins_of(job.conversation, load("elision"), None, job.means.values).pins if pin.holds
    ]
    there = alive(pins, every_text(after))
    return Compared(
        job=job,
        done=done,
        hard=_count(there, [pin.hard for pin in pins]),
        soft=_count(there, [not pin.hard for pin in pins]),
        mass=valued.kept(after),
        problems=len(new_problems(job.conversation, after)),
    )


def comparison_lines(rows: Sequence[Compared], width: int | None = None) -> list[str]:
    """The comparison for people: a table, or a block for each policy where a table is too wide.

    Args:
        width: Columns there are; None for as many as it takes. Nothing is cut off for want of them.
    """
    cells = [_COLUMNS, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if width is not None and sum(widths) + 2 * (len(widths) - 1) > width:
        return [line for row in cells[1:] for line in _block(row, width)]
    return ["  ".join(_aligned(row, widths)) for row in cells]


def _cells(row: Compared) -> tuple[str, ...]:
    plan = row.done.plan
    return (
        plan.policy,
        "-" if plan.triggers_at is None else f"{plan.triggers_at:,}",
        f"{row.done.before:,}",
        f"{row.done.after:,}",
        str(len(plan.covered) if row.done.decision is Decision.COMPACT else 0),
        f"{row.hard[0]}/{row.hard[1]}",
        f"{row.soft[0]}/{row.soft[1]}",
        "-" if row.mass is None else f"{row.mass:.0%}",
        str(row.calls),
        f"${row.cost:.4f}",
        "never" if row.break_even is None else f"{row.break_even:.1f} turns",
        "yes" if not row.problems else f"{row.problems} problems",
    )


def _aligned(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    yield row[0].ljust(widths[0])
    for cell, width in zip(row[1:], widths[1:], strict=True):
        yield cell.rjust(width)


def _block(row: Sequence[str], width: int) -> Iterator[str]:
    """A policy's name, and under it its figures, as many in a line as there is room for."""
    yield row[0]
    line = ""
    for name, cell in zip(_COLUMNS[1:], row[1:], strict=True):
        figure = f"  {name} {cell}"
        if line and len(line) + len(figure) + 1 > width:
            yield line
            line = ""
        line += figure if not line else f",{figure[1:]}"
    yield line


def comparison_json(row: Compared) -> dict[str, Any]:
    """One row for programs."""
    plan = row.done.plan
    return {
        "policy": plan.policy,
        "triggers_at": plan.triggers_at,
        "decision": row.done.decision,
        "reason": row.done.reason,
        "tokens_before": row.done.before,
        "tokens_after": row.done.after,
        "covered": list(plan.covered) if row.done.decision is Decision.COMPACT else [],
        "hard_pins": {"alive": row.hard[0], "all": row.hard[1]},
        "soft_pins": {"alive": row.soft[0], "all": row.soft[1]},
        "value_kept": row.mass,
        "calls": row.calls,
        "cost": row.cost,
        "break_even_turns": row.break_even,
        "valid": not row.problems,
    }


def _count(there: Sequence[bool], wanted: Sequence[bool]) -> tuple[int, int]:
    return sum(a and b for a, b in zip(there, wanted, strict=True)), sum(wanted)
