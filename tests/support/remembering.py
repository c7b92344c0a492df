"""A store in a dictionary, and a shortener that needs no model: what the message path is handed."""

from dataclasses import dataclass, field

from scorers import HashScorer

from elision.compaction.orders import carried_out, left_alone
from elision.compaction.store import handle_of
from elision.compaction.tokens import counter
from elision.compaction.types import Compressed, Order

COUNTER = counter("o200k_base")
SCORER = HashScorer()
MADE_BY = "hash@0 python o200k_base"


@dataclass
class Remembering:
    """A store that forgets nothing and belongs to one tenant."""

    decisions: dict[str, Compressed] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)

    def decision(self, key: str) -> Compressed | None:
        return self.decisions.get(key)

    def remember(self, key: str, original: str, compressed: Compressed) -> Compressed:
        self.originals.setdefault(handle_of(original), original)
        return self.decisions.setdefault(key, compressed)

    def original(self, handle: str) -> str | None:
        return self.originals.get(handle)

    def wrote(self, text: str) -> bool:
        return any(made.text == text and made.receipt.changed for made in self.decisions.values())


def shorten(text: str, order: Order) -> Compressed:
    """The text path with a scorer that knows nothing."""
    return carried_out(text, order, scorer=SCORER, counter=COUNTER)


def too_late(text: str, order: Order) -> Compressed:
    """What goes out when time is over."""
    return left_alone(text, order, scorer=SCORER, counter=COUNTER, reason="deadline")
