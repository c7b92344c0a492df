"""Do what a plan says: have the summary written, put the history together, and look whether it holds.

Nothing of what is handed in is changed. What fails leaves the history as it came, with the reason: a
summary that nobody could write, a request that its provider would refuse, a result that saves nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from elision.compaction.compact.compose import Kept, Piece, bound, composed
from elision.compaction.compact.every_text import every_text
from elision.compaction.compact.gate import may_use
from elision.compaction.compact.keeping import keep
from elision.compaction.compact.placing import Placing
from elision.compaction.compact.shorter import fitted_into, shortened_outputs
from elision.compaction.compact.trigger import Reason
from elision.compaction.compact.types import CompactedHistory, CompactionPlan, Fate, Means
from elision.compaction.compact.writing import Wording, Written, write
from elision.compaction.conversation import Conversation
from elision.compaction.counting import count
from elision.compaction.cuts import new_problems
from elision.compaction.formats.read import read
from elision.compaction.messages import INVALID_OUTPUT
from elision.compaction.pins.check import missing
from elision.compaction.pins.types import HistoryPin
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.prices.verdict import Decision
from elision.compaction.store import handle_of

_LATE = "lost on the way, put back"


def apply(
    conversation: Conversation,
    policy: CompactionPolicy,
    plan: CompactionPlan,
    means: Means,
    *,
    focus: str = "",
    language: str = "",
    alternate: bool = False,
    target_tokens: int | None = None,
    rebuild: bool = False,
) -> CompactedHistory:
    """Carry out a plan of this conversation.

    Args:
        conversation: The request that was planned for.
        policy: The policy that was planned with.
        plan: What to do.
        means: Who counts, writes, shortens, and where originals are kept.
        focus: What a person wants the summary to look at.
        language: To write it in; empty for that of the conversation.
        alternate: Whether two messages of one speaker may not follow each other.
        target_tokens: What system and messages shall come down to.
        rebuild: Whether the summary is written anew from all originals, if they are known.

    Raises:
        BudgetTooSmall: If what may not be lost does not fit into the target.
    """
    if plan.decision is Decision.LEAVE:
        return _left(conversation, plan, plan.reason, plan.detail, target_tokens)
    written: Written | None = None
    if plan.selection and policy.summary.writer != "none":
        order = Wording(focus, language, target_tokens, rebuild)
        written = write(conversation, policy, plan, means, order)
        if written.failed:
            return _failed(conversation, policy, plan, means, written, target_tokens)
    placing = Placing(conversation, policy, plan, means.counter, written, alternate)
    pieces = placing.pieces()
    raw = composed(conversation, pieces)
    lost = _lost(written, read_again(raw, conversation)) if written else []
    if written and lost:
        pieces = replace(placing, written=_with_pins(written, lost)).pieces()
        raw = composed(conversation, pieces)
    raw = shortened_outputs(read_again(raw, conversation), policy, means)
    if target_tokens is not None:
        raw = fitted_into(read_again(raw, conversation), target_tokens, means)
    return _checked(placing, means, pieces, raw, lost, target_tokens)


def read_again(raw: str, like: Conversation) -> Conversation:
    """A body that was put together, read as the one that it came from."""
    return read(raw, like.format)


def _lost(written: Written, after: Conversation) -> list[HistoryPin]:
    """The hard pins that should be in the result and are not."""
    hard = [pin for pin in written.pins if pin.hard and not pin.superseded_by]
    return list(missing(hard, every_text(after))) if hard else []


def _with_pins(written: Written, lost: Sequence[HistoryPin]) -> Written:
    """What was written with these pins behind it."""
    lines = [f"- {pin.text} [{pin.source}]" for pin in lost]
    return replace(written, text="\n".join([written.text, "", f"({_LATE})", *lines]))


def _checked(
    placing: Placing,
    means: Means,
    pieces: Sequence[Piece],
    raw: str,
    lost: Sequence[HistoryPin],
    target: int | None,
) -> CompactedHistory:
    """The result, if its provider would take it and it saves what the policy asks."""
    conversation, plan, written = placing.conversation, placing.plan, placing.written
    after = read_again(raw, conversation)
    new = new_problems(conversation, after)
    if new:
        detail = f"a provider would refuse the result: {new[0].detail}"
        return _left(conversation, plan, INVALID_OUTPUT, detail, target, written)
    tokens = count(after, means.counter).total
    unused = may_use(placing.policy.gate, Reason(plan.reason), plan.before, tokens)
    if unused:
        detail = f"{plan.before:,} tokens before, {tokens:,} after: {unused}"
        return _left(conversation, plan, unused, detail, target, written)
    _keep_named(plan, raw, means)
    stays = [piece.index for piece in pieces if isinstance(piece, Kept)]
    first = min((row.index for row in plan.messages if row.fate is not Fate.KEEP), default=len(plan.messages))
    return CompactedHistory(
        raw=raw,
        plan=plan,
        decision=plan.decision,
        reason=plan.reason,
        detail=plan.detail,
        before=plan.before,
        after=tokens,
        pieces=tuple(_spelled(pieces, after)),
        summary=written.summary if written else "",
        by=written.by if written else "",
        cut=written.cut if written else (),
        attempts=written.attempts if written else (),
        restored=tuple(lost),
        dropped=written.dropped if written else 0,
        handle=keep(means.store, conversation.raw, means.counter, means.redact),
        target_met=target is None or tokens <= target,
        bound=bound(conversation, [index for index in stays if index > first]),
    )


def _keep_named(plan: CompactionPlan, raw: str, means: Means) -> None:
    """Keep the texts that the result names by their handles: a placeholder must not promise what is gone."""
    for text in dict.fromkeys(text for row in plan.messages for text in row.was):
        if handle_of(text) in raw:
            keep(means.store, text, means.counter, means.redact)


def _spelled(pieces: Sequence[Piece], after: Conversation) -> Iterator[Piece]:
    """The pieces as they are spelled in the end."""
    for piece, message in zip(pieces, after.messages, strict=True):
        raw = message.span.of(after.raw)
        yield replace(piece, raw=raw)


def _failed(
    conversation: Conversation,
    policy: CompactionPolicy,
    plan: CompactionPlan,
    means: Means,
    written: Written,
    target: int | None,
) -> CompactedHistory:
    """A summary that could not be had: no message goes; what was to be reduced still is, if it helps."""
    rows = tuple(
        replace(row, fate=Fate.KEEP, after=row.before) if row.fate is Fate.COVER else row
        for row in plan.messages
    )
    if not any(row.raw for row in rows):
        return _left(conversation, plan, written.failed, written.detail, target, written)
    less = replace(plan, decision=Decision.REDUCE, messages=rows, selection=None)
    done = apply(conversation, policy, less, means, target_tokens=target)
    return replace(done, reason=written.failed, detail=written.detail, attempts=written.attempts, plan=plan)


def _left(
    conversation: Conversation,
    plan: CompactionPlan,
    reason: str,
    detail: str,
    target: int | None,
    written: Written | None = None,
) -> CompactedHistory:
    return CompactedHistory(
        raw=conversation.raw,
        plan=plan,
        decision=Decision.LEAVE,
        reason=reason,
        detail=detail,
        before=plan.before,
        after=plan.before,
        cut=written.cut if written else (),
        attempts=written.attempts if written else (),
        target_met=target is None or plan.before <= target,
    )
