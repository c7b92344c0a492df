"""What every kind of store offers: a view for each tenant and session, deletion, figures."""

from dataclasses import dataclass
from typing import Protocol

from elision.compaction.store import NoStore, Store


@dataclass(frozen=True, slots=True)
class Limits:
    """What a store may hold.

    Attributes:
        ttl_seconds: An entry that nobody used for so long is gone.
        max_bytes: Above it the entries unused for longest go; counted as stored, compressed.
    """

    ttl_seconds: float
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Stats:
    """What a store holds.

    Attributes:
        originals: Texts that can be had back.
        decisions: What was decided about them.
        bytes: What both take, compressed.
        oldest_use: When the entry unused for longest was used, in seconds since 1970; None if empty.
    """

    originals: int
    decisions: int
    bytes: int
    oldest_use: float | None


class Stores(Protocol):
    """One place to keep things, shared by all tenants; thread-safe.

    All methods but `scope` and `close` raise `StoreUnavailable`.
    """

    def scope(self, tenant: str, session: str, lives: float = 0.0) -> Store:
        """The store as one tenant sees it; what it remembers belongs to the session.

        Args:
            lives: Seconds that the session is there if nobody uses it: so long its texts count as used.
        """

    def hold(self, tenant: str, session: str, lives: float) -> None:
        """Count what a session used as used for so many seconds from now: others go first, if any has to."""

    def delete(
        self, session: str | None = None, older_than_seconds: float | None = None, tenant: str | None = None
    ) -> int:
        """Forget the originals, with their decisions, that all given conditions name.

        A text that another session used as well stays with that one.

        Args:
            session: Texts of this session.
            older_than_seconds: Texts that nobody used for so long.
            tenant: Texts of this tenant; None means of all.

        Returns:
            Number of originals forgotten.
        """

    def share(self, tenant: str, session: str, other: str) -> None:
        """Let another session of the tenant use what this one uses, so that it stays when this one goes."""

    def stats(self) -> Stats:
        """What is held, over all tenants."""

    def ready(self) -> None:
        """Return if the store can be written to."""

    def close(self) -> None:
        """Let go of files; afterwards nothing may be called."""


class NoStores:
    """Keeps nothing for anybody."""

    def scope(self, tenant: str, session: str, lives: float = 0.0) -> Store:
        return NoStore()

    def hold(self, tenant: str, session: str, lives: float) -> None:
        return None

    def delete(
        self, session: str | None = None, older_than_seconds: float | None = None, tenant: str | None = None
    ) -> int:
        return 0

    def share(self, tenant: str, session: str, other: str) -> None:
        return None

    def stats(self) -> Stats:
        return Stats(0, 0, 0, None)

    def ready(self) -> None:
        return None

    def close(self) -> None:
        return None
