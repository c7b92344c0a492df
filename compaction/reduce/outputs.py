"""Fold what repeats in what a tool answered, of which nobody said that it is a log.

Only lines that some program reported are folded: in code, tables and diffs likeness means nothing. And only
where the marker tells all that went, so that folding loses nothing: what else is too much is for the
scorer to choose.
"""

from collections.abc import Sequence

from elision.compaction.guard.lines import classify, split_lines
from elision.compaction.reduce.fold import FOLDED, fold
from elision.compaction.types import Drop, Kind
from elision.model.types import Span

_REPORTED = frozenset({Kind.LOG, Kind.TRACE, Kind.PROSE, Kind.BLANK})


def fold_output(text: str, fixed: Sequence[Span] = ()) -> list[Drop]:
    """The drops that fold what repeats in ``text``, each with a marker that tells all of it.

    Args:
        fixed: Stretches that stay, sorted.
    """
    lines = split_lines(text)
    if len(lines) < 3:
        return []
    if len(lines) != text.count("\n") + (not text.endswith("\n")):
        return []  # some lines end otherwise
    if not any(one.complete for one in fold(text, fixed=fixed).folds):
        return []  # known in a tenth of the time that it takes to tell what the lines are
    kinds = classify(text, lines)

    def reported(rows: range) -> bool:
        return all(kinds[row] in _REPORTED or _is_object(lines[row].of(text)) for row in rows)

    folded = fold(text, may_go=reported, fixed=fixed)
    return [Drop(one.span, one.marker, FOLDED) for one in folded.folds if one.complete]


def _is_object(line: str) -> bool:
    return line.startswith("{") and line.rstrip().endswith("}")
