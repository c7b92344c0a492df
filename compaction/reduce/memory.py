"""What folding remembers: the kinds of records seen so far, and which values they came with.

Bounded, so that it can go along with an endless stream: the kinds not seen for longest are forgotten, and
a variable of many values is known only as such.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from elision.compaction.guard.reports import is_error
from elision.compaction.guard.stamps import is_loud
from elision.compaction.logs.levels import level_depends_on_numbers, record_level
from elision.compaction.reduce.variables import filled, stamp_slots

KINDS, CHARACTERS = 20_000, 20_000_000  # of templates; a line can be long
CATEGORIES = 32  # a variable with more values is a quantity or a name, of which none is odd
_SHARE = 4  # and one of few values is a category only if each came this often on average
RARE = 2  # what came no more often than this stays


@dataclass(slots=True, eq=False)
class RecordKind:
    """Records that differ in nothing but variables, and are of one level.

    Attributes:
        template: Their text with a hole for each variable.
        level: The severity they declare, or None.
        reports_error: Whether they report that something went wrong.
        stamps: The variables that tell when a record was written.
        count: How many there were.
        shown: Whether one was left for others to be like.
        exemplar: The values of the last one that was shown.
        categories: For each variable how often each value came; None for one that is no category.
    """

    template: str
    level: str | None
    reports_error: bool
    stamps: tuple[int, ...]
    count: int = 0
    shown: bool = False
    exemplar: tuple[str, ...] = ()
    categories: list[Counter[str] | None] = field(default_factory=list)

    @classmethod
    def of(cls, template: str, values: Sequence[str], level: str | None = None) -> "RecordKind":
        """The kind of which a record is the first."""
        head = filled(template, values).partition("\n")[0]
        return cls(template, level, is_loud(level) or is_error(head), stamp_slots(template, values))

    @property
    def is_rare(self) -> bool:
        """Whether its records are too few to fold."""
        return self.count <= RARE

    @property
    def lines(self) -> int:
        """Lines of each record."""
        return self.template.count("\n") + (not self.template.endswith("\n"))

    def met(self, rows: Sequence[tuple[str, ...]]) -> None:
        """Some more records, by their values."""
        if not self.count:
            self.categories = [None if slot in self.stamps else Counter() for slot in range(len(rows[0]))]
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


@dataclass(frozen=True, slots=True)
class Instance:
    """One record: its kind, and its own values."""

    kind: RecordKind
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """The record as it was spelled, with its line ends."""
        return filled(self.kind.template, self.values)


class Memory:
    """The kinds of records seen so far; one for each log."""

    def __init__(self) -> None:
        self._kinds: dict[object, RecordKind] = {}
        self._by_number: dict[str, bool] = {}  # whether another number may be another level
        self._characters = 0

    @property
    def kinds(self) -> int:
        """How many kinds it knows."""
        return len(self._kinds)

    def kind(self, template: str, values: Sequence[str], lines: Sequence[str]) -> RecordKind:
        """The kind of a record of some ``lines``."""
        by_number = self._by_number.get(template)
        if by_number is None:
            by_number = self._by_number[template] = level_depends_on_numbers(lines[0])
        key = (template, record_level(lines)) if by_number else template
        found = self._kinds.get(key)
        if found is None:
            found = self._kinds[key] = RecordKind.of(template, values, record_level(lines))
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
        self._by_number.clear()
