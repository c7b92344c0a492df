"""Levels for texts that lie elsewhere: labels without the text they are about.

Other people's text is not passed on with our judgement of it. A pointed row names a text of the data
folder, a stretch of it, where its lines begin and end, and one level a line; a digest says whether
it is still the same text.
"""

import gzip
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from elision.training.errors import BadLabels
from elision.training.labels.chunks import context, context_end
from elision.training.labels.rows import LabelRow, parse_row, read_labels
from elision.training.transcripts.files import read_transcripts
from elision.training.transcripts.outputs import call_of, said_before, task_of, text_of

SECOND = Path(__file__).parent / "second.jsonl.gz"  # the judged chunks that we ship
_DIGEST = 12  # hex digits
_MEETINGS = "qmsum_meetings.jsonl.gz"
_MARK = re.compile(r"\s*\{[^}]*\}")
_NEEDED = ("id", "file", "text", "span", "digest", "kind", "unit", "source", "doc", "licence", "lines", "levels")


def read_pointed(path: Path, data: Path) -> list[LabelRow]:
    """Join the rows of a pointed file (``.jsonl.gz``) with their texts under ``data``, by file.

    Raises:
        BadLabels: If a file or a text is missing or is not the one that was judged; names the row.
        BadTranscript: If a transcript file under ``data`` breaks its schema.
    """
    rows: dict[str, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
    try:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                raw = _pointer(path, number, line)
                rows[raw["file"]].append((number, raw))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BadLabels(f"{path}: cannot be read: {error}") from error
    return [row for file in sorted(rows) for row in _joined(path, data, file, rows[file])]


def digest(text: str) -> str:
    """What a row remembers of its text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]


def _pointer(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        raw = json.loads(line)
    except ValueError as error:
        raise BadLabels(f"{path}:{number}: not JSON: {error}") from error
    missing = [name for name in _NEEDED if name not in raw] if isinstance(raw, dict) else ["an object"]
    if missing:
        raise BadLabels(f"{path}:{number}: lacks {', '.join(missing)}")
    return dict(raw)


def _joined(
    path: Path, data: Path, name: str, rows: Sequence[tuple[int, Mapping[str, Any]]]
) -> Iterator[LabelRow]:
    file = data / name
    if not file.is_file():
        raise BadLabels(f"{path}:{rows[0][0]}: {file} is missing")
    try:
        reader = next((_READERS[part] for part in Path(name).parts if part in _READERS), _messages)
        texts = reader(file)
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise BadLabels(f"{path}:{rows[0][0]}: {file} cannot be read: {error}") from error
    for number, raw in rows:
        found = texts.get(raw["text"])
        if found is None:
            raise BadLabels(f"{path}:{number}: {file} has no text {raw['text']!r}")
        text = found["text"][slice(*raw["span"])]
        if digest(text) != raw["digest"]:
            raise BadLabels(f"{path}:{number}: the text {raw['text']!r} of {file} is not the one that was judged")
        try:
            yield parse_row(_row(raw, text, found))
        except (BadLabels, ValueError) as error:
            raise BadLabels(f"{path}:{number}: {error}") from error


def _row(raw: Mapping[str, Any], text: str, found: Mapping[str, str]) -> dict[str, Any]:
    """The row as a label file has it."""
    spans, levels = raw["lines"], raw["levels"]
    if len(spans) != len(levels):
        raise BadLabels(f"has {len(levels)} levels for {len(spans)} lines")
    return {name: raw[name] for name in ("id", "kind", "unit", "source", "doc", "licence")} | {
        "task": context(found["task"]) if raw.get("told", True) else "",
        "call": context(found["call"]),
        "before": context_end(found["before"]),
        "text": text,
        "lines": [
            {"start": start, "end": stop, "level": int(level)}
            for (start, stop), level in zip(spans, levels, strict=True)
        ],
    }


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
    """Contexts by question id; a context that many questions share stands in another file."""
    rows = _json_lines(file)
    meetings = _meetings(file.with_name(_MEETINGS)) if any("context_ref" in row for row in rows) else {}
    return {
        row["id"]: {
            "text": row["context"] if "context" in row else meetings[row["context_ref"]],
            "task": row["question"],
            "call": "",
            "before": "",
        }
        for row in rows
    }


def _meetings(file: Path) -> dict[str, str]:
    """What was said, a turn a line, without the transcriber's marks such as ``{disfmarker}``."""
    return {row["id"]: "\n".join(_MARK.sub("", turn) for turn in row["turns"]) for row in _json_lines(file)}


def _json_lines(file: Path) -> list[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def _judged(file: Path) -> dict[str, dict[str, str]]:
    """Chunks that were judged before: to judge them twice."""
    return {
        row.id: {"text": row.text, "task": row.task, "call": row.call, "before": row.before} for row in read_labels(file)
    }


_READERS = {"logs": _log, "qa": _questions, "labels": _judged}  # by folder; else transcripts
