"""Levels for texts that lie elsewhere: labels without the text they are about.

Other people's text is not passed on with our judgement of it. A pointed row names a text of the data
folder, a stretch of it, where its lines begin and end, and one level a line; a digest says whether
it is still the same text.
"""

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from elision.model.types import Span
from elision.training.errors import BadLabels
from elision.training.labels.chunks import context, context_end
from elision.training.labels.rows import JUDGED, JudgedLine, LabelRow
from elision.training.transcripts.files import read_transcripts
from elision.training.transcripts.outputs import call_of, said_before, task_of, text_of

_DIGEST = 12  # hex digits


def read_pointed(path: Path, data: Path) -> list[LabelRow]:
    """Join the rows of a pointed file (``.jsonl.gz``) with their texts under ``data``, by file.

    Raises:
        BadLabels: If a file or a text is missing or is not the one that was judged; names the row.
    """
    rows: dict[str, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
    try:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                raw = json.loads(line)
                rows[raw["file"]].append((number, raw))
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise BadLabels(f"{path}: cannot be read: {error}") from error
    return [row for file in sorted(rows) for row in _joined(path, data / file, rows[file])]


def digest(text: str) -> str:
    """What a row remembers of its text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]


def _joined(path: Path, file: Path, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[LabelRow]:
    if not file.is_file():
        raise BadLabels(f"{path}: {file} is missing")
    texts = _log(file) if file.name.endswith(".log.gz") else _questions(file) if "/qa/" in str(file) else _messages(file)
    for number, raw in rows:
        found = texts.get(raw["text"])
        if found is None:
            raise BadLabels(f"{path}:{number}: {file} has no text {raw['text']!r}")
        text = Span(*raw["span"]).of(found["text"])
        if digest(text) != raw["digest"]:
            raise BadLabels(f"{path}:{number}: the text {raw['text']!r} of {file} is not the one that was judged")
        yield _row(raw, text, found)


def _row(raw: Mapping[str, Any], text: str, found: Mapping[str, str]) -> LabelRow:
    lines = (JudgedLine(start, stop, int(level)) for (start, stop), level in zip(raw["lines"], raw["levels"], strict=True))
    return LabelRow(
        id=raw["id"],
        kind=raw["kind"],
        unit=raw["unit"],
        source=raw["source"],
        doc=raw["doc"],
        task=context(found["task"]) if raw.get("told", True) else "",
        call=context(found["call"]),
        before=context_end(found["before"]),
        text=text,
        lines=tuple(lines),
        origin=JUDGED,
        licence=raw["licence"],
    )


def _messages(file: Path) -> dict[str, dict[str, str]]:
    """Tool outputs and talk, by transcript id and message number."""
    found = {}
    for transcript in read_transcripts(file):
        task = task_of(transcript.messages)
        for index, message in enumerate(transcript.messages):
            told = {"task": task, "call": "", "before": ""}
            if message["role"] == "tool":
                told |= {"call": call_of(transcript.messages, index), "before": said_before(transcript.messages, index)}
            found[f"{transcript.id}#{index}"] = told | {"text": text_of(message)}
    return found


def _log(file: Path) -> dict[str, dict[str, str]]:
    with gzip.open(file, "rt", encoding="utf-8", errors="replace", newline="") as stream:
        call = f"bash cat {file.name.removesuffix('.log.gz')}"
        return {"": {"text": stream.read(), "task": "", "call": call, "before": ""}}


def _questions(file: Path) -> dict[str, dict[str, str]]:
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return {row["id"]: {"text": row["context"], "task": row["question"], "call": "", "before": ""} for row in rows}
