"""A plan and its outcome as JSON: the same from the command line and over HTTP."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from elision.compaction.compact.types import CompactedHistory, CompactionPlan
from elision.compaction.pins.types import HistoryPin
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.prices.bills import Bills
from elision.compaction.prices.verdict import explain
from elision.compaction.summary.types import Attempt
from elision.serving.compacting.jobs import Job

Json = dict[str, Any]


def plan_json(plan: CompactionPlan, job: Job) -> Json:
    """Everything about a plan."""
    return {
        "policy": plan.policy,
        "decision": plan.decision,
        "reason": plan.reason,
        "detail": plan.detail,
        "triggers_at": plan.triggers_at,
        "tokens_measured": plan.measured,
        "tokens_before": plan.before,
        "tokens_expected": plan.after,
        "context_window": job.occasion.window.tokens,
        "window_assumed": job.window_assumed,
        "messages": [
            {
                "index": row.index,
                "fate": row.fate,
                "tokens_before": row.before,
                "tokens_after": row.after,
                "reasons": list(row.reasons),
                "again": list(row.again),
            }
            for row in plan.messages
        ],
        "cut": _cut(plan),
        "pins": [pin_json(pin) for pin in plan.pins],
        "bills": bills_json(plan.bills),
        "requests": list(plan.requests),
        "token_counter": {"encoding": job.means.counter.encoding, "exact": job.means.counter.exact},
    }


def outcome_json(done: CompactedHistory, job: Job, keeps: bool) -> Json:
    """Everything about a compaction but its body."""
    return {
        "format": job.conversation.format,
        "policy": done.plan.policy,
        "changed": done.changed,
        "decision": done.decision,
        "reason": done.reason,
        "detail": done.detail,
        "tokens_before": done.before,
        "tokens_after": done.after,
        "tokens_saved": done.before - done.after,
        "target_met": done.target_met,
        "summary": done.summary,
        "summary_by": done.by,
        "cut": list(done.cut),
        "attempts": [attempt_json(attempt) for attempt in done.attempts],
        "cost": done.cost,
        "restored_pins": [pin_json(pin) for pin in done.restored],
        "dropped_pins": done.dropped,
        "handle": done.handle if keeps and done.handle else None,
        "bound_thinking": list(done.bound),
        "plan": plan_json(done.plan, job),
    }


def attempt_json(attempt: Attempt) -> Json:
    """One try to have a summary written."""
    return asdict(attempt) | {"failure": attempt.failure}


def pin_json(pin: HistoryPin) -> Json:
    """A pin, without what is empty."""
    named = {"kind": pin.kind, "text": pin.text, "source": pin.source, "hard": pin.hard}
    more = {"state": pin.state, "superseded_by": pin.superseded_by}
    return named | {name: value for name, value in more.items() if value}


def bills_json(bills: Bills | None) -> Json | None:
    """The three bills, and the same in words."""
    if bills is None:
        return None
    loss, call, cache = bills.loss, bills.call, bills.cache
    return {
        "lost": {
            "tokens": loss.tokens,
            "expandable": loss.expandable,
            "kinds": {kind.kind: kind.tokens for kind in loss.kinds},
        },
        "call": asdict(call),
        "cache": {
            "tokens_warm": cache.warm,
            "tokens_rewritten": cache.rewritten,
            "dollars_now": cache.dollars_now,
            "dollars_per_turn": cache.dollars_per_turn,
            "break_even_turns": cache.break_even_turns,
            "price_known": cache.known,
        },
        "lines": explain(bills),
    }


def policy_json(policy: CompactionPolicy) -> Json:
    """A policy in a list of them."""
    return {
        "name": policy.name,
        "version": policy.version,
        "title": policy.title,
        "source": policy.source,
        "approximate": policy.approximate,
    }


def _cut(plan: CompactionPlan) -> Json | None:
    """Where the history is cut, None if no message goes."""
    selection = plan.selection
    if selection is None:
        return None
    covered: Sequence[int] = selection.covered
    return {
        "covered": list(covered),
        "head": [*range(selection.lead), *selection.head],
        "users": list(selection.users),
        "tail_starts": selection.tail,
        "splits_turn": selection.splits_turn,
    }
