"""How OpenAI and Anthropic hold a request to their rules, and put what they answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from llm_troubles import Act, Raw, Refuse, Say

Json = dict[str, Any]
OPENAI, ANTHROPIC = "openai", "anthropic"
INPUT, OUTPUT = 100, 20  # tokens that every reply is said to have used


@dataclass(frozen=True)
class Rules:
    """What this provider insists on.

    Attributes:
        key: The one key that it takes; empty, any and none.
        window: Tokens of input and output, four characters each; more is an overflow.
        new_room: Whether it takes only ``max_completion_tokens``.
    """

    key: str = ""
    window: int | None = None
    new_room: bool = False


class Refused(Exception):
    """The request breaks a rule."""

    def __init__(self, status: int, message: str, code: str = "invalid_request_error") -> None:
        self.act = Refuse(status, message, code)


def check(api: str, headers: Mapping[str, str], request: Json, rules: Rules) -> None:
    key = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    if rules.key and key != rules.key:
        raise Refused(401, f"Incorrect API key provided: {key}", "invalid_api_key")
    if "json" not in headers.get("content-type", "") or not request:
        _bad("the body is not JSON")
    if not isinstance(request.get("model"), str) or not request["model"]:
        _bad("model: Field required")
    (_check_openai if api == OPENAI else _check_anthropic)(headers, request, rules)
    system = [{"content": request["system"]}] if "system" in request else []
    tokens = sum(len(message["content"]) for message in [*system, *request["messages"]]) // 4
    room = request.get("max_tokens") or request.get("max_completion_tokens") or 0
    if rules.window is not None and tokens + room > rules.window:
        _bad(_OVERFLOWS[api].format(window=rules.window, tokens=tokens, room=room))


_OVERFLOWS = {
    OPENAI: "This model's maximum context length is {window} tokens. However, you requested {room} of {tokens}.",
    ANTHROPIC: "prompt is too long: {tokens} tokens > {window} maximum",
}


def _check_openai(headers: Mapping[str, str], request: Json, rules: Rules) -> None:
    for name in set(request) - {"model", "messages", "max_tokens", "max_completion_tokens"}:
        _bad(f"Unrecognized request argument supplied: {name}")
    if rules.new_room and "max_tokens" in request:
        _bad(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        )
    _check_messages(request, {"system", "developer", "user", "assistant"})


def _check_anthropic(headers: Mapping[str, str], request: Json, rules: Rules) -> None:
    if not headers.get("anthropic-version"):
        _bad("anthropic-version: header is required")
    for name in set(request) - {"model", "messages", "max_tokens", "system"}:
        _bad(f"{name}: Extra inputs are not permitted")
    if not isinstance(request.get("max_tokens"), int) or request["max_tokens"] < 1:
        _bad("max_tokens: Input should be greater than or equal to 1")
    if "system" in request and not request["system"]:
        _bad("system: text content blocks must be non-empty")
    _check_messages(request, {"user", "assistant"})
    if request["messages"][0]["role"] != "user" or not request["messages"][-1]["content"].strip():
        _bad("messages: text content blocks must contain non-whitespace text")


def _check_messages(request: Json, roles: set[str]) -> None:
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        _bad("messages: at least one message is required")
    for message in messages:
        if message.get("role") not in roles or not isinstance(message.get("content"), str):
            _bad(f"messages: role {message.get('role')!r} with such a content is not allowed")


def _bad(message: str) -> NoReturn:
    raise Refused(400, message)


def rendered(act: Act, api: str) -> Raw:
    if isinstance(act, Raw):
        return act
    if isinstance(act, Refuse):
        error = {"type": act.code, "message": act.message, "code": act.code}
        body = {"error": error} if api == OPENAI else {"type": "error", "error": error, "request_id": "req_1"}
        return Raw(json.dumps(body).encode(), act.status, headers=act.headers)
    body = _completion(act) if api == OPENAI else _message(act)
    return replace(Raw(json.dumps(body).encode()), headers=act.headers)


def _completion(say: Say) -> Json:
    finish = {"refusal": "content_filter", "tool": "tool_calls"}.get(say.finish, say.finish)
    call = {"id": "c1", "type": "function", "function": {"name": "rm", "arguments": "{}"}}
    calls = {"tool_calls": [call]} if say.finish == "tool" else {}
    message = {"role": "assistant", "content": say.text, "refusal": None, **calls}
    usage = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT}
    return {
        "id": "fake",
        "object": "chat.completion",
        "created": 0,
        "model": "fake",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        **({"usage": usage} if say.usage else {}),
    }


def _message(say: Say) -> Json:
    finish = {"stop": "end_turn", "length": "max_tokens", "tool": "tool_use"}.get(say.finish, say.finish)
    content: list[Json] = [] if say.text is None else [{"type": "text", "text": say.text}]
    content += [{"type": "tool_use", "id": "t1", "name": "rm", "input": {}}] if say.finish == "tool" else []
    return {
        "id": "fake",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "content": content,
        "stop_reason": finish,
        **({"usage": {"input_tokens": INPUT, "output_tokens": OUTPUT}} if say.usage else {}),
    }
