"""Responses: a reasoning item needs what it led to, and what it led to needs it.

So ``reasoning* + (what the model said or called + outputs)+`` is kept or dropped as one group.
"""

from collections.abc import Iterator

from elision.compaction.conversation import Conversation, Format, Message, Part, Role
from elision.compaction.cuts.problem import Problem, everywhere
from elision.compaction.cuts.turns import of_the_model

formats = frozenset({Format.OPENAI_RESPONSES})


def problems(conversation: Conversation) -> Iterator[Problem]:
    """Reasoning items with no item of the model behind them."""
    for index in without_follower(conversation):
        message = conversation.messages[index]
        named = f"reasoning item {message.id!r}" if message.id else "reasoning item"
        yield Problem(message.path, "reasoning_followers", f"{named} at {index} lacks the item that must follow it")


def without_follower(conversation: Conversation) -> list[int]:
    """Indexes of the reasoning items that lead to nothing."""
    found: list[int] = []
    followed = False
    for index in reversed(range(len(conversation.messages))):
        message = conversation.messages[index]
        if not _is_reasoning(message):
            followed = of_the_model(message) or _holds(message, Part.REFERENCE)
        elif not followed:
            found.append(index)
    return found[::-1]


def cuts(conversation: Conversation) -> set[int]:
    """Anywhere but inside a group that begins with reasoning."""
    allowed = everywhere(conversation)
    grouped = thinking = False
    for index, message in enumerate(conversation.messages):
        begins = _is_reasoning(message) and not thinking
        if grouped and not begins and _continues(message):
            allowed.discard(index)
        thinking = _is_reasoning(message)
        grouped = thinking or (grouped and _continues(message))
    return allowed


def _is_reasoning(message: Message) -> bool:
    return _holds(message, Part.THINKING)


def _continues(message: Message) -> bool:
    return of_the_model(message) or message.role is Role.TOOL or _holds(message, Part.REFERENCE)


def _holds(message: Message, part: Part) -> bool:
    return any(block.part is part for block in message.blocks)
