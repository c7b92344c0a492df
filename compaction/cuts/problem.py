"""What a rule says, and what it starts from."""

from dataclasses import dataclass

from elision.compaction.conversation import Conversation, Format

JSON_FORMATS = frozenset(Format) - {Format.TEXT}


@dataclass(frozen=True, slots=True)
class Problem:
    """What a provider would refuse, or pay no attention to.

    Attributes:
        pointer: JSON pointer of what is wrong.
        rule: Name of the rule that found it.
        detail: What is wrong, with the ids and indexes that tell it apart.
    """

    pointer: str
    rule: str
    detail: str


def everywhere(conversation: Conversation) -> set[int]:
    """Every position before, between and after the messages: where a rule that forbids no cut allows one."""
    return set(range(len(conversation.messages) + 1))
