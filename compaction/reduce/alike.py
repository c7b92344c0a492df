"""Say what was left out where records alike went: how many, of which kinds, from when to when, which values.

Short, since it is paid in the reader's tokens: what does not fit is counted instead of listed.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from elision.compaction.guard.markers import alike_marker
from elision.compaction.guard.reports import is_error
from elision.compaction.reduce.variables import DATE, HOLE, TIME

LISTED = 4  # records of which all values are listed
KINDS = 3  # kinds that are named
_LONGEST, _SHARE = 160, 0.5  # characters of a marker, and of what it stands for
_VALUE, _LABEL = 40, 40
_LEAST = 3  # letters of a label
_WORDY = 6  # letters: with fewer, several words say less than one name
_NAME = re.compile(r"[A-Za-z][\w.\-]{1,15}[\"']?\s?[=:#]?\s?[\"'(/]?$")
_SAYS = re.compile(r"[\"'](?:msg|message|log|MESSAGE|event)[\"']\s*:\s*[\"']([^\"\0]{3,})")
_NUMBER = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([^\W\d_]{0,4})$")
_SECONDS = re.compile(r"(?<=:\d\d)[.,]\d+.*$")
_BETWEEN = re.compile(rf"[{HOLE}\[\]]")  # a marker has no brackets inside


@dataclass(frozen=True, slots=True)
class Alike:
    """One record: the template it shares with others, with its line ends, and its own values."""

    template: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A marker without its line end, and whether it tells all of what went."""

    marker: str
    complete: bool


def describe(records: Sequence[Alike], lines: int, length: int, exemplar: Sequence[str]) -> Said:
    """The marker for ``records``, which follow each other, are ``lines`` lines of ``length`` characters and went.

    Args:
        exemplar: The values of a record of the first one's kind that stays above.
    """
    kinds = Counter(record.template for record in records)
    errors = sum(count for template, count in kinds.items() if is_error(template.partition("\n")[0]))
    when = _when(records)
    if len(kinds) == 1:
        varies = list(_varying(records, exemplar))
        complete = all(one.complete for one in varies)
        details = [when, *(one.text for one in varies)]
    else:
        complete = False
        details = [when, *_named(kinds)]
    bare = alike_marker(lines, errors)
    room = min(_LONGEST, int(_SHARE * length)) - len(bare)
    shown, left = _fitting([detail for detail in details if detail], room)
    return Said(alike_marker(lines, errors, ", ".join(shown)), complete and not left)


def _named(kinds: Counter[str]) -> Iterator[str]:
    """The most frequent kinds with how many there were of each."""
    shared = Counter(run for template in kinds for run in set(_runs(template)))
    labels: Counter[str] = Counter()
    for template, count in kinds.items():
        labels[label(template, shared)] += count if template.strip() else 0
    for name, count in labels.most_common(KINDS):
        yield f"{count}× {name}"
    others = labels.most_common()[KINDS:]
    if others:
        yield f"{sum(count for _, count in others)} of {len(others)} other kinds"


def label(template: str, shared: Mapping[str, int]) -> str:
    """A few words by which a reader knows a kind of record again.

    Args:
        shared: How many of the kinds that are to be told apart have each run of constants.
    """
    runs = _runs(template)
    telling = [run for run in runs if sum(map(str.isalpha, run)) >= _LEAST] or runs
    best = max(telling, key=lambda run: (-shared.get(run, 1), *_told(run)))
    longest = " ".join(best.split()).strip(",;:(){}\"'- ")
    words = longest if len(longest) <= _LABEL else longest[:_LABEL].rsplit(" ", 1)[0]
    return f'"{words}"' if words else "like that"


def _runs(template: str) -> list[str]:
    says = _SAYS.search(template)
    return _BETWEEN.split(says[1] if says else template.partition("\n")[0])


def _told(run: str) -> tuple[bool, int]:
    """How much a run of constants tells: words more than a name."""
    letters = sum(map(str.isalpha, run))
    return letters > _WORDY and " " in run.strip(), letters


@dataclass(frozen=True, slots=True)
class _Varying:
    text: str
    complete: bool


def _varying(records: Sequence[Alike], exemplar: Sequence[str]) -> Iterator[_Varying]:
    """What the records differ in from each other and from the one that stays, times apart."""
    constants = records[0].template.split(HOLE)
    for slot, column in enumerate(zip(*(record.values for record in records), strict=True)):
        if len(set(column)) == 1 and column[0] == exemplar[slot]:
            continue
        if _is_time(column[0]):
            shortened = any(_SECONDS.search(value) or "T" in value for value in column)
            yield _Varying("", complete=len(column) <= 2 and not shortened)
        else:
            name = _NAME.search(constants[slot])
            yield _listed(name[0] if name else "", column)


def _listed(named: str, column: Sequence[str]) -> _Varying:
    distinct = list(dict.fromkeys(column))
    if len(distinct) == 1:
        return _Varying(named + _short(distinct[0]), len(distinct[0]) <= _VALUE)
    if len(column) <= LISTED:
        return _Varying(named + "|".join(map(_short, column)), all(len(value) <= _VALUE for value in column))
    if len(distinct) <= LISTED:
        return _Varying(named + "|".join(map(_short, distinct)), complete=False)
    numbers = [number for value in distinct if (number := _NUMBER.match(value))]
    if len(numbers) == len(distinct) and len({number[2] for number in numbers}) == 1:
        low, high = (pick(numbers, key=lambda number: float(number[1])) for pick in (min, max))
        return _Varying(f"{named}{low[0]}..{high[0]}", complete=False)
    return _Varying(f"{named}{len(distinct)} values", complete=False)


def _when(records: Sequence[Alike]) -> str:
    """The time of the first and of the last record."""
    first, last = _stamp(records[0]), _stamp(records[-1])
    if not first or not last:
        return ""
    if first[:-1] == last[:-1]:  # of one day
        first, last = first[-1:], last[-1:]
    return " ".join(first) if first == last else f"{' '.join(first)}–{' '.join(last)}"


def _stamp(record: Alike) -> list[str]:
    """The day and the time of a record, to the second, as far as it has them."""
    stamps = [value for value in record.values[:4] if _is_time(value)][:2]
    return [part for stamp in stamps for part in _SECONDS.sub("", stamp).split("T")]


def _is_time(value: str) -> bool:
    return bool(TIME.match(value) or DATE.match(value))


def _short(value: str) -> str:
    return value if len(value) <= _VALUE else value[:_VALUE] + "…"


def _fitting(details: Sequence[str], room: int) -> tuple[list[str], int]:
    """As many details as there is room for, and how many are left."""
    shown: list[str] = []
    for detail in details:
        if len(detail) + 2 > room:
            break
        shown.append(detail)
        room -= len(detail) + 2
    return shown, len(details) - len(shown)
