"""Measure what a shortened log still shows of what was rare in it.

A line is rare if its template occurs once or twice in its log; which lines are of one template is
said from outside, by a referee that is neither ours nor a rival's. A line survives if it stands whole
as a line of the output.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from elision.compaction.guard.ansi import control_spans
from elision.compaction.pins.text import error_template
from elision.compaction.types import TokenCounter

RARE = 2  # lines of a template that is rare


def rows(text: str) -> list[str]:
    """The lines as a terminal shows them, stripped; blank ones left out."""
    parts, at = [], 0
    for span in control_spans(text):
        parts.append(text[at : span.start])
        at = span.stop
    shown = "".join([*parts, text[at:]])
    return [row for line in shown.replace("\r", "\n").split("\n") if (row := line.strip())]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a log should survive.

    Attributes:
        rare: Its rare lines, in order; one that stands twice is two.
        of_template: For each of them how many lines its template has.
        errors: The lines of each distinct error template.
    """

    rare: tuple[str, ...]
    of_template: tuple[int, ...]
    errors: dict[str, frozenset[str]]


def wanted(text: str, clusters: Sequence[int]) -> Wanted:
    """Find the rare lines and the errors of a log.

    Args:
        text: The log.
        clusters: Which template each of its `rows` is of, as the referee has it.

    Raises:
        ValueError: If there are not as many clusters as rows.
    """
    lines = rows(text)
    sizes = Counter(clusters)
    rare = [(row, sizes[its]) for row, its in zip(lines, clusters, strict=True) if sizes[its] <= RARE]
    errors: dict[str, set[str]] = {}
    for row in lines:
        template = error_template(row)
        if template is not None:
            errors.setdefault(template, set()).add(row)
    return Wanted(
        tuple(row for row, _ in rare),
        tuple(size for _, size in rare),
        {template: frozenset(its) for template, its in errors.items()},
    )


@dataclass(frozen=True, slots=True)
class Left:
    """What an output shows of what was wanted.

    Attributes:
        tokens: Reader tokens of the output.
        rare: For each rare line whether it stands whole as a line.
        within: For each rare line whether it stands anywhere, be it inside a longer line.
        errors_lost: Error templates of which no line is left.
    """

    tokens: int
    rare: tuple[bool, ...]
    within: tuple[bool, ...]
    errors_lost: tuple[str, ...]

    @property
    def share(self) -> float:
        """Share of the rare lines that survive; 1 where there are none."""
        return sum(self.rare) / len(self.rare) if self.rare else 1.0

    @property
    def share_within(self) -> float:
        """The same, of those that stand anywhere."""
        return sum(self.within) / len(self.within) if self.within else 1.0


def left(of: Wanted, output: str, counter: TokenCounter) -> Left:
    """Look up in an output what was wanted."""
    lines = rows(output)
    there, joined = set(lines), "\n".join(lines)
    told = {template for line in there if (template := error_template(line)) is not None}
    lost = (name for name, its in of.errors.items() if name not in told and its.isdisjoint(there))
    return Left(
        counter.count(output),
        tuple(row in there for row in of.rare),
        tuple(row in joined for row in of.rare),
        tuple(lost),
    )
