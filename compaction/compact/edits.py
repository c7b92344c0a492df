"""Changes of a body before anything of it goes: texts of leaves, spellings of blocks."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from elision.compaction.conversation import Conversation, Leaf
from elision.compaction.formats.read import read
from elision.compaction.raw_json import replaced, spell
from elision.model.types import Span


@dataclass(frozen=True, slots=True)
class Reduction:
    """One change that a reducer wants.

    Attributes:
        index: Index of the message.
        path: JSON pointer of the leaf or block.
        span: Where that stands in the body.
        spelling: The JSON text that takes its place.
        reason: Which reducer, in its policy's words: ``mask``, ``dedupe`` ...
        tokens_saved: By the counter it was given.
        again: How the host gets it back without us, such as ``read src/app.py``; empty if it cannot.
        was: The text of a leaf before; empty of a block.
    """

    index: int
    path: str
    span: Span
    spelling: str
    reason: str
    tokens_saved: int = 0
    again: str = ""
    was: str = field(default="", repr=False)


def leaf_reduction(
    conversation: Conversation,
    index: int,
    leaf: Leaf,
    text: str,
    reason: str,
    saved: int = 0,
    again: str = "",
) -> Reduction:
    """The change of one leaf to another text, spelled as the leaf is."""
    plain = len(leaf.span) == len(leaf.text)  # of plain text; a JSON string is longer, by its quotes
    spelling = text if plain else spell(text, leaf.span.of(conversation.raw))
    return Reduction(index, leaf.path, leaf.span, spelling, reason, saved, again, leaf.text)


def reduced(conversation: Conversation, reductions: Sequence[Reduction], root: str = "") -> Conversation:
    """The conversation with these changes made; they do not overlap."""
    raw = replaced(conversation.raw, [(one.span, one.spelling) for one in reductions])
    return read(raw, conversation.format, root) if reductions else conversation
