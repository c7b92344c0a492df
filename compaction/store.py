"""What is remembered between requests, as the core sees it.

Agents resend their history whole, so what a leaf became is decided once and replayed. The store is
handed in, already bound to one tenant and session; a store that forgets costs time, never correctness.
"""

import hashlib
from typing import Protocol

from elision.compaction.types import Compressed

HANDLE_LENGTH = 24  # hex digits: as many as LiteLLM's guardrail takes


class Store(Protocol):
    """Decisions and originals of one tenant; its methods are thread-safe.

    Any of them may raise `StoreUnavailable`.
    """

    def decision(self, key: str) -> Compressed | None:
        """What was decided under this key, if anything."""

    def remember(self, key: str, original: str, compressed: Compressed) -> Compressed:
        """Keep a decision, and the original under `handle_of`; the first under a key stays.

        Returns:
            What now stands under the key: ``compressed``, or what another request decided before.
        """

    def original(self, handle: str) -> str | None:
        """The text behind a handle of this tenant, exactly as it was."""

    def wrote(self, text: str) -> bool:
        """Whether a text is the output of a decision of this tenant: ours, to be left alone."""


def handle_of(text: str) -> str:
    """The content address of a text: the first 24 hex digits of its SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HANDLE_LENGTH]


class NoStore:
    """Remembers nothing: every decision is made anew, and no original comes back."""

    def decision(self, key: str) -> Compressed | None:
        return None

    def remember(self, key: str, original: str, compressed: Compressed) -> Compressed:
        return compressed

    def original(self, handle: str) -> str | None:
        return None

    def wrote(self, text: str) -> bool:
        return False
