"""The four wire formats, written: chat messages in, the parts of a request body out.

Each writer keeps to what its provider accepts: where results must stand, what may be empty, who
speaks first. Where a format has several legal shapes for the same thing, one is drawn.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from random import Random
from typing import Any

from elision.compaction.conversation import Format

Json = dict[str, Any]

BEGUN = "(continued)"  # Anthropic and Gemini let the user speak first; some recordings do not
UNSIGNED = "skip_thought_signature_validator"  # what Gemini accepts for calls it did not make itself


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the list of messages.

    Attributes:
        value: What is written.
        calls: Calls in it that wait for a result.
        results: Results in it.
        by_model: Whether the model said it.
    """

    value: Json
    calls: int = 0
    results: int = 0
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """A request body before it is spelled.

    Attributes:
        settings: Members before the list of messages.
        list_key: What the list is called.
        elements: The list.
        trailing: Members after it.
        repairs: What had to be changed for this format.
    """

    settings: Json
    list_key: str
    elements: list[Element]
    trailing: Json = field(default_factory=dict)
    repairs: Counter[str] = field(default_factory=Counter)


Writer = Callable[[Sequence[Json], Sequence[Json], Random], Body]
"""Sound messages, functions and the dice in, a body out."""


def openai_chat(messages: Sequence[Json], functions: Sequence[Json], random: Random) -> Body:
    """Chat completions: every result is a message of its own."""
    elements = []
    for message in messages:
        calls, role = message.get("tool_calls", []), message["role"]
        value = {"role": role, "content": message["content"]}
        if message["content"]:
            value["content"] = _either(message["content"], [{"type": "text", "text": message["content"]}], random)
        if calls:
            value["tool_calls"] = calls
        if role == "tool":
            value["tool_call_id"] = message["tool_call_id"]
        elements.append(Element(_shuffled(value, random), len(calls), int(role == "tool"), role == "assistant"))
    settings: Json = {"model": "gpt-4.1", "temperature": 1.0, "top_p": 1, "x_unknown": {"b": 1e-3, "a": None}}
    if functions:
        settings["tools"] = [{"type": "function", "function": function} for function in functions]
    return Body(settings, "messages", elements, {"stream": True})


def openai_responses(messages: Sequence[Json], functions: Sequence[Json], random: Random) -> Body:
    """Responses: calls and results are items beside the messages."""
    system, rest = _system(messages)
    elements = [element for message in rest for element in _items(message, random)]
    settings: Json = {"model": "gpt-5.5", "store": False, "parallel_tool_calls": True}
    if system:
        settings["instructions"] = system
    if functions:
        settings["tools"] = [{"type": "function", **function, "strict": False} for function in functions]
    return Body(settings, "input", elements)


def anthropic(messages: Sequence[Json], functions: Sequence[Json], random: Random) -> Body:
    """Messages: all results of a turn stand in the one user message after it, and the user begins."""
    system, rest = _system(messages)
    elements, repairs = _begun(rest, Element({"role": "user", "content": BEGUN}))
    for is_result, run in groupby(rest, lambda message: bool(message["role"] == "tool")):
        if is_result:
            blocks = [_tool_result(message, random) for message in run]
            elements.append(Element({"role": "user", "content": blocks}, results=len(blocks)))
        else:
            elements += [_anthropic_message(message, random) for message in run]
    settings: Json = {"model": "claude-sonnet-4-5", "max_tokens": 8192, "temperature": 1.0}
    if system:
        marked = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
        settings["system"] = _either(system, marked, random)
    if functions:
        settings["tools"] = [
            {"name": f["name"], "description": f.get("description", ""), "input_schema": f["parameters"]}
            for f in functions
        ]
    return Body(settings, "messages", elements, {"stream": True}, repairs)


def gemini(messages: Sequence[Json], functions: Sequence[Json], random: Random) -> Body:
    """generateContent: turns take turns, so what the model says in a row is one content."""
    system, rest = _system(messages)
    elements, repairs = _begun(rest, Element({"role": "user", "parts": [{"text": BEGUN}]}))
    names = {c["id"]: c["function"]["name"] for message in rest for c in message.get("tool_calls", ())}
    signed = random.random() < 0.5
    for role, run in groupby(_turns(rest), lambda pair: pair[0]):
        turn = [message for _, message in run]
        if role == "assistant":
            parts = [part for message in turn for part in _model_parts(message, signed)]
            calls = sum("functionCall" in part for part in parts)
            elements.append(Element({"role": "model", "parts": parts}, calls=calls, by_model=True))
        elif role == "tool":
            parts = [_function_response(message, names) for message in turn]
            elements.append(Element({"role": "user", "parts": parts}, results=len(parts)))
        else:
            elements += [Element({"role": "user", "parts": [{"text": m["content"]}]}) for m in turn]
    settings: Json = {"generationConfig": {"temperature": 1.0, "maxOutputTokens": 8192}}
    if system:
        settings["systemInstruction"] = {"parts": [{"text": system}]}
    if functions:
        settings["tools"] = [{"functionDeclarations": list(functions)}]
    return Body(settings, "contents", elements, repairs=repairs)


WRITERS: dict[Format, Writer] = {
    Format.OPENAI_CHAT: openai_chat,
    Format.OPENAI_RESPONSES: openai_responses,
    Format.ANTHROPIC: anthropic,
    Format.GEMINI: gemini,
}


def _system(messages: Sequence[Json]) -> tuple[str, Sequence[Json]]:
    """The system text that opens a recording, and the rest of it."""
    if messages and messages[0]["role"] == "system":
        return str(messages[0]["content"]), messages[1:]
    return "", messages


def _begun(messages: Sequence[Json], opening: Element) -> tuple[list[Element], Counter[str]]:
    if messages and messages[0]["role"] == "assistant":
        return [opening], Counter({"first turn": 1})
    return [], Counter()


def _items(message: Json, random: Random) -> Iterator[Element]:
    role, content = message["role"], message["content"]
    if role == "tool":
        output = _either(content, [{"type": "input_text", "text": content}], random)
        item = {"type": "function_call_output", "call_id": message["tool_call_id"], "output": output}
        yield Element(_shuffled(item, random), results=1)
        return
    by_model = bool(role == "assistant")
    if content:
        part = {"type": "output_text", "text": content, "annotations": []} if by_model else {"type": "input_text", "text": content}
        easy = {"role": role, "content": content}
        yield Element(_either(easy, {"type": "message", "role": role, "content": [part]}, random), by_model=by_model)
    for call in message.get("tool_calls", ()):
        item = {"type": "function_call", "call_id": call["id"], **call["function"]}
        yield Element(_shuffled(item, random), calls=1, by_model=True)


def _tool_result(message: Json, random: Random) -> Json:
    block = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
    if message["content"]:  # an empty text block is refused
        block["content"] = _either(message["content"], [{"type": "text", "text": message["content"]}], random)
    return _shuffled(block, random)


def _anthropic_message(message: Json, random: Random) -> Element:
    content, calls = message["content"], message.get("tool_calls", ())
    texts = [{"type": "text", "text": content}] if (content or "").strip() else []
    uses = [
        {"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": _object(call)}
        for call in calls
    ]
    role = "assistant" if message["role"] == "assistant" else "user"
    value = {"role": role, "content": [*texts, *uses] if uses else _either(content, texts, random)}
    return Element(value, calls=len(uses), by_model=role == "assistant")


def _turns(messages: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    for message in messages:
        yield (message["role"] if message["role"] in ("assistant", "tool") else "user"), message


def _model_parts(message: Json, signed: bool) -> Iterator[Json]:
    if message["content"]:
        yield {"text": message["content"]}
    for index, call in enumerate(message.get("tool_calls", ())):
        made = {"id": call["id"], "name": call["function"]["name"], "args": _object(call)}
        yield {"functionCall": made, **({"thoughtSignature": UNSIGNED} if signed and not index else {})}


def _function_response(message: Json, names: dict[str, str]) -> Json:
    call_id = message["tool_call_id"]
    response = {"output": message["content"] or ""}
    return {"functionResponse": {"id": call_id, "name": names[call_id], "response": response}}


def _object(call: Json) -> Json:
    """A call's arguments as the object that Anthropic and Gemini ask for."""
    raw = call["function"]["arguments"]
    try:
        value = json.loads(raw)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"arguments": raw}


def _either(one: Any, other: Any, random: Random) -> Any:
    return one if random.random() < 0.5 else other


def _shuffled(value: Json, random: Random) -> Json:
    """The same members, sometimes in another order: clients do not agree on one."""
    return value if random.random() < 0.5 else dict(random.sample(list(value.items()), len(value)))
