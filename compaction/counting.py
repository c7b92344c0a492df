"""Count what a whole request costs its reader.

Text by the reader's tokeniser. What is no text has a flat price: the length of a picture's base64 says
nothing about what it costs. The same story costs the same on every wire: items are counted, whatever
messages a wire makes of them, and arguments in one spelling. So a budget cuts it alike everywhere, and no
wire costs more than is counted.
"""

import json
from dataclasses import dataclass

from elision.compaction.conversation import Block, Conversation, Message, Part
from elision.compaction.types import TokenCounter

PER_ITEM = 4  # role and separators, as OpenAI counts chat messages
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


def count(
    conversation: Conversation, counter: TokenCounter, per_medium: int = PER_MEDIUM, per_item: int = PER_ITEM
) -> ConversationTokens:
    """Count a conversation.

    Args:
        per_medium: Tokens of one image, document, file or sound.
        per_item: Added for each item.
    """
    raw = conversation.raw

    def tokens(block: Block) -> int:
        if block.part in _MEDIA:
            return per_medium
        return counter.count(_told(block, raw)) + per_medium * len(block.media)

    media = any(b.media or b.part in _MEDIA for message in conversation.messages for b in message.blocks)
    return ConversationTokens(
        system=per_item * bool(conversation.system) + sum(tokens(block) for block in conversation.system),
        messages=tuple(
            per_item * _items(message) + sum(tokens(block) for block in message.blocks)
            for message in conversation.messages
        ),
        tools=sum(counter.count(tool.span.of(raw)) for tool in conversation.tools),
        exact=counter.exact and not media,
    )


def _items(message: Message) -> int:
    """Items that a message would be on the wire that makes most of it: calls, results, and all else in one."""
    apart = sum(block.part in (Part.CALL, Part.RESULT) for block in message.blocks)
    return apart + (apart < len(message.blocks) or not message.blocks)


def _told(block: Block, raw: str) -> str:
    """What a reader reads of a block; of what we cannot read, its spelling as far as it may be text."""
    if block.part is Part.CALL:
        return f"{block.name} {_one_spelling(block.leaves[0].text if block.leaves else block.arguments.of(raw))}"
    if block.leaves or block.part is Part.RESULT:
        return "\n".join(leaf.text for leaf in block.leaves)
    return block.span.of(raw)[:_LONGEST_OPAQUE]


def _one_spelling(arguments: str) -> str:
    """Arguments as Python writes JSON, with white space; as they are, if they are none."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments
