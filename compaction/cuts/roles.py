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


def _first_is_the_assistants(conversation: Conversation) -> Iterator[Problem]:
    for message in conversation.messages[:1]:
        compacted = any(block.part is Part.COMPACTION for block in message.blocks)
        if message.wire_role == "assistant" and not compacted:
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
        calls = any(block.part is Part.CALL for block in message.blocks)
        if calls and (index == 0 or conversation.messages[index - 1].wire_role == "model"):
            yield Problem(
                message.path, _NAME, f"the calls in message {index} must follow a message of the user or of results"
            )
