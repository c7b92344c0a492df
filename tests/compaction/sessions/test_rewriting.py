"""Between a log and a compaction."""

from dataclasses import replace
from typing import Any

import pytest
from session_logs import HEAD, PlainLogs

from elision.compaction.compact import compose
from elision.compaction.compact.gate import Past, Recent
from elision.compaction.compact.trigger import Reason
from elision.compaction.compact.types import CompactedHistory, CompactionPlan
from elision.compaction.prices.verdict import Decision
from elision.compaction.sessions.compacting import Leave, Rewrite
from elision.compaction.sessions.history import Fate, Record
from elision.compaction.sessions.rewriting import originals_of, passes_of, recent_of, rewrite_of
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import (
    Appended,
    Compacted,
    CompactionStarted,
    Edited,
    Entry,
    Event,
    Inserted,
    Kept,
)
from elision.compaction.sessions.view import SessionView, view
from elision.compaction.summary.types import Attempt, Failure

RAWS = [f'{{"role":"user","content":"{n}"}}' for n in range(5)]
PLAN = CompactionPlan("p@1", Decision.COMPACT, "request", "asked for", None, 90, 90, 30, ())


def log(*more: Event) -> tuple[Event, ...]:
    logs = PlainLogs()
    for event in (HEAD, Appended(tuple(Entry("", raw) for raw in RAWS)), *more):
        logs.append("t", "s", [event])
    return logs.read("t", "s")


def done(**changed: Any) -> CompactedHistory:
    told = CompactedHistory("{}", PLAN, Decision.COMPACT, "request", "asked for", 90, 30)
    return replace(told, **changed)


def compacted(name: str, base: int, *items: Any, summary: str = "s") -> list[Event]:
    return [CompactionStarted(name, base, at=base), Compacted(name, base, items, summary, at=base)]


def test_behind_a_summary_of_a_summary_stand_the_messages_as_they_came() -> None:
    first = compacted("x", 2, Inserted(RAWS[0], ("m0", "m1")), Edited("m2", RAWS[4]), Kept("m3"), Kept("m4"))
    second = compacted("y", 4, Inserted(RAWS[1], ("x/0", "m2")), Inserted(RAWS[2]), Kept("m3"), Kept("m4"))
    known = originals_of(Timeline(log(*first, *second)))

    assert known.behind == ((0, 1, 2), (), (3,), (4,))
    assert [m.span.of(known.conversation.raw) for m in known.conversation.messages] == RAWS


def test_pieces_become_items_by_the_ids_of_the_view() -> None:
    seen = view(log())
    pieces = (
        compose.Kept(0, RAWS[0]),
        compose.Inserted(RAWS[4], (1, 2)),
        compose.Kept(3, RAWS[0]),
        compose.Kept(4),
    )
    attempts = (Attempt("a", Failure.AUTH, cost=0.5), Attempt("b", None, cost=0.25))
    found = rewrite_of(done(pieces=pieces, summary="s", by="b", attempts=attempts), seen)

    assert isinstance(found, Rewrite) and not found.invalid
    assert found.items == (Kept("m0"), Inserted(RAWS[4], ("m1", "m2")), Edited("m3", RAWS[0]), Kept("m4"))
    assert (found.cost, found.by, found.trigger, found.policy) == (0.75, "b", "request", "p@1")


def test_what_was_to_be_done_and_was_not_is_on_record_with_its_cost() -> None:
    vain = done(
        decision=Decision.LEAVE,
        reason="inflated",
        detail="no smaller",
        attempts=(Attempt("a", None, cost=1.0),),
    )
    found = rewrite_of(vain, SessionView())

    assert isinstance(found, Rewrite)
    assert (found.invalid, found.cost, found.items) == ("inflated: no smaller", 1.0, ())


def test_what_was_not_to_be_done_is_left() -> None:
    plan = replace(PLAN, decision=Decision.LEAVE)

    assert rewrite_of(
        done(plan=plan, decision=Decision.LEAVE, reason="cooldown", detail="soon"), SessionView()
    ) == Leave("cooldown: soon")


@pytest.mark.parametrize(
    ("fate", "invalid", "past"),
    [
        (Fate.IN_EFFECT, "", Past(90, 30, reason=Reason.WINDOW, at=5.0)),
        (Fate.INVALID, "inflated: x", Past(90, 90, True, True, Reason.WINDOW, 5.0)),
        (Fate.INVALID, "timeout: x", Past(90, 90, True, False, Reason.WINDOW, 5.0)),
        (Fate.UNDONE, "", None),
        (Fate.ROLLED_BACK, "", None),
    ],
)
def test_a_gate_counts_what_was_tried_and_still_stands(fate: Fate, invalid: str, past: Past | None) -> None:
    result = Compacted("x", 1, (), tokens_before=90, tokens_after=30, trigger="window", invalid=invalid)
    record = Record("x", fate, 4.0, 5.0, invalid, result)

    assert recent_of([record]) == Recent(() if past is None else (past,))


def test_a_gate_counts_crashes_but_not_decisions_to_wait() -> None:
    records = [
        Record("x", Fate.LEFT, 1.0, 2.0),
        Record("y", Fate.ABANDONED, 3.0),
        Record("z", Fate.RUNNING, 4.0),
    ]

    assert recent_of(records) == Recent((Past(0, 0, True, at=3.0),))


def test_only_a_summary_after_another_is_an_update() -> None:
    made = [
        Compacted(name, 1, (), summary) for name, summary in (("a", "s"), ("b", ""), ("c", "s"), ("d", "s"))
    ]

    assert [passes_of(made[:n]) for n in range(5)] == [0, 0, 0, 1, 2]
