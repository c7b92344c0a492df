"""Transcript files: JSON lines, one session a line, plain or gzipped."""

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from elision.training.errors import BadTranscript
from elision.training.json_lines import json_lines_files, read_json_lines, write_json_lines
from elision.training.transcripts.types import Transcript

_ROLES = ("system", "user", "assistant", "tool")


def read_transcripts(path: Path) -> Iterator[Transcript]:
    """Read the sessions of a ``.jsonl`` or ``.jsonl.gz`` file; empty lines are skipped.

    Raises:
        BadTranscript: If the file cannot be read or a row breaks the schema; the message names the
            file, the line number (from 1) and the field.
    """
    return read_json_lines(path, parse_transcript, BadTranscript)


def transcript_files(path: Path) -> list[Path]:
    """The transcript files of a folder in order, or the file itself.

    Raises:
        BadTranscript: If there is none.
    """
    return json_lines_files(path, BadTranscript)


def write_transcripts(path: Path, transcripts: Iterable[Transcript]) -> int:
    """Write sessions, whole or not at all; returns how many."""
    return write_json_lines(path, map(_row, transcripts))


def _row(transcript: Transcript) -> dict[str, Any]:
    return {
        key: value for key, value in dataclasses.asdict(transcript).items() if value or key in ("id", "messages")
    }


def parse_transcript(raw: Any) -> Transcript:
    """Check one decoded row; fields that the schema does not know are passed over.

    Raises:
        BadTranscript: Naming the field that breaks the schema.
    """
    if not isinstance(raw, dict):
        raise BadTranscript("row must be an object")
    texts = {name: raw.get(name, "") for name in ("id", "source", "task", "kind", "licence", "split")}
    for name, value in texts.items():
        if not isinstance(value, str) or (name == "id" and not value):
            raise BadTranscript(f"{name} must be a string, is {value!r}")
    messages = raw.get("messages")
    if not isinstance(messages, list):
        raise BadTranscript("messages must be a list")
    for index, message in enumerate(messages):
        _check(message, f"messages[{index}]")
    tools = raw.get("tools") or []
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise BadTranscript("tools must be a list of objects")
    answer = raw.get("answer") or raw.get("expected_answer") or ""
    return Transcript(
        **texts,
        messages=tuple(messages),
        tools=tuple(tools),
        answer=answer if isinstance(answer, str) else "\n".join(map(str, answer)),
    )


def _check(message: Any, where: str) -> None:
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        raise BadTranscript(f"{where}.role must be one of {', '.join(_ROLES)}")
    if not isinstance(message.get("content"), str | None):
        raise BadTranscript(f"{where}.content must be text or null")
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise BadTranscript(f"{where}.tool_calls must be a list")
    for number, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not all(
            isinstance(value, str) for value in (call.get("id"), function.get("name"), function.get("arguments"))
        ):
            raise BadTranscript(f"{where}.tool_calls[{number}] needs id, function.name and function.arguments, all text")
