"""What the view of a session costs its reader, counted once for each message."""

from functools import lru_cache

from elision.compaction.conversation import Conversation
from elision.compaction.counting import count
from elision.compaction.formats.read import read
from elision.compaction.sessions.types import Configured
from elision.compaction.sessions.view import SessionView
from elision.compaction.store import handle_of
from elision.compaction.tokens import counter, for_model
from elision.compaction.types import TokenCounter

_MOST = 100_000  # counts, of some hundred bytes each


class SessionTokens:
    """Counts the tokens of views; safe for threads.

    Args:
        encoding: Of readers that are not named.
    """

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._counts: dict[tuple[str, str, str], int] = {}

    def of(self, view: SessionView) -> int:
        """Tokens of system texts and messages.

        Raises:
            NotJson, UnknownFormat, BadConversation: As `read` does.
        """
        if view.configured is None:
            return count(read(view.body()), counter(self._encoding)).total
        head, format = _head(view.configured), view.configured.format
        reader = for_model(head.model) if head.model else counter(self._encoding)
        keys = [(reader.encoding, format, handle_of(raw)) for raw in view.messages]
        return count(head, reader).system + sum(
            self._count(key, view.configured, raw, reader)
            for key, raw in zip(keys, view.messages, strict=True)
        )

    def _count(
        self, key: tuple[str, str, str], configured: Configured, raw: str, reader: TokenCounter
    ) -> int:
        found = self._counts.get(key)
        if found is None:
            if len(self._counts) >= _MOST:
                self._counts.clear()
            found = self._counts[key] = count(read(f"[{raw}]", configured.format), reader).total
        return found


@lru_cache(32)
def _head(configured: Configured) -> Conversation:
    return read(configured.head, configured.format)
