"""Plain text as a conversation of one user message."""

from elision.compaction.conversation import Conversation, Format, Message, Role
from elision.compaction.errors import BadConversation
from elision.compaction.formats.at import At
from elision.compaction.formats.blocks import text_block
from elision.compaction.raw_json import Node
from elision.model.types import Span


def read_plain(raw: str) -> Conversation:
    """Read a text that is the whole body."""
    return read_text(raw, At(Node(Span(0, len(raw)), raw), ""))


def read_text(raw: str, body: At) -> Conversation:
    """Read a text that is a string of a JSON document.

    Raises:
        BadConversation: If it is no string.
    """
    if not body.is_string:
        raise BadConversation(body.path, "must be a string")
    message = Message(Role.USER, "", body.path, body.span, (text_block(body),))
    return Conversation(Format.TEXT, raw, (message,), list_span=body.span)
