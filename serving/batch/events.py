"""What an engine tells whoever runs it, as it happens."""

from collections.abc import Generator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """A portion is done and on the disk.

    Attributes:
        source, number: Which.
        size: Bytes of its file that were read for it; for progress only.
    """

    source: int
    number: int
    size: int


@dataclass(frozen=True, slots=True)
class Read:
    """A source was read to its end.

    Attributes:
        source: Which.
        portions: How many it has, those that were done before included.
    """

    source: int
    portions: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A source could not be read to its end, and why; some of its portions may be kept."""

    source: int
    reason: str


Event = Kept | Read | Unread

# What an engine is while it runs: once closed it ends all that it began.
Events = Generator[Event, None, None]
