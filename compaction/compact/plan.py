"""Look at a history and say what a policy would do to it, why, and what that costs.

Nothing is done and nobody is asked: the same history, policy and occasion make the same plan. What comes
first is what loses least: outputs that can be had again are masked, then messages go.
"""

from collections.abc import Callable
from dataclasses import replace

from elision.compaction.compact.estimators import ruler
from elision.compaction.compact.frames import Frame
from elision.compaction.compact.gate import may_try, reduce_only
from elision.compaction.compact.lessened import Lessened, lessened
from elision.compaction.compact.look import Look, look_at
from elision.compaction.compact.priced import LEAST_SUMMARY, priced
from elision.compaction.compact.select import Selection, select
from elision.compaction.compact.trigger import Reason, usable
from elision.compaction.compact.types import CompactionPlan, Occasion
from elision.compaction.conversation import Conversation
from elision.compaction.counting import count
from elision.compaction.pins.types import Collected
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.reduce.reducers import eligible
from elision.compaction.types import TokenCounter


def plan(
    conversation: Conversation,
    policy: CompactionPolicy,
    occasion: Occasion,
    *,
    counter: TokenCounter,
    pins: Callable[[Conversation], Collected],
    compresses: bool = False,
) -> CompactionPlan:
    """Say what a policy would do.

    Args:
        conversation: The request.
        policy: What is done, and when.
        occasion: Why one looks, the window, what is known of the session.
        counter: Counts the reader's tokens.
        pins: Collects what may not be lost; only asked if the policy pins and messages go.
        compresses: Whether there is a classifier for `reduce.compress`.

    Raises:
        BadPolicy: If the policy waits for more tokens than the window has.
    """
    look = look_at(conversation, policy, occasion, counter)
    reduce = policy.reduce.within(occasion.window.input)
    if look.reason is Reason.NONE:
        always = lessened(conversation, reduce.always, counter)
        return priced(look, always) if always.reductions else look.left("below_trigger", look.below)
    refused = may_try(
        policy.gate, look.reason, len(conversation.messages), look.total, occasion.recent, occasion.now
    )
    if refused:
        return look.left(refused, f"the policy's gate is shut: {refused} is {getattr(policy.gate, refused)}")
    goal = _goal(look)
    less = lessened(conversation, reduce, counter, None if goal is None else look.total - goal)
    if compresses and policy.reduce.compress:
        less = replace(less, shorter=eligible(less.conversation, policy.reduce.compress))
    enough = goal is not None and less.tokens(counter) <= goal
    summaries = tuple(sorted(Frame.of(policy.compose).found(conversation)))
    selection = _selection(look, less, frozenset(summaries))
    if selection is None or enough or reduce_only(policy.gate, look.reason, occasion.recent):
        return priced(look, less, summaries=summaries)
    carries = policy.summary.pins or policy.compose.file_lists
    return priced(look, less, selection, pins(conversation) if carries else Collected(()), summaries)


def _goal(look: Look) -> int | None:
    """Tokens of system and messages that reducing alone must reach; None where messages go in any case."""
    target, enough = look.occasion.target_tokens, look.policy.gate.enough
    if target is not None:
        return target
    if enough is None or look.point is None or look.reason is Reason.REQUEST:
        return None  # who asks for a compaction wants one
    beside = max(0, look.measured - look.total)  # tools, and what the provider counts beyond us
    return max(0, int(enough * look.point) - beside)


def _selection(look: Look, less: Lessened, summaries: frozenset[int]) -> Selection | None:
    policy, window, target = look.policy, look.occasion.window, look.occasion.target_tokens
    if policy.select.nothing:
        return None
    measure = policy.measure
    rule = ruler(measure, look.counter)
    counted = count(less.conversation, rule, measure.image_tokens, measure.per_message)
    selection = select(
        less.conversation,
        policy.select,
        counted.messages,
        window=window.input,
        usable=usable(policy, window),
        beside=counted.system + counted.tools,
        at_most=None if target is None else _at_most(look, target - counted.system),
        summaries=summaries,
        told=policy.summary.writer != "none",
    )
    told = [index for index in selection.covered if index not in summaries]
    return selection if told else None


def _at_most(look: Look, room: int) -> int:
    """Tokens that the messages that stay may have of the room of all."""
    target, kept = look.occasion.target_tokens or 0, look.occasion.kept_tokens
    most = room - _least_summary(look.policy, target)
    return most if kept is None else min(most, kept)


def _least_summary(policy: CompactionPolicy, target: int) -> int:
    """What a summary needs of a limit, its frame included: not more than a quarter."""
    return min(policy.summary.max_tokens, max(LEAST_SUMMARY, target // 4))
