"""How large a request is, and how large it may be.

What a provider billed for the last request is worth more than any estimate. So its count stands for the
messages that it counted, and only what came after them is estimated.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from elision.compaction.compact.estimators import ruler
from elision.compaction.conversation import INSTRUCTIONS, Conversation, Message, Part, Role
from elision.compaction.counting import ConversationTokens, count
from elision.compaction.errors import BadBudget
from elision.compaction.policies.timing import Measure
from elision.compaction.types import TokenCounter

Scope = Literal["total", "history"]
_NO_EVENT = frozenset({Part.THINKING, Part.CALL, Part.RESULT})


@dataclass(frozen=True, slots=True)
class Window:
    """What a model takes.

    Attributes:
        tokens: Input and output together.
        max_output: Longest output that a request asks for, 0 if it is not known.
        input_limit: Of input alone, where the model has such a limit.

    Raises:
        BadBudget: If one of them is no such number. A window that is not known is none: ask for it.
    """

    tokens: int
    max_output: int = 0
    input_limit: int | None = None

    def __post_init__(self) -> None:
        if self.tokens <= 0:
            raise BadBudget(f"window has {self.tokens} tokens, must be at least 1")
        if self.max_output < 0:
            raise BadBudget(f"max_output is {self.max_output}, must not be negative")
        if self.input_limit is not None and self.input_limit <= 0:
            raise BadBudget(f"input_limit is {self.input_limit}, must be at least 1")

    @property
    def input(self) -> int:
        """Tokens that a request can have at all."""
        return min(self.tokens, self.input_limit or self.tokens)

    @property
    def usable(self) -> int:
        """Tokens that a request can have if the longest output is still to fit."""
        return max(0, min(self.input, self.tokens - self.max_output))

    def filled(self, percent: float) -> int:
        """Tokens of a request that fills so many percent of it."""
        return share(self.input, percent / 100)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider counted of the last request.

    A count from before a compaction, or of another model, is worth nothing: pass none then.

    Attributes:
        input: Tokens of the whole request, read from a cache or not.
        messages: How many of the conversation's messages it had.
        output: Tokens of the answer.
    """

    input: int
    messages: int
    output: int = 0


def share(tokens: int, ratio: float) -> int:
    """This share of so many tokens, rounded down; 0.29 of 100 is 29."""
    return int(tokens * ratio + 1e-6)


def estimate(conversation: Conversation, measure: Measure, counter: TokenCounter) -> int:
    """Tokens of a request, tools and system included, by the policy's rule.

    Args:
        counter: The reader's; used where the policy counts by tokeniser.
    """
    counted = _counted(conversation, measure, counter)
    return counted.total + counted.tools + _documents(conversation.messages, measure)


def measured(
    conversation: Conversation,
    measure: Measure,
    counter: TokenCounter,
    usage: Usage | None = None,
    scope: Scope = "total",
) -> int:
    """Tokens of a request: what the provider counted, and an estimate of what came after that.

    Args:
        usage: Of an earlier request with the same system, tools and first messages; left out of account
            if the policy anchors nothing, if it counts more messages than there are, and in a scope of
            history alone.
        scope: As in `Trigger`.
    """
    if scope == "history":
        return estimate(history(conversation), measure, counter)
    if not (
        measure.anchor and usage and usage.input > 0 and 0 <= usage.messages <= len(conversation.messages)
    ):
        return estimate(conversation, measure, counter)
    later = replace(conversation, messages=conversation.messages[usage.messages :], system=(), tools=())
    return usage.input + estimate(later, measure, counter)


def history(conversation: Conversation) -> Conversation:
    """What a turn that begins finds: no system, no tools, and nothing from the user's last message on."""
    speaks = (
        i for i in reversed(range(len(conversation.messages))) if conversation.messages[i].role is Role.USER
    )
    before = conversation.messages[: next(speaks, len(conversation.messages))]
    spoken = tuple(message for message in before if message.role not in INSTRUCTIONS)
    return replace(conversation, messages=spoken, system=(), tools=())


def items(conversation: Conversation) -> int:
    """Events of a history: calls, results, and what else a message says; alike on every wire.

    System messages and thoughts are none.
    """
    return sum(_items(message) for message in conversation.messages if message.role not in INSTRUCTIONS)


def read_usage(usage: Mapping[str, object], messages: int) -> Usage | None:
    """What a provider said it counted, from the usage object of any wire.

    Anthropic counts what it read from a cache and what it wrote to one apart from the rest; the others
    include it.

    Returns:
        None if it says nothing about the input.
    """
    asked = next((found for key in _INPUT if (found := _number(usage, key)) is not None), None)
    if asked is None:
        return None
    apart = sum(
        _number(usage, key) or 0 for key in ("cache_creation_input_tokens", "cache_read_input_tokens")
    )
    answered = next((found for key in _OUTPUT if (found := _number(usage, key)) is not None), 0)
    return Usage(asked + apart, messages, answered)


_INPUT = ("input_tokens", "prompt_tokens", "promptTokenCount")
_OUTPUT = ("output_tokens", "completion_tokens", "candidatesTokenCount")


def _number(usage: Mapping[str, object], key: str) -> int | None:
    found = usage.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def _counted(conversation: Conversation, measure: Measure, counter: TokenCounter) -> ConversationTokens:
    return count(conversation, ruler(measure, counter), measure.image_tokens, measure.per_message)


def _documents(messages: tuple[Message, ...], measure: Measure) -> int:
    """What documents cost more than images."""
    if measure.document_tokens is None:
        return 0
    blocks = [block for message in messages for block in message.blocks]
    found = sum((block.part is Part.DOCUMENT) + block.media.count(Part.DOCUMENT) for block in blocks)
    return found * (measure.document_tokens - measure.image_tokens)


def _items(message: Message) -> int:
    apart = sum(block.part in (Part.CALL, Part.RESULT) for block in message.blocks)
    return apart + any(block.part not in _NO_EVENT for block in message.blocks)
