"""Turns and steps: what several messages in a row make together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from elision.compaction.conversation import Conversation, Format, Message, Part, Role

_MODEL_PARTS = frozenset({Part.CALL, Part.THINKING, Part.SERVER_CALL, Part.SERVER_RESULT})


@dataclass(frozen=True, slots=True)
class Turn:
    """Neighbouring messages of one speaker, which Anthropic reads as one.

    Attributes:
        role: What the wire calls the speaker.
        start: Index of its first message.
        messages: Its messages; at least one.
    """

    role: str
    start: int
    messages: tuple[Message, ...]

    @property
    def stop(self) -> int:
        """One past the index of its last message."""
        return self.start + len(self.messages)

    def holds(self, part: Part) -> bool:
        """Whether one of its blocks is of this part."""
        return any(block.part is part for message in self.messages for block in message.blocks)


def turns(conversation: Conversation) -> list[Turn]:
    """The turns, in order; together they are all messages."""
    found: list[Turn] = []
    start = 0
    for role, run in groupby(conversation.messages, key=lambda message: message.wire_role):
        found.append(Turn(role, start, tuple(run)))
        start = found[-1].stop
    return found


def step_end(conversation: Conversation, index: int) -> int:
    """Where the step of the model that message ``index`` belongs to is over, and results are due."""
    match conversation.format:
        case Format.ANTHROPIC:
            return _run_end(conversation.messages, index, lambda message: message.wire_role == "assistant")
        case Format.OPENAI_RESPONSES:
            return _run_end(conversation.messages, index, of_the_model)
    return index + 1


def results_end(conversation: Conversation, start: int) -> int:
    """Where the messages that can hold the results due at ``start`` are over."""
    match conversation.format:
        case Format.ANTHROPIC:
            return _run_end(conversation.messages, start, lambda message: message.wire_role == "user")
        case Format.GEMINI:
            return min(start + 1, len(conversation.messages))
    return _run_end(conversation.messages, start, lambda message: message.role is Role.TOOL)


def awaited(conversation: Conversation, index: int) -> bool:
    """Whether results of the calls in message ``index`` may still come: the model has not gone on since.

    OpenAI's results are messages of their own, so some may be there before the others.
    """
    end = step_end(conversation, index)
    if not all(map(_goes_on_calling, conversation.messages[index + 1 : end])):
        return False
    if conversation.format in (Format.OPENAI_CHAT, Format.OPENAI_RESPONSES):
        end = results_end(conversation, end)
    return end == len(conversation.messages)


def of_the_model(message: Message) -> bool:
    """Whether the model made it: what it said, thought or called."""
    return message.role is Role.ASSISTANT or any(block.part in _MODEL_PARTS for block in message.blocks)


def _goes_on_calling(message: Message) -> bool:
    parts = [block.part for block in message.blocks]
    return Part.CALL in parts or Part.SERVER_CALL in parts or all(part is Part.THINKING for part in parts)


def _run_end(messages: Sequence[Message], start: int, belongs: Callable[[Message], bool]) -> int:
    stop = start
    while stop < len(messages) and belongs(messages[stop]):
        stop += 1
    return stop
