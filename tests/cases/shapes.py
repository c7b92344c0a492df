"""One conversation of texts, calls and results in each of the three chat formats."""

import json
from collections.abc import Iterator
from typing import Any

from tests.cases.outcome import Body
from tests.cases.reading import Call, Result, calls_of, messages, plain, results_of, role


def reshaped(body: Body, format: str) -> Body:
    """``body`` in another format; for conversations in which a message is one of the three."""
    writers = {"openai-chat": _chat, "anthropic-messages": _anthropic, "openai-responses": _responses}
    key = "input" if format == "openai-responses" else "messages"
    return {key: [writers[format](who, said) for who, said in _turns(body)]}


def _turns(body: Body) -> Iterator[tuple[str, str | Call | Result]]:
    for message in messages(body):
        calls, results = list(calls_of(message)), list(results_of(message))
        if not calls and not results:
            yield role(message), "\n".join(plain(message))
        yield from (("assistant", call) for call in calls)
        yield from (("tool", result) for result in results)


def _chat(who: str, said: str | Call | Result) -> dict[str, Any]:
    if isinstance(said, Call):
        function = {"name": said.name, "arguments": said.arguments}
        call = {"id": said.id, "type": "function", "function": function}
        return {"role": who, "content": None, "tool_calls": [call]}
    if isinstance(said, Result):
        return {"role": who, "tool_call_id": said.id, "content": said.text}
    return {"role": who, "content": said}


def _anthropic(who: str, said: str | Call | Result) -> dict[str, Any]:
    if isinstance(said, Call):
        use = {"type": "tool_use", "id": said.id, "name": said.name, "input": json.loads(said.arguments)}
        return {"role": who, "content": [use]}
    if isinstance(said, Result):
        return {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": said.id, "content": said.text}],
        }
    return {"role": who, "content": said}


def _responses(who: str, said: str | Call | Result) -> dict[str, Any]:
    if isinstance(said, Call):
        return {"type": "function_call", "call_id": said.id, "name": said.name, "arguments": said.arguments}
    if isinstance(said, Result):
        return {"type": "function_call_output", "call_id": said.id, "output": said.text}
    kind = "output_text" if who == "assistant" else "input_text"
    return {"type": "message", "role": who, "content": [{"type": kind, "text": said}]}
