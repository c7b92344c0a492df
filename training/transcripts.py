"""Tool outputs of recorded agent transcripts, each with what came before and after it.

A query may be built only from what stood before an output, and what the agent did next tells
what it needed; both sides are cut here once, so that no script looks ahead by accident.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elision.compaction.query import compose_query

NEXT = 5


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """One tool output in its conversation.

    Attributes:
        name: Transcript id and message index, as reports give it.
        transcript: Transcript id.
        text: The output.
        query: What the agent was after, from what came before.
        earlier: Everything that stood in the conversation before the output.
        later: The agent's next texts and calls, at most `NEXT`; of a call its name and the
            strings and numbers of its arguments.
        kind: What the transcript is, such as ``coding-agent``.
    """

    name: str
    transcript: str
    text: str
    query: str
    earlier: str
    later: tuple[str, ...]
    kind: str = ""


def tool_outputs(folder: Path) -> Iterator[ToolOutput]:
    """Tool outputs of every transcript file of a folder, in file order; empty ones are left out."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                yield from outputs_of(row["id"], row["messages"], row["kind"])


def outputs_of(transcript: str, messages: list[dict[str, Any]], kind: str = "") -> Iterator[ToolOutput]:
    """Tool outputs of one conversation of OpenAI chat messages."""
    task = next((_text(message) for message in messages if message["role"] == "user"), "")
    earlier: list[str] = []
    calls: dict[str, str] = {}
    before = ""
    for index, message in enumerate(messages):
        text = _text(message)
        if message["role"] == "assistant":
            before = text
            calls = {
                c["id"]: f"{c['function']['name']} {c['function']['arguments']}" for c in _calls(message)
            }
        if message["role"] == "tool" and text.strip():
            query = compose_query(
                task=task, call=calls.get(message.get("tool_call_id", ""), ""), before=before
            )
            later = tuple(_said(messages[index + 1 :]))
            yield ToolOutput(f"{transcript}#{index}", transcript, text, query, "\n".join(earlier), later, kind)
        earlier.append(text)
        earlier.extend(_call_text(call) for call in _calls(message))


def _said(messages: list[dict[str, Any]]) -> list[str]:
    said: list[str] = []
    for message in messages:
        if message["role"] == "assistant":
            said.extend(part for part in (_text(message), *map(_call_text, _calls(message))) if part)
            if len(said) >= NEXT:
                break
    return said[:NEXT]


def _call_text(call: dict[str, Any]) -> str:
    """Name and argument values of a call, without JSON's own escapes and keys."""
    function = call["function"]
    try:
        values = _leaves(json.loads(function["arguments"]))
    except ValueError:
        values = [function["arguments"]]
    return "\n".join([function["name"], *values])


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    return message.get("tool_calls") or []


def _text(message: dict[str, Any]) -> str:
    return message.get("content") or ""
