"""Who may speak when. OpenAI takes every order; equal neighbours are fine everywhere."""

from collections.abc import Iterator

from elision.compaction.conversation import Conversation, Format, Part
from elision.compaction.cuts.problem import Problem, everywhere
from elision.compaction.cuts.turns import turns

formats = frozenset({Format.ANTHROPIC, Format.GEMINI})
cuts = everywhere  # a user message stands in front of every kept tail
_NAME = "roles"


def problems(conversation: Conversation) -> Iterator[Problem]:
    """Turns that may not stand where they do."""
    if conversation.format is Format.GEMINI:
        yield from _calls_after_the_model(conversation)
    else:
        yield from _first_is_the_assistants(conversation)
        yield from _misplaced_system(conversation)


def may_follow(conversation: Conversation, index: int, before: int | None) -> bool:
    """Whether a message may stand directly behind another one.

    Args:
        before: Index of that one; None if nothing stands in front of it.
    """
    message = conversation.messages[index]
    speaker = None if before is None else conversation.messages[before].wire_role
    if conversation.format is Format.GEMINI:
        return speaker not in (None, "model") or all(block.part is not Part.CALL for block in message.blocks)
    if conversation.format is not Format.ANTHROPIC:
        return True
    if speaker is None:
        compacted = any(block.part is Part.COMPACTION for block in message.blocks)
        return message.wire_role != "assistant" or compacted
    return (speaker, message.wire_role) not in (("assistant", "system"), ("system", "user"))


def _first_is_the_assistants(conversation: Conversation) -> Iterator[Problem]:
    for message in conversation.messages[:1]:
        if not may_follow(conversation, 0, None):
            yield Problem(message.path, _NAME, "the first message is the assistant's, but must be the user's")


def _misplaced_system(conversation: Conversation) -> Iterator[Problem]:
    """System text in mid-conversation stands directly after the user's turn and not before another."""
    found = turns(conversation)
    for number, turn in enumerate(found[1:], 1):
        if turn.role != "system":
            continue
        before, after = found[number - 1], found[number + 1 : number + 2]
        where = f"the system message at {turn.start}"
        if before.role == "assistant":
            yield Problem(turn.messages[0].path, _NAME, f"{where} follows an assistant message")
        if after and after[0].role == "user":
            yield Problem(turn.messages[0].path, _NAME, f"{where} stands before a user message")


def _calls_after_the_model(conversation: Conversation) -> Iterator[Problem]:
    for index, message in enumerate(conversation.messages):
        if not may_follow(conversation, index, index - 1 if index else None):
            yield Problem(
                message.path, _NAME, f"the calls in message {index} must follow a message of the user or of results"
            )
