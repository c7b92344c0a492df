"""How far two sources of labels agree on the chunks that both judged, and where they do not.

Chunks are matched by their text, lines by their place. Two strong judges under our guide agree
exactly on 78 % of lines and never differ by more than one level (weighted kappa 0.89); what a
scorer can reach on labels is bounded by that.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from elision.model.types import IntArray
from elision.training.evaluation.metrics import auc, judged_words, mean
from elision.training.labels.rows import LEVELS, JudgedLine, LabelRow

WORTH_KEEPING = 2  # the level at which `line_auc_ge2` parts lines


@dataclass(frozen=True, slots=True)
class Pair:
    """One chunk that both judged.

    Attributes:
        one: The row of the first source.
        other: That of the second.
        lines: Its lines that both judged, as each saw them.
    """

    one: LabelRow
    other: LabelRow
    lines: tuple[tuple[JudgedLine, JudgedLine], ...]


def pairs(ones: Sequence[LabelRow], others: Sequence[LabelRow]) -> list[Pair]:
    """Chunks of both by the same text, in the order of the first.

    Of several with one text, those with the same task and call go together first. White space at
    the end of a line does not count, nor do blank lines.
    """
    waiting: dict[str, list[LabelRow]] = defaultdict(list)
    for row in others:
        waiting[row.text].append(row)
    found = []
    for row in ones:
        if same := waiting[row.text]:
            context = (row.task, row.call, row.before)
            other = next((it for it in same if (it.task, it.call, it.before) == context), same[0])
            same.remove(other)
            found.append(Pair(row, other, tuple(_common_lines(row, other))))
    return found


def agreement(ones: Sequence[LabelRow], others: Sequence[LabelRow]) -> dict[str, Any]:
    """Every figure of agreement; one with nothing to measure is left out."""
    both = pairs(ones, others)
    levels = np.array([(a.level, b.level) for pair in both for a, b in pair.lines], dtype=np.int64).reshape(
        -1, 2
    )
    apart = np.abs(levels[:, 0] - levels[:, 1])
    table = np.zeros((len(LEVELS), len(LEVELS)), dtype=np.int64)
    np.add.at(table, (levels[:, 0], levels[:, 1]), 1)
    words = [same for pair in both for same in _words(pair)]
    counts = {
        "chunks": len(both),
        "chunks_only_in_one": len(ones) - len(both),
        "chunks_only_in_other": len(others) - len(both),
        "lines": len(levels),
        "words": len(words),
    }
    figures = {
        "exact": float((apart == 0).mean()) if len(apart) else None,
        "within_one": float((apart <= 1).mean()) if len(apart) else None,
        "weighted_kappa": weighted_kappa(table),
        "line_auc_ge2_of_other_by_one": mean(_ranked(pair, by_one=True) for pair in both),
        "line_auc_ge2_of_one_by_other": mean(_ranked(pair, by_one=False) for pair in both),
        "words_alike": float(np.mean(words)) if words else None,
    }
    shown = {name: round(value, 4) for name, value in figures.items() if value is not None}
    return counts | shown | {"levels": table.tolist()}


def weighted_kappa(table: IntArray) -> float | None:
    """Cohen's kappa with quadratic weights of a table of counts; None where chance explains all.

    Cohen, 1968, Psychological Bulletin 70(4).
    """
    total = table.sum()
    if not total:
        return None
    grade = np.arange(len(table))
    weights = (grade[:, None] - grade[None, :]) ** 2
    by_chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    expected = float((weights * by_chance).sum())
    return 1 - float((weights * table).sum()) / expected if expected else None


def disagreements(both: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """Chunks with lines on which the two differ, the widest mean gap first; their lines likewise."""
    for pair in sorted(both, key=_gap, reverse=True):
        apart = sorted((line for line in pair.lines if _apart(line)), key=_apart, reverse=True)
        if apart:
            yield {
                "gap": round(_gap(pair), 4),
                "one": pair.one.id,
                "other": pair.other.id,
                "kind": pair.one.kind,
                "task": pair.one.task,
                "call": pair.one.call,
                "lines": [
                    {
                        "start": a.start,
                        "end": a.end,
                        "one": a.level,
                        "other": b.level,
                        "text": a.span.of(pair.one.text),
                    }
                    for a, b in apart
                ],
            }


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all."""
    _write(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_disagreements(path: Path, both: Sequence[Pair]) -> int:
    """Write `disagreements` as JSON lines, whole or not at all; returns how many."""
    lines = [json.dumps(item, ensure_ascii=False) + "\n" for item in disagreements(both)]
    _write(path, "".join(lines))
    return len(lines)


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8", errors="replace")
    os.replace(partial, path)


def _common_lines(one: LabelRow, other: LabelRow) -> Iterator[tuple[JudgedLine, JudgedLine]]:
    theirs = dict(_by_place(other))
    for place, line in _by_place(one):
        if place in theirs:
            yield line, theirs[place]


def _by_place(row: LabelRow) -> Iterator[tuple[tuple[int, int], JudgedLine]]:
    for line in row.lines:
        if shown := line.span.of(row.text).rstrip():
            yield (line.start, line.start + len(shown)), line


def _ranked(pair: Pair, *, by_one: bool) -> float | None:
    """How well the values of one order the lines that the other finds worth keeping."""
    rankers, judges = (
        zip(*(line if by_one else line[::-1] for line in pair.lines), strict=True) if pair.lines else ((), ())
    )
    values = [line.level if line.value is None else line.value for line in rankers]
    return auc(
        np.array(values, dtype=np.float64),
        np.array([line.level >= WORTH_KEEPING for line in judges], dtype=np.bool_),
    )


def _words(pair: Pair) -> Iterator[bool]:
    """Of each word of a line whose words both judged, whether they did alike."""
    for a, b in pair.lines:
        one, where = judged_words(replace(pair.one, lines=(a,)))
        other, there = judged_words(replace(pair.other, lines=(b,)))
        if where == there:  # else one of them judged no words
            yield from (x == y for x, y in zip(one, other, strict=True))


def _apart(line: tuple[JudgedLine, JudgedLine]) -> int:
    return abs(line[0].level - line[1].level)


def _gap(pair: Pair) -> float:
    return sum(map(_apart, pair.lines)) / len(pair.lines) if pair.lines else 0.0
