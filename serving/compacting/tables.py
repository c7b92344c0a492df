"""A plan and a policy in plain lines, for people."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tomlkit

from elision.compaction.compact.types import CompactionPlan, Fate, MessagePlan
from elision.compaction.prices.verdict import explain


def plan_lines(plan: CompactionPlan) -> list[str]:
    """What would be done, why, and what that costs."""
    acts = "not by tokens" if plan.triggers_at is None else f"at {plan.triggers_at:,} tokens"
    lines = [
        f"policy: {plan.policy}, acts {acts}",
        f"decision: {plan.decision} ({plan.reason}): {plan.detail}",
        f"tokens: {plan.before:,} now, about {plan.after:,} then",
    ]
    lines += [f"messages {_runs(rows)}: {fate}{_how(rows)}" for fate, rows in _by_fate(plan.messages)]
    kinds = Counter(pin.kind for pin in plan.pins if pin.holds)
    if kinds:
        lines.append("pins: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    lines += explain(plan.bills) if plan.bills else []
    return lines + [f"can be had again: {request}" for request in plan.requests]


def policy_text(settings: Mapping[str, Any], changed: Sequence[str] = ()) -> str:
    """The file that a policy could be read from again.

    Args:
        settings: What it says, see `elision.compaction.policies.load.settings`.
        changed: Settings over its own, named above it.
    """
    document = tomlkit.document()
    for setting in changed:
        shown = "".join(sign if sign.isprintable() else " " for sign in setting)
        document.add(tomlkit.comment(f"--set {shown}"))
    document.update({key: _item(value) for key, value in settings.items()})
    return tomlkit.dumps(document)


def _item(value: Any) -> Any:
    """A value as TOML spells it; a text of several lines on several."""
    if isinstance(value, dict):
        return {key: _item(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_item(one) for one in value]
    # A reader makes one line end of a carriage return and its line feed, unless they are escaped.
    lines = isinstance(value, str) and "\n" in value and "\r" not in value
    return tomlkit.string(value, multiline=True) if lines else value


def _by_fate(rows: Sequence[MessagePlan]) -> Iterator[tuple[Fate, list[MessagePlan]]]:
    for fate in Fate:
        found = [row for row in rows if row.fate is fate]
        if found:
            yield fate, found


def _runs(rows: Sequence[MessagePlan]) -> str:
    """``0-3, 7``: indexes, runs together."""
    runs: list[list[int]] = []
    for row in rows:
        if runs and row.index == runs[-1][-1] + 1:
            runs[-1].append(row.index)
        else:
            runs.append([row.index])
    told = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ", ".join(told if len(told) <= 12 else [*told[:11], f"… {len(told) - 11} more"])


def _how(rows: Sequence[MessagePlan]) -> str:
    reasons = Counter(reason for row in rows for reason in row.reasons)
    return f" ({', '.join(f'{count}x {reason}' for reason, count in reasons.items())})" if reasons else ""
