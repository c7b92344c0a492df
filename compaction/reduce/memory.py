"""What folding remembers: the kinds of records seen so far, and which values they came with.

Bounded, so that it can go along with an endless stream: the kinds not seen for longest are forgotten, and
a variable of many values is known only as such.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from elision.compaction.reduce.variables import DATE, HOLE, TIME

KINDS, CHARACTERS = 20_000, 20_000_000  # of templates; a line can be long
CATEGORIES = 8  # a variable with more values is a quantity or a name, of which none is odd
_SHARE = 4  # and one of few values is a category only if each came this often on average
RARE = 2  # what came no more often than this stays
# A level that is a number makes another kind of record: 30 is information, 50 an error.
_LEVEL = re.compile(r"[\"'](?:level|levelno|severity|PRIORITY|lvl|prio)[\"']\s*:\s*[\"']?" + HOLE)


@dataclass(slots=True, eq=False)
class RecordKind:
    """Records that differ in nothing but variables.

    Attributes:
        template: Their text with a hole for each variable.
        count: How many there were.
        shown: Whether one was left for others to be like.
        exemplar: The values of the last one that was shown.
        categories: For each variable how often each value came; None for one that is no category.
    """

    template: str
    count: int = 0
    shown: bool = False
    exemplar: tuple[str, ...] = ()
    categories: list[Counter[str] | None] = field(default_factory=list)

    @property
    def is_rare(self) -> bool:
        """Whether its records are too few to fold."""
        return self.count <= RARE

    def met(self, rows: Sequence[tuple[str, ...]]) -> None:
        """Some more records, by their values."""
        if not self.count:
            self.categories = [None if TIME.match(v) or DATE.match(v) else Counter() for v in rows[0]]
        self.count += len(rows)
        for slot, (known, column) in enumerate(zip(self.categories, zip(*rows, strict=True), strict=True)):
            if known is not None:
                known.update(column)
                if len(known) > CATEGORIES:
                    self.categories[slot] = None

    def odd(self) -> list[tuple[int, frozenset[str]]]:
        """Variables that are categories, with their rare values."""
        found = (
            (slot, frozenset(value for value, count in known.items() if count <= RARE))
            for slot, known in enumerate(self.categories)
            if known and len(known) > 1 and len(known) * _SHARE <= self.count
        )
        return [(slot, values) for slot, values in found if values]


class Memory:
    """The kinds of records seen so far; one for each log."""

    def __init__(self) -> None:
        self._kinds: dict[object, RecordKind] = {}
        self._level_slots: dict[str, int] = {}
        self._characters = 0

    @property
    def kinds(self) -> int:
        """How many kinds it knows."""
        return len(self._kinds)

    def kind(self, template: str, values: Sequence[str]) -> RecordKind:
        """The kind of a record."""
        slot = self._level_slots.get(template)
        if slot is None:
            slot = self._level_slots[template] = _level_slot(template)
        key = template if slot < 0 else (template, values[slot])
        found = self._kinds.get(key)
        if found is None:
            found = self._kinds[key] = RecordKind(template)
            self._characters += len(template)
        return found

    def forget(self, used: Iterable[RecordKind]) -> None:
        """Forget the kinds not seen for longest, if there are too many; ``used`` were seen just now."""
        if len(self._kinds) <= KINDS and self._characters <= CHARACTERS:
            return
        now = set(map(id, used))
        by_use = sorted(self._kinds.items(), key=lambda item: id(item[1]) in now)  # stable: older first
        sizes = accumulate(len(kind.template) for _, kind in reversed(by_use))
        stay = min(KINDS, sum(size <= CHARACTERS for size in sizes))
        self._kinds = dict(by_use[len(by_use) - stay :])
        self._characters = sum(len(kind.template) for kind in self._kinds.values())
        self._level_slots.clear()


def _level_slot(template: str) -> int:
    found = _LEVEL.search(template)
    return template.count(HOLE, 0, found.end() - 1) if found else -1
