"""Recorded sessions told message by message."""

import json
from typing import Any

from elision.training.transcripts.types import Transcript

Message = dict[str, Any]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def agent(text: str | None, **calls: tuple[str, dict[str, Any]]) -> Message:
    """What the agent says, and its calls: ``c1=("read", {"path": "a.py"})``."""
    made = [
        {"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for key, (name, arguments) in calls.items()
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def result(call: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call, "content": text}


def session(messages: list[Message], id: str = "t", **others: Any) -> Transcript:
    return Transcript(id, **{"source": "ours", "task": "one", **others}, messages=tuple(messages))
