"""Say what was left out where records alike went: how many, of which kinds, from when to when, which values.

Short, since it is paid in the reader's tokens: what does not fit, or could be misread, is left away.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from elision.compaction.guard.markers import alike_marker
from elision.compaction.logs.levels import at_least
from elision.compaction.reduce.memory import Instance, RecordKind
from elision.compaction.reduce.variables import HOLE

LISTED = 4  # records of which all values are listed
KINDS = 4  # kinds that are named
_LONGEST, _SHARE = 160, 0.5  # characters of a marker, and of what it stands for
_VALUE, _LABEL = 40, 40
_LEAST = 3  # letters of a label
_WORDY = 6  # letters: with fewer, several words say less than one name
# What a value is the value of stands right before it: `port 7`, `id=7`, `"id": 7`, `worker-7`.
_NAME = re.compile(
    r"""(?<![\w.\-/])(?:"([A-Za-z]\w{0,23})"\s?:\s?"?|([A-Za-z][\w.\-]{0,23}(?:\s?[=:#]\s?|\s|(?<=[-_]))/?))$"""
)
_SAYS = re.compile(r"[\"'](?:msg|message|log|MESSAGE|event)[\"']\s*:\s*[\"']([^\"\0]{3,})")
_NUMBER = re.compile(r"(\d{1,15})(?:\.(\d{1,9}))?([^\W\d_]{0,4})$")
_FRACTION = re.compile(r"(?<=:\d\d)[.,]\d+")
_SORTED = re.compile(r"(?:\d{4}-\d\d-\d\d )?\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?$")
_BETWEEN = re.compile(rf"[{HOLE}\[\]]")  # a marker has no brackets inside


def describe(records: Sequence[Instance], length: int, exemplar: Sequence[str], next_to_it: bool) -> str:
    """The marker, without a line end, for ``records``, which follow each other and went.

    Args:
        length: Characters of them all.
        exemplar: The values of a record of the first one's kind that stays further up.
        next_to_it: Whether that stands right above.
    """
    kinds = Counter[int]()
    of = {id(record.kind): record.kind for record in records}
    for record in records:
        kinds[id(record.kind)] += record.kind.lines
    named = list(_named([(of[key], lines) for key, lines in kinds.items()]))
    details = [when(records), *([] if len(of) == 1 and next_to_it else named)]
    if len(of) == 1:
        details += _varying(records, exemplar)
    errors = sum(record.kind.reports_error for record in records)
    bare = alike_marker(kinds.total(), errors)
    room = min(_LONGEST, int(_SHARE * length)) - len(bare)
    return alike_marker(
        kinds.total(), errors, ", ".join(_fitting([detail for detail in details if detail], room))
    )


def when(records: Sequence[Instance]) -> str:
    """When the first and the last of some records were written, to the second, as far as they tell."""
    stamps = [stamp for record in records if (stamp := _stamp(record))]
    if not stamps:
        return ""
    first, last = stamps[0], stamps[-1]
    spelled = [" ".join(stamp) for stamp in stamps]
    if all(len(one) == len(spelled[0]) and _SORTED.match(one) for one in spelled):
        first, last = stamps[spelled.index(min(spelled))], stamps[spelled.index(max(spelled))]
    if len(first) == len(last) and first[:-1] == last[:-1]:  # of one day
        first, last = first[-1:], last[-1:]
    return " ".join(first) if first == last else f"{' '.join(first)}–{' '.join(last)}"


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
    return f'"{words}"' if words else "others"


def _named(kinds: Sequence[tuple[RecordKind, int]]) -> Iterator[str]:
    """How many lines there were of each kind: what went wrong first, then the most frequent."""
    shared = Counter(run for kind, _ in kinds for run in set(_runs(kind.template)))
    labels: Counter[str] = Counter()
    loud: set[str] = set()
    for kind, lines in kinds:
        name = label(kind.template, shared) if kind.template.strip() else "blank"
        labels[name] += lines
        if kind.reports_error or at_least(kind.level, "WARN"):
            loud.add(name)
    ordered = sorted(labels.items(), key=lambda item: (item[0] not in loud, -item[1]))
    shown = ordered[: KINDS if len(ordered) != KINDS + 1 else KINDS + 1]
    yield from (f"{lines}× {name}" for name, lines in shown)
    if others := ordered[len(shown) :]:
        yield f"{sum(lines for _, lines in others)}× {len(others)} other kinds"


def _runs(template: str) -> list[str]:
    says = _SAYS.search(template)
    return _BETWEEN.split(says[1] if says else template.partition("\n")[0])


def _told(run: str) -> tuple[bool, int]:
    """How much a run of constants tells: words more than a name."""
    letters = sum(map(str.isalpha, run))
    return letters > _WORDY and " " in run.strip(), letters


def _varying(records: Sequence[Instance], exemplar: Sequence[str]) -> Iterator[str]:
    """What the records differ in from each other and from the one that stays, times apart.

    A value whose name nobody could tell is left away, unless there is only one.
    """
    kind = records[0].kind
    constants = kind.template.split(HOLE)
    columns = {
        slot: column for slot, column in enumerate(zip(*(record.values for record in records), strict=True))
    }
    differ = [
        slot
        for slot, column in columns.items()
        if slot not in kind.stamps and not (len(set(column)) == 1 and column[0] == exemplar[slot])
    ]
    for slot in differ:
        found = _NAME.search(constants[slot])
        name = (found[2] or f"{found[1]}=") if found else ""
        if name or len(differ) == 1:
            yield _listed(name, columns[slot])


def _listed(name: str, column: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(column))
    if len(distinct) == 1:
        return name + _short(distinct[0])
    if len(column) <= LISTED:
        return name + "|".join(map(_short, column))
    if len(distinct) <= LISTED:
        return name + "|".join(map(_short, distinct))
    numbers = [number for value in distinct if (number := _NUMBER.match(value))]
    # Of different precision it may be a version: 1.11 is more than 1.9.
    alike = {(len(number[2] or ""), number[3]) for number in numbers}
    if len(numbers) == len(distinct) and len(alike) == 1:
        low, high = (pick(numbers, key=lambda n: (int(n[1]), n[2] or "")) for pick in (min, max))
        return f"{name}{low[0]}..{high[0]}"
    return f"{name}{len(distinct)} values"


def _stamp(record: Instance) -> list[str]:
    """The day and the time of a record, to the second."""
    stamps = [record.values[slot] for slot in record.kind.stamps]
    return [part for stamp in stamps for part in _FRACTION.sub("", stamp).split("T")]


def _short(value: str) -> str:
    return value if len(value) <= _VALUE else value[:_VALUE] + "…"


def _fitting(details: Sequence[str], room: int) -> Iterator[str]:
    """As many details as there is room for."""
    for detail in details:
        room -= len(detail) + 2
        if room < 0:
            return
        yield detail
