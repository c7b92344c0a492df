"""All that the next model reads of a request, to look whether something is still in it."""

from collections.abc import Iterator

from elision.compaction.conversation import Conversation, Part


def every_text(conversation: Conversation) -> str:
    """System, messages, arguments of calls and results, a line end between any two."""
    return "\n".join(_texts(conversation))


def _texts(conversation: Conversation) -> Iterator[str]:
    said = (block for message in conversation.messages for block in message.blocks)
    for block in [*conversation.system, *said]:
        yield from (leaf.text for leaf in block.leaves)
        if block.part is Part.CALL and not block.leaves:
            yield block.arguments.of(conversation.raw)
