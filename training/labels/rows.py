"""Label rows: what each line or sentence of a tool output is worth to the agent reading it.

One row is one chunk; the schema and how it was judged are in the data folder's README and
labelling guide. A row is checked field by field as it is read, because a label that is off by
one character trains and measures nonsense without a word.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elision.model.types import Span
from elision.training.errors import BadLabels
from elision.training.json_lines import read_json_lines, write_json_lines

LEVELS = (0, 1, 2, 3)  # noise, marginal, useful, essential
VALUES = (0.02, 0.33, 0.60, 0.85)  # keep value of each level, for targets
UNITS = ("line", "sentence")
JUDGED, HINDSIGHT, TEACHER = "judged", "hindsight", "teacher"


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """One line or sentence and what it is worth.

    Attributes:
        start: First character in the row's text.
        end: One past the last one; the line end is not included.
        level: 0 noise, 1 marginal, 2 useful, 3 essential.
        kept: Words to keep if half must go, in characters of the row's text, in order;
            empty when all may go, None when words were not judged.
        value: A finer worth than the level, in [0, 1] on the scale of keep values, where the
            source of the label gives one.
    """

    start: int
    end: int
    level: int
    kept: tuple[Span, ...] | None = None
    value: float | None = None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One judged chunk: a window of a tool output, a log or prose, and what it answered.

    Attributes:
        id: Unique in its file.
        kind: What the text is, such as ``grep`` or ``meeting``.
        unit: ``line`` or ``sentence``.
        source: Where the document came from.
        doc: The document; chunks of one document never cross splits.
        task: What the agent was asked to do; may be empty.
        call: The call that gave this output; may be empty.
        before: What the agent said just before the call; may be empty.
        text: The chunk.
        lines: Its judged lines or sentences, one or more, in text order, not overlapping.
        origin: Who says so: ``judged`` (a strong LLM under the labelling guide), ``hindsight``,
            ``teacher`` or a name of the user's own. A run can weigh each.
        licence: Of the text; empty where nobody said.
    """

    id: str
    kind: str
    unit: str
    source: str
    doc: str
    task: str
    call: str
    before: str
    text: str
    lines: tuple[JudgedLine, ...]
    origin: str = JUDGED
    licence: str = ""


def read_labels(path: Path) -> list[LabelRow]:
    """Read judged chunks from a ``.jsonl`` or ``.jsonl.gz`` file; empty lines are skipped.

    Raises:
        BadLabels: If the file cannot be read, or a row breaks the schema; the message names the
            file, the line number (from 1) and the field.
    """
    return list(read_json_lines(path, parse_row, BadLabels))


def write_labels(path: Path, rows: Iterable[LabelRow]) -> int:
    """Write label rows as JSON lines, gzipped if the name ends so, whole or not at all; returns how many."""
    return write_json_lines(path, map(row_json, rows))


def row_json(row: LabelRow) -> dict[str, Any]:
    """The row as `parse_row` reads it."""
    raw = {field.name: getattr(row, field.name) for field in dataclasses.fields(row) if field.name != "lines"}
    return raw | {"lines": [_line_json(line) for line in row.lines]}


def _line_json(line: JudgedLine) -> dict[str, Any]:
    raw: dict[str, Any] = {"start": line.start, "end": line.end, "level": line.level}
    if line.kept is not None:
        raw["kept"] = [[span.start, span.stop] for span in line.kept]
    if line.value is not None:
        raw["value"] = round(line.value, 4)
    return raw


def parse_row(raw: Any) -> LabelRow:
    """Check one decoded row.

    Raises:
        BadLabels: Naming the field that breaks the schema.
    """
    if not isinstance(raw, dict):
        raise BadLabels(f"row is {_name(raw)}, must be an object")
    text = _string(raw, "text")
    unit = _string(raw, "unit")
    if unit not in UNITS:
        raise BadLabels(f"unit is {unit!r}, must be one of {', '.join(UNITS)}")
    return LabelRow(
        id=_string(raw, "id"),
        kind=_string(raw, "kind"),
        unit=unit,
        source=_string(raw, "source"),
        doc=_string(raw, "doc"),
        task=_string(raw, "task"),
        call=_string(raw, "call"),
        before=_string(raw, "before"),
        text=text,
        lines=tuple(_lines(raw.get("lines"), len(text))),
        origin=_string({"origin": JUDGED} | raw, "origin"),
        licence=_string({"licence": ""} | raw, "licence"),
    )


def _lines(raw: Any, length: int) -> Iterator[JudgedLine]:
    if not isinstance(raw, list):
        raise BadLabels(f"lines is {_name(raw)}, must be a list")
    if not raw:
        raise BadLabels("lines is empty, must hold one line or more")
    reached = 0
    for index, item in enumerate(raw):
        where = f"lines[{index}]"
        if not isinstance(item, dict):
            raise BadLabels(f"{where} is {_name(item)}, must be an object")
        span = _span([item.get("start"), item.get("end")], reached, length, where)
        level = item.get("level")
        if type(level) is not int or level not in LEVELS:
            raise BadLabels(f"{where}.level is {level!r}, must be 0, 1, 2 or 3")
        kept = _kept(item.get("kept"), span, f"{where}.kept")
        yield JudgedLine(span.start, span.stop, level, kept, _value(item.get("value"), f"{where}.value"))
        reached = span.stop


def _value(raw: Any, where: str) -> float | None:
    if raw is None:
        return None
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= 1:
        raise BadLabels(f"{where} is {raw!r}, must be a number from 0 to 1")
    return float(raw)


def _kept(raw: Any, line: Span, where: str) -> tuple[Span, ...] | None:
    if raw is None:
        return None
    if not isinstance(raw, list):
        raise BadLabels(f"{where} is {_name(raw)}, must be a list")
    spans: list[Span] = []
    reached = line.start
    for index, item in enumerate(raw):
        spans.append(_span(item, reached, line.stop, f"{where}[{index}]"))
        reached = spans[-1].stop
    return tuple(spans)


def _span(raw: Any, low: int, high: int, where: str) -> Span:
    if not isinstance(raw, list) or len(raw) != 2 or any(type(edge) is not int for edge in raw):
        raise BadLabels(f"{where} is {raw!r}, must be two integers")
    start, stop = raw
    if not low <= start <= stop <= high:
        raise BadLabels(f"{where} is {start}..{stop}, must be in order and within {low}..{high}")
    return Span(start, stop)


def _string(raw: dict[str, Any], field: str) -> str:
    value = raw.get(field)
    if not isinstance(value, str):
        raise BadLabels(f"{field} is {_name(value)}, must be a string")
    return value


def _name(value: Any) -> str:
    return "missing" if value is None else type(value).__name__
