"""A store in a dictionary, and a shortener that needs no model: what the message path is handed."""

from dataclasses import dataclass, field

from scorers import HashScorer

from elision.compaction.compress import compress, untouched
from elision.compaction.reduce.clip import clipped
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
    done = compress(
        text,
        order.budget,
        scorer=SCORER,
        counter=COUNTER,
        query=order.query,
        asked=order.asked,
        pins=order.pins,
        fold_only=order.fold_only,
        clean=order.clean,
        redact=order.redact,
    )
    return clipped(text, done, COUNTER) if order.clip else done


def too_late(text: str, order: Order) -> Compressed:
    """What goes out when time is over."""
    return untouched(text, order.budget, scorer=SCORER, counter=COUNTER, reason="deadline")
