"""Thoughts stay where the provider signed them.

Anthropic: what is left of a running tool loop begins with thinking if the loop did. Gemini 3 and later:
the first call of every step of the current turn carries its signature; earlier turns need none.
"""

from collections.abc import Iterator

import regex

from elision.compaction.conversation import Conversation, Format, Message, Part
from elision.compaction.cuts.body import body_of
from elision.compaction.cuts.problem import Problem, everywhere
from elision.compaction.cuts.turns import Turn, turns

formats = frozenset({Format.ANTHROPIC, Format.GEMINI})
_NAME = "signed_thinking"
_SIGNING_GEMINI = regex.compile(r"gemini-(?:[3-9]|[1-9]\d)")


def problems(conversation: Conversation) -> Iterator[Problem]:
    """A running loop without its leading thought; a call without its signature."""
    if conversation.format is Format.GEMINI:
        yield from _unsigned(conversation)
    else:
        yield from _thoughtless(conversation)


def cuts(conversation: Conversation) -> set[int]:
    """Anywhere but inside a running loop of thoughts before a message that does not begin with one."""
    allowed = everywhere(conversation)
    if conversation.format is Format.GEMINI:
        return allowed
    thought = False
    for turn in _running_loop(conversation):
        for index, message in enumerate(turn.messages, turn.start):
            if thought and not _begins_with_thought(message):
                allowed.discard(index)
            thought = thought or any(block.part is Part.THINKING for block in message.blocks)
    return allowed


def last_signed(conversation: Conversation) -> int:
    """Index of the last message that holds a signed thought, -1 if none does.

    The newest Anthropic models bind such a thought to everything in front of it, character by character:
    who changes a message before this one has to strip the thoughts behind it, or to ask the provider
    to drop them.
    """
    signed = (
        index
        for index, message in enumerate(conversation.messages)
        if any(block.part is Part.THINKING and block.signed for block in message.blocks)
    )
    return max(signed, default=-1)


def _running_loop(conversation: Conversation) -> list[Turn]:
    """The assistant's turns since the user last spoke, if the loop they make is not over; else none."""
    spoken = [turn for turn in turns(conversation) if turn.role != "system"]
    loop: list[Turn] = []
    for turn in reversed(spoken):
        if turn.role == "user" and not turn.holds(Part.RESULT):
            break
        loop.insert(0, turn)
    runs = bool(loop) and (loop[-1].role == "user" or loop[-1].holds(Part.CALL))
    return [turn for turn in loop if turn.role == "assistant"] if runs else []


def _begins_with_thought(message: Message) -> bool:
    return bool(message.blocks) and message.blocks[0].part is Part.THINKING


def _thoughtless(conversation: Conversation) -> Iterator[Problem]:
    loop = _running_loop(conversation)
    if not loop or _begins_with_thought(loop[0].messages[0]):
        return
    # Only models that think on a fixed budget insist; adaptive ones may call without a thought.
    body = body_of(conversation)
    asked = body.get("thinking") if body else None
    if asked is not None and asked.text("type") == "enabled":
        yield Problem(
            loop[0].messages[0].path,
            _NAME,
            f"message {loop[0].start} opens a running tool loop without thinking, though thinking is enabled",
        )


def _unsigned(conversation: Conversation) -> Iterator[Problem]:
    if not _SIGNING_GEMINI.search(conversation.model):
        return
    for index in range(_current_turn(conversation), len(conversation.messages)):
        call = next((block for block in conversation.messages[index].blocks if block.part is Part.CALL), None)
        if call and not call.signed:
            yield Problem(call.path, _NAME, f"call {call.name!r} in message {index} of the current turn has no signature")


def _current_turn(conversation: Conversation) -> int:
    """Where the current turn begins: behind the last message of the user that is no result."""
    asked = (
        index
        for index, message in enumerate(conversation.messages)
        if message.wire_role != "model" and all(block.part is not Part.RESULT for block in message.blocks)
    )
    return max(asked, default=-1) + 1
