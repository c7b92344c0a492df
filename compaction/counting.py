"""Count what a whole request costs its reader.

Text by the reader's tokeniser. What is no text has a flat price: the length of a picture's base64 says
nothing about what it costs.
"""

from dataclasses import dataclass

from elision.compaction.conversation import Block, Conversation, Part
from elision.compaction.types import TokenCounter

PER_MESSAGE = 4  # role and separators, as OpenAI counts chat messages
# OpenAI's price of a 1024 x 1024 picture in high detail; Anthropic's formula gives about twice that.
PER_MEDIUM = 765
_MEDIA = frozenset({Part.IMAGE, Part.DOCUMENT, Part.AUDIO, Part.FILE})
_LONGEST_OPAQUE = 2000  # characters: encrypted content is not billed by its spelling


@dataclass(frozen=True, slots=True)
class ConversationTokens:
    """Tokens of a request.

    Attributes:
        system: Of system texts outside the messages.
        messages: Of each message.
        tools: Of the tool definitions.
        exact: Whether every part was counted by the reader's own tokeniser.
    """

    system: int
    messages: tuple[int, ...]
    tools: int
    exact: bool

    @property
    def total(self) -> int:
        """System and messages; tools are counted apart."""
        return self.system + sum(self.messages)


def count(conversation: Conversation, counter: TokenCounter, per_medium: int = PER_MEDIUM) -> ConversationTokens:
    """Count a conversation.

    Args:
        per_medium: Tokens of one image, document, file or sound.
    """
    raw = conversation.raw

    def tokens(block: Block) -> int:
        if block.part in _MEDIA:
            return per_medium
        return counter.count(_told(block, raw)) + per_medium * len(block.media)

    media = any(b.media or b.part in _MEDIA for message in conversation.messages for b in message.blocks)
    return ConversationTokens(
        system=PER_MESSAGE * bool(conversation.system) + sum(tokens(block) for block in conversation.system),
        messages=tuple(
            PER_MESSAGE + sum(tokens(block) for block in message.blocks) for message in conversation.messages
        ),
        tools=sum(counter.count(tool.span.of(raw)) for tool in conversation.tools),
        exact=counter.exact and not media,
    )


def _told(block: Block, raw: str) -> str:
    """What a reader reads of a block; of what we cannot read, its spelling as far as it may be text."""
    if block.part is Part.CALL:
        return f"{block.name} {block.arguments.of(raw)}"
    if block.leaves or block.part is Part.RESULT:
        return "\n".join(leaf.text for leaf in block.leaves)
    return block.span.of(raw)[:_LONGEST_OPAQUE]
