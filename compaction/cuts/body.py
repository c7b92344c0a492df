"""What a rule has to know of a request beside its messages."""

from elision.compaction.conversation import Conversation, Part
from elision.compaction.formats.at import At
from elision.compaction.raw_json import find, parse

# Responses: what was said is stored there. Gemini: it stands in an explicit cache.
_HIDES = ("previous_response_id", "conversation", "cachedContent", "cached_content")


def body_of(conversation: Conversation) -> At | None:
    """The object that holds the list of messages; None if nothing holds it, or it is empty.

    The raw text is read again: ask only where the messages alone do not tell.
    """
    if not conversation.messages:
        return None
    listed = conversation.messages[0].path.rpartition("/")[0]
    path, _, key = listed.rpartition("/")
    node = find(parse(conversation.raw), path) if key else None
    return At(node, path) if node else None


def history_is_hidden(conversation: Conversation) -> bool:
    """Whether the request builds on turns that we cannot see, so that what seems to be missing may be there."""
    if any(block.part is Part.REFERENCE for message in conversation.messages for block in message.blocks):
        return True
    if not any(key in conversation.raw for key in _HIDES):
        return False
    body = body_of(conversation)
    return body is not None and any(body.get(key) for key in _HIDES)
