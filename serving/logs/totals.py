"""What a log held, added up window by window; in memory that does not grow with it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from elision.serving.logs.shortening import Shortened
from elision.serving.logs.templates import Templates, add, most, rows

KNOWN, LISTED = 10_000, 200  # templates that are told apart, and that a report lists
_LONGEST = 300  # characters of a template by which it is known


class Totals:
    """The sums of what was shortened so far.

    Attributes:
        windows, lines, left_out, tokens_before, tokens_after: Of all; see `Shortened`.
    """

    def __init__(self) -> None:
        self.windows = self.lines = self.left_out = 0
        self.tokens_before = self.tokens_after = 0
        self._levels: Counter[str] = Counter()
        self._templates: Templates = {}

    def add(self, one: Shortened) -> None:
        """One more."""
        self.windows += 1
        self.lines += one.lines
        self.left_out += one.left_out
        self.tokens_before += one.compressed.receipt.tokens_before
        self.tokens_after += one.compressed.receipt.tokens_after
        self._levels.update(one.counts.levels)
        for template, counts in one.counts.templates.items():
            add(self._templates, {_clipped(template): counts})
        if len(self._templates) > KNOWN:
            self._templates = most(self._templates, KNOWN // 2)

    def json(self) -> dict[str, Any]:
        """All of it; the lines of the levels, and of the templates, come to all but those left out."""
        return {
            "windows": self.windows,
            "lines": self.lines,
            "left_out": self.left_out,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            **_counts_json(self._levels, self._templates, LISTED),
        }

    def table(self) -> str:
        """The lines by level and by template, for people."""
        found = self.json()
        rows = [f"{count:>12,}  {name}" for name, count in found["levels"].items()]
        rows += [f"{self.left_out:>12,}  not selected"] * bool(self.left_out)
        rows += [f"{self.lines:>12,}  lines", "", f"{'lines':>12}{'kept':>12}  template"]
        for row in found["templates"]:
            rows.append(f"{row['lines']:>12,}{row['kept']:>12,}  {row['template'].splitlines()[0] if row['template'] else ''}")
        return "\n".join(rows)


def log_json(one: Shortened) -> dict[str, Any]:
    """What a stretch of a log held, beside its receipt."""
    counts = one.counts
    held = _counts_json(counts.levels, counts.templates, len(counts.templates))
    return {"lines": one.lines, "left_out": one.left_out, **held}


def _counts_json(levels: Mapping[str, int], templates: Mapping[str, tuple[int, int]], room: int) -> dict[str, Any]:
    """Counts of lines as JSON; what has the most comes first."""
    return {
        "levels": dict(sorted(levels.items(), key=lambda item: (-item[1], item[0]))),
        "templates": rows(most(templates, room)),
    }


def _clipped(template: str) -> str:
    return template if len(template) <= _LONGEST else template[:_LONGEST] + "…"
