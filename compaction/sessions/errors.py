"""What can go wrong with the log of a session.

ElisionError (elision.model.errors)
├── BadEvent           an event contradicts what the log says: which, and why
│   └── DoubledId      another message of the session has this id
├── StaleLog           the log moved on in a way that the event did not reckon with
├── CompactionRunning  another compaction of the session is under way
├── HistoryDiffers     a history that was sent whole goes on from no state of the session
├── UnknownSession     there is no session of this name
└── SessionExists      a session of this name is there already
"""

from elision.model.errors import ElisionError


class BadEvent(ElisionError):
    """An event contradicts what the log says: which, and why."""


class DoubledId(BadEvent):
    """Another message of the session has this id.

    Attributes:
        id: The id.
    """

    def __init__(self, id: str) -> None:
        super().__init__(f"another message of this session has the id {id!r}, and other bytes")
        self.id = id


class StaleLog(ElisionError):
    """The log moved on in a way that the event did not reckon with: nothing was written."""


class CompactionRunning(ElisionError):
    """Another compaction of the session is under way.

    Attributes:
        id: Of that compaction.
        until: When it counts as dead, on the clock of the log.
    """

    def __init__(self, id: str, until: float) -> None:
        super().__init__(f"compaction {id} is under way")
        self.id, self.until = id, until


class HistoryDiffers(ElisionError):
    """A history that was sent whole goes on from no state of the session: nothing was written.

    Attributes:
        at: Index of the first message that differs.
    """

    def __init__(self, at: int, messages: int) -> None:
        super().__init__(
            f"message {at} of what was sent is not the session's, which has {messages}; "
            "send the view and what is new, roll back first, or send messages to be appended"
        )
        self.at = at


class UnknownSession(ElisionError):
    """There is no session of this name."""


class SessionExists(ElisionError):
    """A session of this name is there already."""
