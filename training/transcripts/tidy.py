"""Make a session's messages legal: every result directly behind its call, nothing left open.

Files record results when they arrive: after other calls, twice, or never. Providers refuse such
histories, and what learns from a call and its output must see them together.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(slots=True)
class _Call:
    value: Json
    result: Json | None = None


@dataclass(slots=True)
class _Turn:
    role: str
    content: str | None
    calls: list[_Call] = field(default_factory=list)


def tidy(messages: Sequence[Json]) -> tuple[tuple[Json, ...], Counter[str]]:
    """Put results behind their calls, in the order of the calls, and take out what is left alone.

    A result belongs to the newest call before it with its id that has none yet. Ids that come again
    are made different, as providers want them unique.

    Args:
        messages: Chat messages; not changed.

    Returns:
        The messages, and how often each repair was made.
    """
    repairs: Counter[str] = Counter()
    turns: list[_Turn] = []
    calls: dict[str, list[_Call]] = {}
    for message in messages:
        if message["role"] == "tool":
            _answer(message, calls, repairs)
            continue
        turn = _Turn(message["role"], message.get("content"))
        for call in message.get("tool_calls") or ():
            made = _Call(call)
            calls.setdefault(call["id"], []).append(made)
            turn.calls.append(made)
        turns.append(turn)
    return tuple(_written(turns, repairs)), repairs


def _answer(message: Json, calls: dict[str, list[_Call]], repairs: Counter[str]) -> None:
    known = calls.get(message.get("tool_call_id") or "", [])
    waiting = next((call for call in reversed(known) if call.result is None), None)
    if waiting is None:
        repairs["second result of a call" if known else "result without a call"] += 1
    else:
        waiting.result = message


def _written(turns: Sequence[_Turn], repairs: Counter[str]) -> Iterator[Json]:
    used: Counter[str] = Counter()
    for turn in turns:
        answered = [call for call in turn.calls if call.result is not None]
        repairs["call without a result"] += len(turn.calls) - len(answered)
        content = turn.content if turn.content and turn.content.strip() else None
        if content is None and not answered:
            repairs["empty message"] += not turn.calls
            continue
        ids = [_unique(call.value["id"] or "call", used, repairs) for call in answered]
        message: Json = {"role": turn.role, "content": content}
        if answered:
            message["tool_calls"] = [{**call.value, "id": key} for key, call in zip(ids, answered, strict=True)]
        yield message
        for key, call in zip(ids, answered, strict=True):
            assert call.result is not None
            name = call.value["function"]["name"]
            yield {"role": "tool", "tool_call_id": key, "name": name, "content": call.result.get("content") or ""}


def _unique(key: str, used: Counter[str], repairs: Counter[str]) -> str:
    used[key] += 1
    if used[key] == 1:
        return key
    repairs["id that came again"] += 1
    while used[fresh := f"{key}_{used[key]}"]:
        used[key] += 1
    used[fresh] += 1
    return fresh


def sound(value: Any) -> Any:
    """A JSON value with U+FFFD for every lone surrogate, which no file can hold; tuples stay tuples."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _has_lone(value) else value
    if isinstance(value, dict):
        return {sound(key): sound(member) for key, member in value.items()}
    return type(value)(map(sound, value)) if isinstance(value, list | tuple) else value


def _has_lone(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)
