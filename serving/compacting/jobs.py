"""A history that was sent to be compacted, and all that its compaction needs."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from elision.compaction.compact.gate import Recent
from elision.compaction.compact.measure import Usage, Window
from elision.compaction.compact.run import compact, look
from elision.compaction.compact.trigger import Cause
from elision.compaction.compact.types import CompactedHistory, CompactionPlan, Means, Occasion
from elision.compaction.conversation import Conversation, Format
from elision.compaction.counting import count
from elision.compaction.formats.read import read
from elision.compaction.policies.load import load, parse_policy
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.prices.lookup import price_of
from elision.compaction.prices.price import Price
from elision.compaction.prices.price_package import window_of
from elision.compaction.prices.situation import Situation
from elision.serving.compacting.schemas import PlanCompaction
from elision.serving.errors import NotReducible, UnknownContextWindow

ASSUMED_WINDOW = 200_000
"""Of a model that nobody knows, where somebody asks for a compaction all the same."""


@dataclass(frozen=True, slots=True)
class Job:
    """A history that was read, and what is wanted of it.

    Attributes:
        conversation: The request.
        policy: What is done, and when.
        occasion: Why, and what is known of the session.
        means: Who counts, writes, shortens, and where originals are kept.
        window_assumed: Whether nobody knows the window.
    """

    conversation: Conversation
    policy: CompactionPolicy
    occasion: Occasion
    means: Means
    window_assumed: bool = False

    def plan(self) -> CompactionPlan:
        """Look."""
        return look(self.conversation, self.policy, self.occasion, self.means)

    def run(self) -> CompactedHistory:
        """Do."""
        return compact(self.conversation, self.policy, self.occasion, self.means)


def policy_of(asked: PlanCompaction, read_file: Callable[[str], str] | None = None) -> CompactionPolicy:
    """The policy that a request names or brings.

    Raises:
        BadPolicy: If there is none, or it makes no sense.
    """
    if asked.policy_toml is not None:
        return parse_policy(asked.policy_toml, "policy_toml", asked.sets)
    return load(asked.policy, asked.sets, read_file)


def read_asked(raw: str, asked: PlanCompaction) -> Conversation:
    """Read the provider's body; raises as `elision.compaction.formats.read.read` does."""
    return read(raw, Format(asked.format) if asked.format else None)


def job_of(
    conversation: Conversation,
    asked: PlanCompaction,
    means: Means,
    *,
    policy: CompactionPolicy | None = None,
    recent: Recent | None = None,
    passes: int = 0,
    now: float | None = None,
) -> Job:
    """Put together what the compaction of a history needs.

    Args:
        conversation: The history.
        asked: What is wanted.
        means: What is at hand; it counts as the reading model does.
        policy: Instead of the one that is asked for, where it was read already.
        recent: The compactions of the session before.
        passes: How many summaries in a row were brought up to date.
        now: Seconds of the clock that ``recent`` goes by.

    Raises:
        BadPolicy: If the policy makes no sense.
        BadBudget: If a number makes no sense.
        UnknownContextWindow: If nobody knows the window, and nothing else says when there is too much.
        NotReducible: If system texts and tools alone are over the target.
    """
    policy = policy or policy_of(asked)
    model = asked.model or conversation.model
    window, assumed = _window(asked, model)
    counted = count(conversation, means.counter)
    if asked.total_tokens is not None and counted.system >= asked.total_tokens:
        raise NotReducible(
            f"system texts have {counted.system} tokens, the limit is {asked.total_tokens}: messages cannot help"
        )
    usage = Usage(asked.usage_input, asked.usage_messages) if asked.usage_input else None
    occasion = Occasion(
        window=window,
        situation=_situation(asked, model, conversation, means),
        cause=Cause(asked.cause),
        usage=usage,
        target_tokens=asked.total_tokens,
        recent=recent or Recent(),
        focus=asked.focus,
        alternate=asked.alternate,
        language=asked.language,
        now=time.monotonic() if now is None else now,
        passes=passes,
    )
    return Job(conversation, policy, occasion, replace(means, redact=asked.redact), assumed)


def _window(asked: PlanCompaction, model: str) -> tuple[Window, bool]:
    known = asked.context_window or window_of(model)
    certain = known is not None or asked.total_tokens is not None or asked.cause in ("request", "overflow")
    if not certain:
        raise UnknownContextWindow(f"the window of {model or 'the model'} is not known: give context_window")
    return Window(known or ASSUMED_WINDOW, asked.max_output, asked.input_limit), known is None


def _situation(asked: PlanCompaction, model: str, conversation: Conversation, means: Means) -> Situation:
    reader = price_of(model)
    marked = any(block.cache_mark for message in conversation.messages for block in message.blocks)
    marked = marked or any(message.cache_mark for message in conversation.messages)
    return Situation(
        reader=reader,
        summariser=_writer_price(means),
        idle_seconds=asked.idle_seconds,
        cached_tokens=asked.cached_tokens,
        caching=reader.automatic or marked,
        turns_left=asked.turns_left,
    )


def _writer_price(means: Means) -> Price | None:
    if not means.writers:
        return None
    return price_of(means.writers[0].name.partition("/")[2] or means.writers[0].name)
