"""Nothing is sent that holds nothing: no message without content, for Anthropic no text without text.

A result may be empty; a text block inside it may not.
"""

from collections.abc import Iterator

from elision.compaction.conversation import Block, Conversation, Format, Leaf, Message, Part
from elision.compaction.cuts.problem import Problem, everywhere
from elision.compaction.cuts.turns import turns

formats = frozenset({Format.OPENAI_CHAT, Format.ANTHROPIC, Format.GEMINI})
cuts = everywhere
_NAME = "non_empty"


def problems(conversation: Conversation) -> Iterator[Problem]:
    """Empty messages, then empty texts."""
    for index in empty_messages(conversation):
        yield Problem(conversation.messages[index].path, _NAME, f"message {index} has neither text nor calls")
    for index, block, leaf in empty_texts(conversation):
        yield Problem(leaf.path, _NAME, f"a text of the {block.part.value} block in message {index} is empty")


def empty_messages(conversation: Conversation) -> list[int]:
    """Indexes of messages that hold nothing, or nothing but thoughts; neighbours of one speaker count as one."""
    if conversation.format is Format.GEMINI:
        return [index for index, message in enumerate(conversation.messages) if not message.blocks]
    if conversation.format is Format.OPENAI_CHAT:
        return [index for index, message in enumerate(conversation.messages) if _only_thinks(message)]
    return [
        turn.start + number
        for turn in turns(conversation)
        for number, message in enumerate(turn.messages)
        if not message.blocks or all(map(_only_thinks, turn.messages))
    ]


def empty_texts(conversation: Conversation) -> Iterator[tuple[int, Block, Leaf]]:
    """The texts that Anthropic refuses for being empty, each with its block and the index of its message."""
    if conversation.format is not Format.ANTHROPIC:
        return  # the others take them
    for index, message in enumerate(conversation.messages):
        for block in message.blocks:
            for leaf in block.leaves:
                if _refused(block, leaf) or _ends_blank(conversation, index, block, leaf):
                    yield index, block, leaf


def _refused(block: Block, leaf: Leaf) -> bool:
    inner = block.part is Part.RESULT and leaf.path.endswith("/text")
    return not leaf.text and (block.part is Part.TEXT or inner)


def _ends_blank(conversation: Conversation, index: int, block: Block, leaf: Leaf) -> bool:
    """Whether it is the last block of a final assistant message, and blank."""
    message = conversation.messages[index]
    last = index == len(conversation.messages) - 1 and block is message.blocks[-1]
    return last and message.wire_role == "assistant" and block.part is Part.TEXT and not leaf.text.strip()


def _only_thinks(message: Message) -> bool:
    return all(block.part is Part.THINKING for block in message.blocks)
