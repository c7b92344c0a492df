"""Read a request body of any wire format into one `Conversation` over its raw text."""

from collections.abc import Callable
from dataclasses import replace

from elision.compaction.conversation import Conversation, Format
from elision.compaction.errors import BadConversation
from elision.compaction.formats.anthropic import read_anthropic
from elision.compaction.formats.at import At
from elision.compaction.formats.blocks import named
from elision.compaction.formats.detect import detect
from elision.compaction.formats.gemini import read_gemini
from elision.compaction.formats.openai_chat import read_chat
from elision.compaction.formats.openai_responses import read_responses
from elision.compaction.formats.text import read_plain, read_text
from elision.compaction.raw_json import Node, find, parse

_READERS: dict[Format, Callable[[str, At], Conversation]] = {
    Format.OPENAI_CHAT: read_chat,
    Format.OPENAI_RESPONSES: read_responses,
    Format.ANTHROPIC: read_anthropic,
    Format.GEMINI: read_gemini,
    Format.TEXT: read_text,
}


def read(raw: str, format: Format | None = None, root: str = "") -> Conversation:
    """Read a body: a whole request, or a bare list of its messages, items or contents.

    Roles, types and members that are not known are carried through, never an error.

    Args:
        raw: JSON; of `Format.TEXT` without ``root`` the text itself.
        format: The wire format; told from the body's shape if not given.
        root: JSON pointer of the body, where ``raw`` is a larger document.

    Raises:
        NotJson: If it should be JSON and is not.
        UnknownFormat: If no format is given and it is in none.
        BadConversation: If the body contradicts its format, or nothing stands at ``root``.
    """
    if format is Format.TEXT and not root:
        return read_plain(raw)
    node = find(parse(raw), root)
    if node is None:
        raise BadConversation(root, "nothing stands here")
    return read_node(raw, node, format, root)


def read_node(raw: str, node: Node, format: Format | None = None, path: str = "") -> Conversation:
    """Read a body that is one value of a document already parsed.

    Args:
        raw: The whole document, to which all spans refer.
        node: The body.
        format: As for `read`.
        path: JSON pointer of the body; all paths begin with it.

    Raises:
        UnknownFormat, BadConversation: As `read` does.
    """
    conversation = _READERS[format or detect(node)](raw, At(node, path))
    return replace(conversation, messages=named(conversation.messages))
