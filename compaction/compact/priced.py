"""Put a plan together: a row for each message, room for the summary, the bills, and the verdict."""

from collections.abc import Sequence
from dataclasses import replace

from elision.compaction.compact.edits import Reduction
from elision.compaction.compact.files_again import files_again
from elision.compaction.compact.gate import may_carry_out
from elision.compaction.compact.lessened import Lessened
from elision.compaction.compact.look import Look
from elision.compaction.compact.measure import items
from elision.compaction.compact.select import Selection
from elision.compaction.compact.trigger import FORCED, Cause, Reason
from elision.compaction.compact.types import CompactionPlan, Fate, MessagePlan
from elision.compaction.conversation import Block, Part
from elision.compaction.counting import count
from elision.compaction.pins.speech import source_of
from elision.compaction.pins.types import Collected, LeftOut
from elision.compaction.policies.telling import Summary
from elision.compaction.prices.bills import Bills, CallBill, Loss, cache_bill, call_bill, loss_bill
from elision.compaction.prices.situation import Force, Situation
from elision.compaction.prices.verdict import Decision, decide

LEAST_SUMMARY = 48  # tokens: with less room nothing can be told
_FORCES = {
    Reason.REQUEST: Force.ASKED,
    Reason.OVERFLOW: Force.OVERFLOW,
    Reason.MODEL_SWITCH: Force.MODEL_SWITCH,
    Reason.WINDOW: Force.WINDOW,
}
_NONE_FOUND = Collected(())
_PROMPT = 700  # tokens of the task around what a writer reads


def priced(
    look: Look,
    less: Lessened,
    selection: Selection | None = None,
    found: Collected = _NONE_FOUND,
    summaries: tuple[int, ...] = (),
) -> CompactionPlan:
    """The plan with its bills, or the plan to leave things as they are.

    Args:
        look: The history as it came.
        less: The same after its reducers.
        selection: What stays and what goes; None if no message goes.
        found: What may not be lost.
        summaries: Indexes of earlier summaries.
    """
    policy, occasion = look.policy, look.occasion
    rows = _rows(look, less, selection)
    kept = look.system + sum(row.after for row in rows)
    carried = _hard_tokens(found, selection, look) if selection else 0
    covered = sum(row.before for row in rows if row.fate is Fate.COVER)
    room = _room(look, kept + carried, covered - carried) if selection else 0
    after = kept + carried + room
    if after >= look.total or (not selection and not less.reductions and not less.shorter):
        return look.left("nothing_saved", f"nothing to save: {look.total:,} tokens before, {after:,} after")
    # What is done though nothing is due is done to every request.
    reason = look.reason or Reason.ALWAYS
    least = kept + carried
    unused = may_carry_out(policy.gate, reason, look.total, least, *_events(look, selection))
    if unused:
        return look.left(unused, f"{look.total:,} tokens before, {least:,} after at the least: {unused}")
    situation = replace(occasion.situation, forced=_force(look))
    bills = _bills(look, rows, selection, after, room, situation)
    verdict = decide(bills, situation, compacts=selection is not None, must_pay=policy.gate.pays)
    if verdict.decision is Decision.LEAVE:
        return look.left(verdict.reason.value, verdict.detail, bills)
    gone = selection.covered if selection else ()
    again = files_again(look.conversation, gone, policy.select, look.counter)
    return replace(
        look.plan(verdict.decision, reason.value, verdict.detail, after, rows, bills),
        selection=selection,
        pins=found.pins,
        beyond=_beyond(look, found, selection) if selection else (),
        summaries=summaries,
        summary_tokens=room,
        pin_tokens=_pin_room(policy.summary, occasion.window.input) if selection else 0,
        requests=tuple(dict.fromkeys([*again, *(how for row in rows for how in row.again)])),
    )


def _events(look: Look, selection: Selection | None) -> tuple[int, int]:
    """The events of a history, and those of them that go."""
    messages = look.conversation.messages
    gone = tuple(messages[index] for index in selection.covered) if selection else ()
    return items(look.conversation), items(replace(look.conversation, messages=gone))


def _force(look: Look) -> Force | None:
    if look.reason in FORCED:
        return _FORCES[look.reason]
    return Force.ASKED if look.occasion.cause is Cause.REQUEST else None


def _rows(look: Look, less: Lessened, selection: Selection | None) -> tuple[MessagePlan, ...]:
    after = count(less.conversation, look.counter).messages
    covered = frozenset(selection.covered) if selection else frozenset()
    changes: dict[int, list[Reduction]] = {}
    for one in less.reductions:
        changes.setdefault(one.index, []).append(one)
    rows = []
    for index, message in enumerate(less.conversation.messages):
        if index in covered:
            rows.append(MessagePlan(index, Fate.COVER, look.costs[index], 0))
            continue
        mine = changes.get(index, [])
        shorter = index in less.shorter
        reasons = dict.fromkeys([one.reason for one in mine] + ["compress"] * shorter)
        left = less.shortened(index, after[index])
        if selection and index == selection.cut_user:
            left, shorter = min(left, selection.cut_tokens), True
        rows.append(
            MessagePlan(
                index=index,
                fate=Fate.REDUCE if mine or shorter else Fate.KEEP,
                before=look.costs[index],
                after=left,
                reasons=tuple(reasons),
                again=tuple(dict.fromkeys(one.again for one in mine if one.again)),
                raw=message.span.of(less.conversation.raw) if mine else "",
                was=tuple(one.was for one in mine if one.was),
            )
        )
    return tuple(rows)


def _room(look: Look, kept: int, covered: int) -> int:
    """Tokens for a summary: what the policy gives it, less than what it stands for, and within the target."""
    how, target = look.policy.summary, look.occasion.target_tokens
    room = min(how.max_tokens, max(LEAST_SUMMARY, covered // 2))
    if target is not None:
        room = min(room, max(LEAST_SUMMARY, target - kept))
    return room if how.writer != "none" else 0


def _hard_tokens(found: Collected, selection: Selection, look: Look) -> int:
    """About what the hard pins of the messages that go will take."""
    gone = frozenset(selection.covered)
    hard = {pin.text for pin in found.pins if pin.hard and pin.index in gone and not pin.superseded_by}
    return sum(look.counter.count(text) + 4 for text in hard)


def _pin_room(how: Summary, window: int) -> int:
    return int(max(how.pins_min, min(how.pins_share * window, how.pins_max))) if how.pins else 0


def _beyond(look: Look, found: Collected, selection: Selection) -> tuple[LeftOut, ...]:
    """Of what is no pin because there is too much of it, what the messages that go said."""
    gone = {source_of(look.conversation.messages[index], index) for index in selection.covered}
    return tuple(one for one in found.left_out if one.source in gone or not one.source)


def _bills(
    look: Look,
    rows: Sequence[MessagePlan],
    selection: Selection | None,
    after: int,
    room: int,
    situation: Situation,
) -> Bills:
    messages = look.conversation.messages
    losses = [
        Loss(_kind(messages[row.index].blocks), row.before - row.after, row.before - row.after)
        for row in rows
        if row.after < row.before
    ]
    call = CallBill()
    if selection and look.policy.summary.writer == "llm" and situation.summariser is not None:
        read = sum(look.costs[index] for index in selection.read) + _PROMPT
        call = call_bill(situation.summariser, read, room)
    first = next((row.index for row in rows if row.fate is not Fate.KEEP), len(rows))
    tools = max(0, look.measured - look.total)
    prefix = look.system + sum(look.costs[:first]) + tools
    newest = look.costs[-1] if look.costs else 0
    cache = cache_bill(
        situation, look.total + tools, after + tools, prefix, newest=newest, call_dollars=call.dollars
    )
    return Bills(loss_bill(losses), call, cache)


def _kind(blocks: Sequence[Block]) -> str:
    """Whose a message is, as the bill calls it."""
    for block in blocks:
        if block.part is Part.RESULT:
            return f"result:{block.name or 'tool'}"
        if block.part is Part.CALL:
            return "call"
    return "text"
