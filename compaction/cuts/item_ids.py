"""Responses: an item's id begins with what the item is. Ids are optional; call ids are another matter."""

from collections.abc import Iterator

from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts.problem import Problem, everywhere

formats = frozenset({Format.OPENAI_RESPONSES})
cuts = everywhere
_PREFIXES = {"message": "msg_", "function_call": "fc_", "reasoning": "rs_", "compaction": "cmp_"}


def problems(conversation: Conversation) -> Iterator[Problem]:
    """Items whose id has another prefix than their type demands."""
    for index, message in enumerate(conversation.messages):
        kind = next((block.type for block in message.blocks if block.type in _PREFIXES), "message")
        prefix = _PREFIXES[kind]
        known = kind != "message" or message.wire_role
        if message.id and known and not message.id.startswith(prefix):
            yield Problem(f"{message.path}/id", "item_ids", f"id {message.id!r} of item {index} must begin with {prefix}")
