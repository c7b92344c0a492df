"""Stories of a user, an agent and its tools: written as Chat messages, told in any wire format.

`[user("fix it"), call("c1", "bash", {"command": "ls"}), result("c1", "a.py")]` is a story, and
``told(story, Format.ANTHROPIC)`` the body in which Anthropic would get it.
"""

import json
from collections.abc import Sequence
from typing import Any

from elision.compaction.conversation import Format

Json = dict[str, Any]


def system(text: str) -> Json:
    return {"role": "system", "content": text}


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def assistant(text: str) -> Json:
    return {"role": "assistant", "content": text}


def call(id: str, name: str, arguments: Json, text: str | None = None) -> Json:
    """The agent calls one tool, after saying ``text`` if it is given."""
    return calls((id, name, arguments), text=text)


def calls(*made: tuple[str, str, Json], text: str | None = None) -> Json:
    """The agent calls several tools at once, each given by id, name and arguments."""
    listed = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for id, name, arguments in made
    ]
    return {"role": "assistant", "content": text, "tool_calls": listed}


def result(id: str, text: str) -> Json:
    return {"role": "tool", "tool_call_id": id, "content": text}


def told(story: Sequence[Json], format: Format, **members: object) -> str:
    """The body that tells a story; ``members`` join it."""
    tell = {
        Format.OPENAI_CHAT: _chat,
        Format.OPENAI_RESPONSES: _responses,
        Format.ANTHROPIC: _anthropic,
        Format.GEMINI: _gemini,
    }[format]
    return json.dumps(tell(story) | members, ensure_ascii=False)


def _chat(story: Sequence[Json]) -> Json:
    return {"messages": list(story)}


def _responses(story: Sequence[Json]) -> Json:
    items: list[Json] = []
    for message in story:
        if message["role"] == "tool":
            items.append(
                {
                    "type": "function_call_output",
                    "call_id": message["tool_call_id"],
                    "output": message["content"],
                }
            )
        elif message["content"] is not None:
            items.append({"role": message["role"], "content": message["content"]})
        items += [
            {"type": "function_call", "call_id": made["id"], **made["function"]}
            for made in message.get("tool_calls", [])
        ]
    return {"input": items}


def _anthropic(story: Sequence[Json]) -> Json:
    messages: list[Json] = []
    for message in story:
        role = message["role"]
        if role == "tool":
            block = {
                "type": "tool_result",
                "tool_use_id": message["tool_call_id"],
                "content": message["content"],
            }
            _joined(messages, "user", "content", block)
        elif made := message.get("tool_calls"):
            said = [{"type": "text", "text": message["content"]}] if message["content"] else []
            messages.append({"role": role, "content": said + [_tool_use(one) for one in made]})
        elif role != "system":
            messages.append({"role": role, "content": message["content"]})
    return {"messages": messages} | _told_apart("system", story)


def _tool_use(made: Json) -> Json:
    function = made["function"]
    return {
        "type": "tool_use",
        "id": made["id"],
        "name": function["name"],
        "input": json.loads(function["arguments"]),
    }


def _gemini(story: Sequence[Json]) -> Json:
    contents: list[Json] = []
    names: dict[str, str] = {}
    for message in story:
        role, text = message["role"], message["content"]
        made = message.get("tool_calls", [])
        names |= {one["id"]: one["function"]["name"] for one in made}
        if role == "tool":
            id = message["tool_call_id"]
            response = {"id": id, "name": names.get(id, ""), "response": {"output": text}}
            _joined(contents, "user", "parts", {"functionResponse": response})
        elif role != "system":
            said = [{"text": text}] if text is not None else []
            parts = said + [_function_call(one) for one in made]
            contents.append({"role": "model" if role == "assistant" else role, "parts": parts})
    apart = _told_apart("systemInstruction", story)
    return {"contents": contents} | {key: {"parts": [{"text": text}]} for key, text in apart.items()}


def _function_call(made: Json) -> Json:
    function = made["function"]
    arguments = json.loads(function["arguments"])
    return {"functionCall": {"id": made["id"], "name": function["name"], "args": arguments}}


def _joined(messages: list[Json], role: str, key: str, block: Json) -> None:
    """Add a result to the message of results that it belongs to, or begin one."""
    last = messages[-1].get(key) if messages else None
    if isinstance(last, list) and last and {"tool_use_id", "functionResponse"} & last[0].keys():
        last.append(block)
    else:
        messages.append({"role": role, key: [block]})


def _told_apart(key: str, story: Sequence[Json]) -> Json:
    """The system texts, which stand outside the messages."""
    texts = [message["content"] for message in story if message["role"] == "system"]
    return {key: "\n".join(texts)} if texts else {}
