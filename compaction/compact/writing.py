"""Have what goes put into words: what its writer reads, what is carried beside it, and what comes of it.

Pins are carried by code and never by the writer. A summary that was written before is brought up to date;
where the session's originals are known it is written anew from them every so often, so that what one
summary forgot is not forgotten for good.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from elision.compaction.compact.frames import Frame
from elision.compaction.compact.gone_media import gone_media
from elision.compaction.compact.notes import Carried, numbers_on, own_words, without_notes
from elision.compaction.compact.notes import carried as _carried
from elision.compaction.compact.priced import LEAST_SUMMARY
from elision.compaction.compact.types import CompactionPlan, Fate, Means, Originals
from elision.compaction.conversation import Conversation, Role
from elision.compaction.errors import BudgetTooSmall
from elision.compaction.pins.types import HistoryPin
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.policies.telling import Compose
from elision.compaction.policies.telling import Summary as How
from elision.compaction.summary.chain import summarise
from elision.compaction.summary.order import KeptHistory, SummaryOrder
from elision.compaction.summary.sources import sources
from elision.compaction.summary.types import Attempt, Source, Summary


@dataclass(frozen=True, slots=True)
class Written:
    """What will stand for what goes.

    Attributes:
        text: Pins and summary, without the frame.
        summary: The summary alone.
        by: Who wrote it.
        cut: What was taken out of it.
        attempts: Every try.
        pins: What must be found in the result.
        dropped: How many soft pins stand behind a handle.
        failed: Why there is none; empty if there is.
        detail: The same in a sentence.
    """

    text: str = ""
    summary: str = ""
    by: str = ""
    cut: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    pins: tuple[HistoryPin, ...] = ()
    dropped: int = 0
    failed: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Wording:
    """How a summary is wanted this time.

    Attributes:
        focus: What a person wants it to look at.
        language: To write it in; empty for that of the conversation.
        target_tokens: What system and messages shall come down to.
        rebuild: Whether it is written anew from all originals, if they are known.
    """

    focus: str = ""
    language: str = ""
    target_tokens: int | None = None
    rebuild: bool = False


def write(
    conversation: Conversation, policy: CompactionPolicy, plan: CompactionPlan, means: Means, wording: Wording
) -> Written:
    """Write what a plan needs.

    Raises:
        BudgetTooSmall: As `carried_within` does.
    """
    selection = plan.selection
    assert selection is not None
    counter, how = means.counter, policy.summary
    frame = Frame.of(policy.compose)
    around = counter.count(frame.around(""))
    carried = carried_within(conversation, policy, plan, means, wording.target_tokens)
    gone = gone_media(conversation, selection.gone)
    attached = counter.count(carried.text) + counter.count(gone)
    left = max(LEAST_SUMMARY, plan.summary_tokens)
    if wording.target_tokens is not None:
        left = min(left, wording.target_tokens - _kept_tokens(plan) - around - attached)
    prior_at = [index for index in plan.summaries if index in selection.covered]
    prior = "\n\n".join(filter(None, (own_words(frame, conversation.messages[index]) for index in prior_at)))
    anew = wording.rebuild and means.originals is not None
    update = how.prior == "update" and bool(prior) and not anew
    ours = _beside(conversation, policy.compose, plan.summaries)
    without = prior_at if update or anew else []
    order = SummaryOrder(
        sources=_sources(conversation, policy, plan, means, without, anew, ours),
        summary=_asked(how, left),
        pins=plan.pins,
        prior=prior if update else "",
        focus=wording.focus,
        replaced_tokens=sum(row.before for row in plan.messages if row.fate is Fate.COVER),
        frame_tokens=around + attached,
        room_tokens=left,
        counter=counter,
        still_current=means.still_current,
        values=means.values,
        language=wording.language or None,
        tenant=means.tenant,
        forced=plan.reason == "request",
        restore=not means.redact,
        others=_all_said(conversation, means.originals),
    )
    turn = _last_turn(conversation, plan, means.originals, ours)
    return _told(list(_outcomes(_orders(order, how, plan, turn), means)), carried, gone)


def _all_said(conversation: Conversation, known: Originals | None) -> list[str]:
    """Everything that was said, what stays included: what is a secret there is one in what goes too."""
    whole = known.conversation if known else conversation
    system = [leaf.text for block in conversation.system for leaf in block.leaves]
    return [*system, *(one.text for one in sources(whole, range(len(whole.messages))))]


def _outcomes(orders: Iterable[SummaryOrder | Summary], means: Means) -> Iterator[Summary | KeptHistory]:
    """What comes of each; where history is kept, nothing more is asked."""
    for order in orders:
        outcome = _ask(order, means)
        yield outcome
        if isinstance(outcome, KeptHistory):
            return


def carried_within(
    conversation: Conversation,
    policy: CompactionPolicy,
    plan: CompactionPlan,
    means: Means,
    target_tokens: int | None,
) -> Carried:
    """What stands beside the summary of a plan by which messages go.

    Args:
        target_tokens: What system and messages shall come down to; None for no limit.

    Raises:
        BudgetTooSmall: If the target has no room for what must stay and the least of a summary; needed is
            the smallest target that has.
    """
    if target_tokens is None:
        return _carried(conversation, plan, policy, means, None)
    assert plan.selection is not None
    count = means.counter.count
    around = count(Frame.of(policy.compose).around("")) + count(gone_media(conversation, plan.selection.gone))
    room = target_tokens - _kept_tokens(plan) - around - LEAST_SUMMARY
    try:
        carried = _carried(conversation, plan, policy, means, room)
        needed = count(carried.text)
    except BudgetTooSmall as error:
        needed = error.needed
    if needed > room:
        # The caller is told in terms of the target it gave.
        raise BudgetTooSmall(target_tokens - room + needed, target_tokens)
    return carried


def _ask(order: SummaryOrder | Summary, means: Means) -> Summary | KeptHistory:
    if isinstance(order, Summary):
        return order
    return summarise(
        order,
        means.writers if order.summary.writer == "llm" else (),
        clock=means.clock,
        sleep=means.sleep,
        deadline=means.deadline,
        breaker=means.breaker,
    )


def _told(outcomes: Sequence[Summary | KeptHistory], carried: Carried, gone: str) -> Written:
    """The summaries one behind the other, if all are there; behind them what no summary can stand for."""
    attempts = tuple(attempt for outcome in outcomes for attempt in outcome.attempts)
    summaries = [outcome for outcome in outcomes if isinstance(outcome, Summary)]
    for outcome in outcomes:
        if isinstance(outcome, KeptHistory):
            failure = outcome.failure.value if outcome.failure else "nothing_to_summarise"
            return Written(attempts=attempts, failed=failure, detail=outcome.reason)
    return Written(
        text="\n\n".join(filter(None, [carried.text, *(summary.text for summary in summaries), gone])),
        summary="\n\n".join(summary.text for summary in summaries),
        by=", ".join(dict.fromkeys(summary.by for summary in summaries if summary.by)),
        cut=tuple(cut for summary in summaries for cut in summary.cut),
        attempts=attempts,
        pins=carried.pins,
        dropped=carried.dropped,
    )


def _last_turn(
    conversation: Conversation, plan: CompactionPlan, known: Originals | None, ours: Collection[int]
) -> int:
    """Index, as sources have it, at which the last turn begins of which something goes; -1 if none does."""
    selection = plan.selection
    assert selection is not None
    users = [
        i
        for i in selection.read
        if conversation.messages[i].role is Role.USER and i not in plan.summaries and i not in ours
    ]
    if not users or known is None:
        return users[-1] if users else -1
    return min(known.behind[users[-1]], default=-1)


def _orders(
    order: SummaryOrder, how: How, plan: CompactionPlan, turn: int
) -> Iterator[SummaryOrder | Summary]:
    """One order; or two, where the beginning of a turn whose end stays has a summary of its own.

    With nothing in front of that turn, an earlier summary stays as it is.

    Args:
        turn: Index at which that turn begins, -1 if there is none.
    """
    split, selection = how.split_turn, plan.selection
    if split is None or selection is None or not selection.splits_turn or turn < 0:
        yield order
        return
    before = [source for source in order.sources if source.index < turn]
    inside = [source for source in order.sources if source.index >= turn]
    if before:
        yield replace(order, sources=before)
    elif order.prior:
        yield Summary(order.prior, "")
    taken = 0 if before else order.counter.count(order.prior)
    most = min(split.max_tokens, max(LEAST_SUMMARY, order.room_tokens - taken))
    wanted = how.model_copy(update={"sections": split.sections, "max_tokens": most})
    yield replace(order, sources=inside, summary=wanted, prior="", room_tokens=most)


def _kept_tokens(plan: CompactionPlan) -> int:
    """Tokens of everything but the messages that go."""
    return plan.before - sum(row.before for row in plan.messages) + sum(row.after for row in plan.messages)


def _asked(how: How, tokens: int) -> How:
    """What a writer is asked for: not the sections that code fills, and no more than there is room for."""
    written = tuple(section for section in how.sections if not section.by_code)
    return how.model_copy(update={"sections": written, "max_tokens": min(how.max_tokens, tokens)})


def _sources(
    conversation: Conversation,
    policy: CompactionPolicy,
    plan: CompactionPlan,
    means: Means,
    without: Sequence[int],
    anew: bool,
    ours: Collection[int],
) -> list[Source]:
    """What the writer reads: the messages that go, as they first came where that is known."""
    selection, how = plan.selection, policy.summary
    assert selection is not None
    read = [index for index in selection.read if index not in ours]
    known = means.originals
    if known is None:
        frame = Frame.of(policy.compose)
        later = numbers_on(conversation, frame)
        # What a person said in the message of a summary is read, the summary itself is not.
        rest = without_notes(conversation, frame, [index for index in read if index in without])
        told = sources(rest, read, how.clip_chars, how.texts_only)
        return [replace(one, id=one.id.replace(f"m{one.index}", f"m{one.index + later}", 1)) for one in told]
    if anew:
        first = [one for behind in known.behind[: selection.tail] for one in behind]
        return sources(known.conversation, sorted(set(first)), how.clip_chars, how.texts_only)
    wanted = [one for index in read if index not in without for one in known.behind[index]]
    return sources(known.conversation, sorted(set(wanted)), how.clip_chars, how.texts_only)


def _beside(conversation: Conversation, compose: Compose, summaries: Sequence[int]) -> frozenset[int]:
    """Indexes of what the policy itself says around its summaries: nobody else did."""
    said = [
        "\n".join(leaf.text for block in message.blocks for leaf in block.leaves)
        for message in conversation.messages
    ]
    around = [(at - 1, compose.lead) for at in summaries] + [(at + 1, compose.ack) for at in summaries]
    found = {at for at, text in around if text and said[at : at + 1] == [text]}
    return frozenset(found | {at for at, text in enumerate(said) if text and text == compose.continue_})
