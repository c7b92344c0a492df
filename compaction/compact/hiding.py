"""Take the secrets out of a history before anything is made of it.

What is planned, pinned, summarised, kept and answered is then made of texts that have none, so none of it can
let one through.
"""

from collections.abc import Iterator
from dataclasses import replace

from elision.compaction.compact.edits import Reduction, leaf_reduction, reduced
from elision.compaction.compact.types import Means
from elision.compaction.conversation import Block, Conversation, Part
from elision.compaction.redaction import without_secrets

_REASON = "redact"
_SYSTEM = -1  # index of what stands outside the messages


def hidden(conversation: Conversation) -> Conversation:
    """The conversation with `[redacted]` for every secret in its texts and in what its calls say.

    What a provider has signed, encrypted or run itself is as it was: changed it would be refused.

    Raises:
        RedactionFailed: If a JSON document would be none any more.
    """
    return reduced(conversation, list(_changes(conversation)))


def means_without_secrets(means: Means) -> Means:
    """The means with the originals of a session hidden too."""
    known = means.originals
    if known is None:
        return means
    return replace(means, originals=replace(known, conversation=hidden(known.conversation)))


def _changes(conversation: Conversation) -> Iterator[Reduction]:
    for index, block in _blocks(conversation):
        for leaf in block.leaves:
            text = without_secrets(leaf.text)
            if text != leaf.text:
                yield leaf_reduction(conversation, index, leaf, text, _REASON)
        if block.part is Part.CALL and not block.leaves and len(block.arguments):
            said = block.arguments.of(conversation.raw)
            shown = without_secrets(said)
            if shown != said:
                yield Reduction(index, block.path, block.arguments, shown, _REASON)


def _blocks(conversation: Conversation) -> Iterator[tuple[int, Block]]:
    yield from ((_SYSTEM, block) for block in conversation.system)
    for index, message in enumerate(conversation.messages):
        yield from ((index, block) for block in message.blocks)
