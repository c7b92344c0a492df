"""Whether there is something to do, and how urgent that is.

A policy's points (a share of the window, a reserve, a number) become one number of tokens. Beside it stand
counts of events and what happened: a person asked, the provider refused, the model changed.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from elision.compaction.compact.measure import Window, items, share
from elision.compaction.conversation import Conversation
from elision.compaction.errors import BadPolicy
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.policies.timing import Trigger


class Cause(StrEnum):
    """Why one looks."""

    CHECK = "check"  # as before every request
    REQUEST = "request"  # a person or the agent asked for it
    OVERFLOW = "overflow"  # the provider said that the last request was too large
    MODEL_SWITCH = "model_switch"  # the next request goes to another model, whose window is given


class Reason(StrEnum):
    """Why a compaction is due."""

    NONE = ""
    REQUEST = "request"
    OVERFLOW = "overflow"
    MODEL_SWITCH = "model_switch"
    WINDOW = "window"  # as full as may be
    ALWAYS = "always"
    MESSAGES = "messages"
    TOKENS = "tokens"


# Not doing it is no choice, whatever it costs.
FORCED = frozenset({Reason.REQUEST, Reason.OVERFLOW, Reason.MODEL_SWITCH, Reason.WINDOW})


def triggers_at(policy: CompactionPolicy, window: Window) -> int | None:
    """Tokens at which a policy acts; None where it does not act by tokens.

    0 where the policy's reserve is larger than the window: it then acts on every request.

    Raises:
        BadPolicy: If it waits for more tokens than the window has.
    """
    trigger = policy.trigger
    if trigger.absolute is not None and trigger.absolute > window.input:
        raise BadPolicy(
            f"policy {policy.name}: trigger.absolute is {trigger.absolute}, the window takes {window.input} tokens"
        )
    points = list(_points(trigger, window))
    if not points:
        return None
    point = min(points) if trigger.combine == "first" else max(points)
    return max(0, point if trigger.scope == "history" else min(point, full_at(policy, window)))


def full_at(policy: CompactionPolicy, window: Window) -> int:
    """Tokens at which the window is as full as the policy lets it become."""
    full = window.filled(policy.measure.percent)
    return min(full, usable(policy, window)) if policy.trigger.reserve_output else full


def usable(policy: CompactionPolicy, window: Window) -> int:
    """Tokens of the window that are for input, the policy's reserve for the output taken off."""
    return _reserved(policy.trigger, window)


def triggered(
    policy: CompactionPolicy,
    window: Window,
    conversation: Conversation,
    tokens: int,
    cause: Cause = Cause.CHECK,
) -> Reason:
    """Why a compaction is due, `Reason.NONE` if it is not.

    Args:
        window: Of the model that the next request goes to.
        tokens: Of the request in the scope of the policy's trigger, see `measured`.
        cause: Why one looks. What a policy does not act on is checked like anything else.

    Raises:
        BadPolicy: As `triggers_at` does.
    """
    trigger = policy.trigger
    if cause is Cause.REQUEST:
        return Reason.REQUEST
    if cause is Cause.OVERFLOW and trigger.overflow:
        return Reason.OVERFLOW
    point = triggers_at(policy, window)
    if trigger.scope == "total" and _beyond(tokens, full_at(policy, window), trigger):
        switched = cause is Cause.MODEL_SWITCH and trigger.model_switch
        return Reason.MODEL_SWITCH if switched else Reason.WINDOW
    if trigger.always:
        return Reason.ALWAYS
    if point is not None and _beyond(tokens, point, trigger):
        return Reason.TOKENS
    if trigger.messages is not None and items(conversation) > trigger.messages:
        return Reason.MESSAGES
    return Reason.NONE


def _points(trigger: Trigger, window: Window) -> Iterator[int]:
    large = trigger.dual_at is not None and window.input > trigger.dual_at
    if trigger.ratio is not None and not large:
        yield share(window.input, trigger.ratio)
    if trigger.remaining is not None and (large or trigger.dual_at is None):
        yield window.input - trigger.remaining
    if trigger.reserve_output:
        yield _reserved(trigger, window)
    if trigger.absolute is not None:
        yield trigger.absolute
    if trigger.absolute_share is not None:
        at_least = max(share(window.input, trigger.absolute_share), trigger.absolute_min)
        yield min(at_least, trigger.absolute_max or at_least)


def _reserved(trigger: Trigger, window: Window) -> int:
    """The window less what the output needs."""
    output = window.max_output or min(trigger.assumed_output, window.tokens // 4)
    if window.input_limit is None or trigger.reserve_cap is None:
        return replace(window, max_output=output).usable
    return max(0, window.input - min(trigger.reserve_cap, output))


def _beyond(tokens: int, point: int, trigger: Trigger) -> bool:
    return tokens > point if trigger.over else tokens >= point
