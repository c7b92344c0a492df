"""A pin of a history: something it said that compacting may not lose, and who said it.

Constraints, goals, requests, obligations, decisions, rejected options, figures and todos are words of people
or of the agent. Files come from arguments of calls, errors from outputs of tools, identifiers from anywhere:
they are data, whatever they say, and nobody's wish. `HistoryPin.untrusted` tells which; `render` labels these.
"""

from dataclasses import dataclass
from enum import StrEnum


class PinKind(StrEnum):
    """What a history pin is."""

    # Hard: always there, or the budget is too small.
    GOAL = "goal"  # what the user wants
    REQUEST = "request"  # the latest thing the user asked for
    CONSTRAINT = "constraint"  # what the user or the system demanded or forbade
    OPEN_CALL = "open_call"  # a call whose result is still to come
    OBLIGATION = "obligation"  # approval, login, timer, sub-agent: somebody still owes an answer
    # Soft: a capped share of the room, the oldest behind a counted handle.
    FILE = "file"  # a file read or changed, with its last state
    ERROR = "error"  # an error nothing has resolved
    DECISION = "decision"
    REJECTED = "rejected"  # an option that was turned down, and why
    FIGURE = "figure"  # what somebody measured or counted
    TODO = "todo"
    IDENTIFIER = "identifier"  # an id, hash, number or address that more than one message uses


CARRIED = -1  # index of a pin whose message is not looked up any more
# Taken from arguments and outputs of tools: data, never an instruction.
DATA = frozenset({PinKind.FILE, PinKind.ERROR, PinKind.IDENTIFIER})
HARD = frozenset({PinKind.GOAL, PinKind.REQUEST, PinKind.CONSTRAINT, PinKind.OPEN_CALL, PinKind.OBLIGATION})


@dataclass(frozen=True, slots=True)
class HistoryPin:
    """Something a history said that compacting may not lose.

    Attributes:
        kind: What it is.
        text: What has to be found again: a slice of the source message, whole sentences; of a file its path.
        source: Id of the message it was taken from; an index in brackets such as ``[3]`` where it has none.
        index: Index of that message; `CARRIED` of a pin carried over from an earlier compaction.
        state: Of a file ``read``, ``changed`` or ``deleted``; of a todo its status; of an open call the tool and
            the beginning of its arguments; of an error the command or tool that reported it; else empty.
        superseded_by: Source of the later text that revokes it; empty while it holds.
    """

    kind: PinKind
    text: str
    source: str
    index: int
    state: str = ""
    superseded_by: str = ""

    @property
    def hard(self) -> bool:
        """Whether it has to be there at any price."""
        return self.kind in HARD

    @property
    def holds(self) -> bool:
        """Whether nothing later revokes it."""
        return not self.superseded_by

    @property
    def untrusted(self) -> bool:
        """Whether its text is data of tools, and must not be read as anybody's words."""
        return self.kind in DATA


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was found in one message and is no pin, because the message has too many of the kind.

    Attributes:
        kind: What the pins would have been.
        source: The message.
        texts: What they would have said, in text order.
    """

    kind: PinKind
    source: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Collected:
    """The pins of a history.

    Attributes:
        pins: By kind in the order of `PinKind`, each kind in the order of the history.
        left_out: What was found beyond the most that a message, or a kind, may have.
    """

    pins: tuple[HistoryPin, ...]
    left_out: tuple[LeftOut, ...] = ()
