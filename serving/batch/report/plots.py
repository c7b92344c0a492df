"""Plots as inline SVG whose places are percentages: they take the width they are given and their text keeps its size.

Each stands beside the figures it draws, in a table or with a description, so a reader who sees no plot
misses nothing.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from elision.serving.batch.report.markup import Markup, attribute, element, joined, number, percent

_MARKS = [mark * 10**power for power in range(19) for mark in (1, 2, 5)]


@dataclass(frozen=True, slots=True)
class LogScale:
    """From one count to another on 0 to 100 %, equal ratios apart."""

    low: int
    high: int

    @classmethod
    def around(cls, counts: Iterable[float]) -> "LogScale":
        """The scale on which all of ``counts`` above 0 have a place; its ends are 1, 2 or 5 and zeros."""
        some = [count for count in counts if count >= 1] or [1]
        first = bisect_right(_MARKS, min(some)) - 1
        last = bisect_left(_MARKS, max(some))
        return cls(_MARKS[first], _MARKS[max(first + 1, last)])

    def at(self, count: float) -> float:
        """The place of a count; what is below the scale stands at its beginning."""
        return 100 * math.log(max(count, self.low) / self.low) / math.log(self.high / self.low)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """At most ``most`` round counts: the place and the name of each."""
        within = [mark for mark in _MARKS if self.low <= mark <= self.high]
        powers = [mark for mark in within if str(mark).startswith("1")]
        chosen = within if len(within) <= most else powers
        step = -(-len(chosen) // most)
        return [(self.at(mark), _short(mark)) for mark in chosen[::step]]


def bar(value: float, most: float, kind: str = "") -> Markup:
    """How much of ``most``, from the left."""
    return _row(_stretch(0, value / most if most else 0, f"bar {kind}".strip()))


def part_bar(part: float, whole: float, most: float) -> Markup:
    """A whole, and what of it remains."""
    return _row(
        _stretch(0, whole / most if most else 0, "whole"), _stretch(0, part / most if most else 0, "bar")
    )


def dumbbell(before: float, after: float, scale: LogScale) -> Markup:
    """From before to after on a scale of powers of ten."""
    x1, x2 = (_percent(_inset(scale.at(value))) for value in (before, after))
    return _row(
        Markup(f'<line class="way" x1="{x2}" x2="{x1}" y1="50%" y2="50%"/>'),
        Markup(f'<circle class="before" cx="{x1}" cy="50%" r="4"/>'),
        Markup(f'<circle class="after" cx="{x2}" cy="50%" r="4"/>'),
    )


def axis(scale: LogScale) -> Markup:
    """The ticks of a scale, to stand over its plots."""
    return _row(*(_label(_percent(_inset(at)), "70%", name) for at, name in scale.ticks(5)), kind="axis")


def hero_bar(share: float, target: float) -> Markup:
    """How much remains of all, and how much was allowed."""
    at = _percent(100 * target)
    return element(
        "svg",
        _stretch(0, 1, "whole"),
        _stretch(0, share, "bar"),
        Markup(f'<line class="target" x1="{at}" x2="{at}" y1="0" y2="100%"/>'),
        class_="hero-bar",
        role="img",
        aria_label=f"{percent(share)} of the tokens remain, {percent(target)} were asked for",
    )


def scatter(points: Sequence[tuple[str, float, float]], target: float) -> Markup:
    """Each text by its size, on a scale of powers of ten, and by the share of it that remains.

    Args:
        points: Name, size and share of each.
        target: The share that was asked for: a line.
    """
    scale = LogScale.around(size for _, size, _ in points)
    marks = [
        *(_across(share, f"{share:.0%}".replace("%", " %")) for share in (0, 0.25, 0.5, 0.75, 1)),
        *(
            Markup(
                f'<text class="tick" x="{_percent(_inset(at))}" y="100%" dy="22" text-anchor="middle">{name}</text>'
            )
            for at, name in scale.ticks(8)
        ),
        Markup(f'<line class="target" x1="0" x2="100%" y1="{_down(target)}" y2="{_down(target)}"/>'),
        *(_point(name, size, share, scale) for name, size, share in points),
    ]
    return element(
        "svg",
        *marks,
        class_="scatter",
        role="img",
        aria_label=f"{number(len(points))} files by tokens before and share kept; the table of files has the figures",
    )


def _point(name: str, size: float, share: float, scale: LogScale) -> Markup:
    title = attribute(f"{name}: {number(size)} tokens, {percent(share)} kept")
    place = f'cx="{_percent(_inset(scale.at(size)))}" cy="{_down(share)}"'
    return Markup(f'<circle class="file" {place} r="4.5"><title>{title}</title></circle>')


def _across(share: float, name: str) -> Markup:
    y = _down(share)
    return Markup(
        f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        f'<text class="tick" x="-8" y="{y}" dy="4" text-anchor="end">{name}</text>'
    )


def _row(*marks: Markup, kind: str = "plot-row") -> Markup:
    return element("svg", joined(marks), class_=kind, aria_hidden="true")


def _stretch(start: float, stop: float, kind: str) -> Markup:
    # What is not nothing can be seen: at least a hair.
    width = max(100 * (min(1, stop) - start), 0.4) if stop > 0 else 0
    return Markup(
        f'<rect class="{kind}" x="{_percent(100 * start)}" width="{_percent(width)}" height="100%" rx="2"/>'
    )


def _label(x: str, y: str, name: str) -> Markup:
    return Markup(f'<text class="tick" x="{x}" y="{y}" text-anchor="middle">{name}</text>')


def _inset(at: float) -> float:
    """Room at both ends, for a mark or a label has a width."""
    return 4 + 0.92 * at


def _down(share: float) -> str:
    return _percent(100 * (1 - min(1.0, max(0.0, share))))


def _percent(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") + "%"


def _short(count: int) -> str:
    for unit, letter in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (1000, "k")):
        if count >= unit:
            return f"{count // unit}{letter}"
    return str(count)
