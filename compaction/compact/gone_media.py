"""Say how many pictures and files went with the messages that went.

No summary can stand for a picture. A reader that is not told looks for it in vain, or takes what was said
about it for what it shows.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from elision.compaction.conversation import Conversation, Part

_NAMES = {Part.IMAGE: "image", Part.DOCUMENT: "document", Part.AUDIO: "sound", Part.FILE: "file"}


def gone_media(conversation: Conversation, indexes: Iterable[int]) -> str:
    """A line such as ``[…2 images, 1 file]``; empty if there were none."""
    counts = Counter(part for part in _parts(conversation, indexes) if part in _NAMES)
    listed = [
        f"{counts[part]} {name}{'s' * (counts[part] > 1)}" for part, name in _NAMES.items() if counts[part]
    ]
    return f"[…{', '.join(listed)}]" if listed else ""


def _parts(conversation: Conversation, indexes: Iterable[int]) -> Iterator[Part]:
    for index in indexes:
        for block in conversation.messages[index].blocks:
            yield block.part
            yield from block.media
