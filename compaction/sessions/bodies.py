"""A request body taken apart into its head and its messages, and put together again.

Both are slices of what came, so a body that was taken apart comes back character for character as long
as its messages stand evenly apart.
"""

from collections.abc import Sequence

from elision.compaction.conversation import Format
from elision.compaction.errors import BadConversation
from elision.compaction.formats.read import read
from elision.compaction.raw_json import parse, replaced
from elision.compaction.sessions.outline import Outline
from elision.compaction.sessions.types import Configured, Entry, Glue
from elision.model.types import Span

LISTS = {
    Format.OPENAI_CHAT: "messages",
    Format.OPENAI_RESPONSES: "input",
    Format.ANTHROPIC: "messages",
    Format.GEMINI: "contents",
}


def split(raw: str, format: Format | None = None) -> tuple[Configured, tuple[Entry, ...]]:
    """Take a request body, or a bare list of messages, apart.

    Messages keep the ids that the wire gave them. Input of Responses that is one string becomes a message.

    Raises:
        NotJson, UnknownFormat, BadConversation: As `read` does, and if the body is plain text.
    """
    conversation = read(raw, format)
    if conversation.format is Format.TEXT:
        raise BadConversation("", "a text has no messages")
    span = conversation.list_span
    if not len(span):
        return Configured(conversation.format, _with_list(raw, LISTS[conversation.format])), ()
    head = replaced(raw, [(span, "[]")])
    if span.of(raw).startswith('"'):
        message = f'{{"role": "user", "content": {span.of(raw)}}}'
        return Configured(conversation.format, head), (Entry("", message),)
    messages = conversation.messages
    entries = tuple(Entry(message.id, message.span.of(raw)) for message in messages)
    glue = Outline(raw, span, tuple(message.span for message in messages)).glue
    return Configured(conversation.format, head, glue), entries


def joined(configured: Configured | None, messages: Sequence[str]) -> str:
    """The body with these messages; without a head their bare list.

    Raises:
        NotJson, BadConversation: If the head has no list to fill.
    """
    glue = configured.glue if configured else Glue()
    listed = glue.first + glue.between.join(messages) + glue.last
    if configured is None:
        return listed
    return replaced(configured.head, [(list_span(configured.head, configured.format), listed)])


def list_span(head: str, format: Format) -> Span:
    """Where the list of messages stands in a head, brackets included.

    Raises:
        NotJson, BadConversation: If there is none.
    """
    span = read(head, format).list_span
    if not span.of(head).startswith("["):
        raise BadConversation("", f"has no list {LISTS[format]}")
    return span


def _with_list(raw: str, key: str) -> str:
    """A body with an empty list as its last member."""
    node = parse(raw)
    at = node.span.stop - 1
    return replaced(raw, [(Span(at, at), (", " if node.value else "") + f'"{key}": []')])
