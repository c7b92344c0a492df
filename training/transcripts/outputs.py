"""Tool outputs of recorded sessions, each with what came before and after it.

A query may be built only from what stood before an output, and what the agent did next tells
what it needed; both sides are cut here once, so that no script looks ahead by accident.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elision.compaction.query import compose_query
from elision.training.transcripts.files import read_transcripts
from elision.training.transcripts.types import Transcript

NEXT = 5


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """One tool output in its conversation.

    Attributes:
        name: Transcript id and message index, as reports give it.
        transcript: Transcript id.
        text: The output.
        task: What the agent was asked to do: the first user message.
        call: Name and arguments of the call that gave the output.
        before: What the agent said just before it.
        earlier: Everything that stood in the conversation before the output.
        later: The agent's next texts and calls, at most `NEXT`; of a call its name and the
            strings and numbers of its arguments.
        kind: What the transcript is, such as ``coding-agent``.
    """

    name: str
    transcript: str
    text: str
    task: str
    call: str
    before: str
    earlier: str
    later: tuple[str, ...]
    kind: str = ""

    @property
    def query(self) -> str:
        """What the agent was after, from what came before."""
        return compose_query(self.task, self.call, self.before)


def tool_outputs(folder: Path) -> Iterator[ToolOutput]:
    """Tool outputs of every transcript file of a folder, in file order; empty ones are left out."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        for transcript in read_transcripts(path):
            yield from outputs_of(transcript)


def outputs_of(transcript: Transcript) -> Iterator[ToolOutput]:
    """Tool outputs of one session."""
    messages = transcript.messages
    task = task_of(messages)
    earlier: list[str] = []
    calls: dict[str, str] = {}
    before = ""
    for index, message in enumerate(messages):
        text = text_of(message)
        if message["role"] == "assistant":
            before = text
            calls = {
                c["id"]: f"{c['function']['name']} {c['function']['arguments']}" for c in calls_of(message)
            }
        if message["role"] == "tool" and text.strip():
            yield ToolOutput(
                name=f"{transcript.id}#{index}",
                transcript=transcript.id,
                text=text,
                task=task,
                call=calls.get(message.get("tool_call_id", ""), ""),
                before=before,
                earlier="\n".join(earlier),
                later=tuple(_said(messages[index + 1 :])),
                kind=transcript.kind,
            )
        earlier.append(text)
        earlier.extend(call_text(call) for call in calls_of(message))


def task_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """What the agent was asked to do: the first user message."""
    return next((text_of(message) for message in messages if message["role"] == "user"), "")


def call_of(messages: Sequence[Mapping[str, Any]], index: int) -> str:
    """Name and arguments of the call that a tool message answers; empty if it is not there."""
    wanted = messages[index].get("tool_call_id")
    for message in reversed(messages[:index]):
        for call in calls_of(message):
            if call["id"] == wanted:
                return f"{call['function']['name']} {call['function']['arguments']}"
        if message["role"] == "assistant":
            break
    return ""


def said_before(messages: Sequence[Mapping[str, Any]], index: int) -> str:
    """What the agent said last before a message."""
    return next((text_of(m) for m in reversed(messages[:index]) if m["role"] == "assistant"), "")


def said(message: Mapping[str, Any]) -> list[str]:
    """What an assistant message says: its text, and each call by name and argument values."""
    return [part for part in (text_of(message), *map(call_text, calls_of(message))) if part]


def call_text(call: Mapping[str, Any]) -> str:
    """Name and argument values of a call, without JSON's own escapes and keys."""
    function = call["function"]
    try:
        values = leaves(json.loads(function["arguments"]))
    except ValueError:
        values = [function["arguments"]]
    return "\n".join([function["name"], *values])


def leaves(value: Any) -> list[str]:
    """The strings and numbers of a JSON value, in order, as text."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def calls_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tool calls of a message."""
    return message.get("tool_calls") or []


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, empty where it has none."""
    return message.get("content") or ""


def _said(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    found: list[str] = []
    for message in messages:
        if message["role"] == "assistant":
            found.extend(said(message))
            if len(found) >= NEXT:
                break
    return found[:NEXT]
