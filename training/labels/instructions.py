"""What a teacher is told, what it is shown, and how its answer is read.

Two instructions. *levels* is our guide: a level for each line and the words to keep, as one JSON
object. *deletion* is that of LLMLingua-2 (Pan et al., 2024, arXiv:2403.12968), in our words: the
text with words left out, so a word is kept or not, and a line is worth the share of it that stays.

An answer is looked for leniently (a fence, some prose or thoughts around it are passed over) and
checked strictly: what does not fit the text exactly is `Unusable`.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

import regex

from elision.model.types import Span
from elision.training.labels.alignment import Alignment, align, words_of
from elision.training.labels.quality import Reading, Reason, Unusable
from elision.training.labels.rows import JudgedLine, LabelRow

Json = dict[str, Any]
LONG = 12  # words from which a line gets kept words too, as in our guide
ROOM = 20  # words an answer may have over its text before it is not even looked at


@dataclass(frozen=True, slots=True)
class Instruction:
    """One way to ask.

    Attributes:
        name: As the command line gives it.
        text: What the teacher is told once, as the system message.
        show: What it is shown of one chunk, as the user message.
        read: Its answer as levels and words of the chunk; raises `Unusable`.
        schema: JSON schema of the answer, for servers that hold a model to one.
    """

    name: str
    text: str
    show: Callable[[LabelRow], str]
    read: Callable[[LabelRow, str], Reading]
    schema: Callable[[LabelRow], Json] | None = None


def instruction(name: str) -> Instruction:
    """``levels`` or ``deletion``."""
    if name == "levels":
        return Instruction(name, _text("guide.md"), _show_lines, _read_levels, _schema)
    assert name == "deletion", name
    return Instruction(name, _text("deletion.md"), _show_text, _read_deletion)


def shown_lines(row: LabelRow) -> list[JudgedLine]:
    """The lines a teacher is asked about: all but blank ones."""
    return [line for line in row.lines if line.span.of(row.text).strip()]


def _text(name: str) -> str:
    return (files("elision.training.labels") / name).read_text(encoding="utf-8")


def _show_lines(row: LabelRow) -> str:
    lines = shown_lines(row)
    what = "sentence" if row.unit == "sentence" else "line"
    numbered = "\n".join(f"{number}| {line.span.of(row.text)}" for number, line in enumerate(lines))
    return f"{_known(row)}\n\n{len(lines)} {what}s, numbered 0 to {len(lines) - 1}:\n{numbered}"


def _show_text(row: LabelRow) -> str:
    return f"<text>\n{row.text}\n</text>"


def _known(row: LabelRow) -> str:
    known = (("Task", row.task), ("Call", row.call), ("Said before", row.before))
    return "\n".join(f"{name}: {value or '(not known)'}" for name, value in known)


def _read_levels(row: LabelRow, answer: str) -> Reading:
    lines = shown_lines(row)
    raw = _json_with("lv", answer)
    levels = _levels(raw["lv"], len(lines))
    kept = dict(_kept(raw.get("kw"), len(lines)))
    judged: dict[Span, JudgedLine] = {}
    aligned = []
    for number, (line, level) in enumerate(zip(lines, levels, strict=True)):
        spans: tuple[Span, ...] | None = None
        if number in kept:
            its = _aligned(kept[number] if level else "", row.text, line.span)
            spans = its.spans
            aligned.append(its)
        judged[line.span] = replace(line, level=level, kept=spans)
    return Reading(tuple(judged.get(line.span, line) for line in row.lines), tuple(aligned))


def _read_deletion(row: LabelRow, answer: str) -> Reading:
    its = _aligned(_between_tags(answer), row.text, Span(0, len(row.text)))
    return Reading(tuple(_shortened(line, its, row.text) for line in row.lines), (its,), whole=True)


def _shortened(line: JudgedLine, its: Alignment, text: str) -> JudgedLine:
    """A line whose worth is the share of its words' characters that stay."""
    words = words_of(text, line.span)
    # A word never crosses a line, but touching words are one span, which may begin before it.
    spans = tuple(
        Span(max(span.start, line.start), min(span.stop, line.end))
        for span in its.spans
        if span.start < line.end and span.stop > line.start
    )
    share = sum(map(len, spans)) / max(1, sum(map(len, words)))
    level = 1 + min(2, int(3 * share)) if share else 0
    return replace(line, level=level, kept=spans, value=share)


def _aligned(answer: str, text: str, within: Span) -> Alignment:
    said, there = len(words_of(answer)), len(words_of(text, within))
    if said > 2 * there + ROOM:
        raise Unusable(Reason.INVENTED, f"{said} words kept of {there}")
    return align(answer, text, within)


def _levels(raw: Any, count: int) -> list[int]:
    if isinstance(raw, list) and all(type(item) is int for item in raw):
        raw = "".join(map(str, raw))
    digits = regex.sub(r"[\s,]", "", raw) if isinstance(raw, str) else ""
    if not regex.fullmatch(r"[0-3]*", digits) or not digits:
        raise Unusable(Reason.BAD_DIGITS, repr(raw)[:80])
    if len(digits) != count:
        reason = Reason.FEW_DIGITS if len(digits) < count else Reason.MANY_DIGITS
        raise Unusable(reason, f"{len(digits)} for {count} lines")
    return [int(digit) for digit in digits]


def _kept(raw: Any, count: int) -> Iterator[tuple[int, str]]:
    """Line number and kept words; a list has one entry for each line, an object those it names."""
    if isinstance(raw, list):
        if len(raw) != count:
            raise Unusable(Reason.BAD_WORDS, f"{len(raw)} entries for {count} lines")
        raw = dict(enumerate(raw))
    if not isinstance(raw, dict | None):
        raise Unusable(Reason.BAD_WORDS, f"kw is {type(raw).__name__}")
    for key, words in (raw or {}).items():
        if not regex.fullmatch(r"[0-9]{1,6}", str(key)) or int(key) >= count:
            raise Unusable(Reason.BAD_WORDS, f"line {str(key)[:20]!r} of {count}")
        if not isinstance(words, str | None):
            raise Unusable(Reason.BAD_WORDS, f"kw of line {key} is {type(words).__name__}")
        if words is not None:
            yield int(key), words


def _json_with(field: str, answer: str) -> Json:
    """The last JSON object of an answer that has the field; an earlier one may be a draft."""
    decoder = json.JSONDecoder(strict=False)
    found: Json | None = None
    at = answer.find("{")
    while at >= 0:
        try:
            value, stop = decoder.raw_decode(answer, at)
        except (ValueError, RecursionError):
            value, stop = None, at + 1
        if isinstance(value, dict) and field in value:
            found = value
        else:
            stop = at + 1
        at = answer.find("{", stop)
    if found is None:
        raise Unusable(Reason.NO_JSON, answer.strip()[:80])
    return found


def _between_tags(answer: str) -> str:
    """What stands between the tags; without them, the answer without a fence around it."""
    answer = regex.sub(r"\A\s*<think>.*?</think>", "", answer, flags=regex.DOTALL)
    tagged = regex.search(r"<kept>(.*)</kept>", answer, regex.DOTALL)
    fenced = regex.fullmatch(r"\s*```[^\n]*\n(.*?)\n?```\s*", answer, regex.DOTALL)
    found = tagged or fenced
    return found[1] if found else answer


def _schema(row: LabelRow) -> Json:
    """Holds a model to a digit a line, and to kept words of the lines that want some."""
    lines = shown_lines(row)
    long = {
        str(number): {"type": "string", "maxLength": len(line.span)}
        for number, line in enumerate(lines)
        if row.unit == "sentence" or len(words_of(row.text, line.span)) >= LONG
    }
    levels = {"type": "string", "pattern": f"^[0-3]{{{len(lines)}}}$"}
    kept = {"type": "object", "properties": long, "required": list(long), "additionalProperties": False}
    properties = {"lv": levels} | ({"kw": kept} if long else {})
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
