"""Responses: a trigger asks for compaction from the end; an opaque item stands for all before it.

Only the provider can read such an item, so nothing that we keep could take its place.
"""

from collections.abc import Iterator

from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts.body import history_is_hidden
from elision.compaction.cuts.problem import Problem, everywhere

formats = frozenset({Format.OPENAI_RESPONSES})
_NAME = "compaction_items"


def problems(conversation: Conversation) -> Iterator[Problem]:
    """Triggers before the end, and a newest opaque item with others before it, which are no longer read."""
    last = len(conversation.messages) - 1
    for index in _of_type(conversation, "compaction_trigger"):
        if index != last:
            path = conversation.messages[index].path
            yield Problem(path, _NAME, f"the compaction_trigger at {index} must be the last item, {last}")
    if outdated(conversation):
        newest = len(outdated(conversation))
        detail = f"the items before the compaction item at {newest} are replaced by it: they are ignored, or billed twice"
        yield Problem(conversation.messages[newest].path, _NAME, detail)


def outdated(conversation: Conversation) -> range:
    """Indexes of the items that the newest opaque item replaces.

    Where the provider keeps the history, none: it wants the list as it came.
    """
    newest = max(_of_type(conversation, "compaction"), default=0)
    return range(0 if newest and history_is_hidden(conversation) else newest)


def cuts(conversation: Conversation) -> set[int]:
    """Anywhere up to the newest opaque item."""
    newest = max(_of_type(conversation, "compaction"), default=len(conversation.messages))
    return {position for position in everywhere(conversation) if position <= newest}


def _of_type(conversation: Conversation, kind: str) -> list[int]:
    return [
        index
        for index, message in enumerate(conversation.messages)
        if any(block.type == kind for block in message.blocks)
    ]
