"""Write a recorded transcript as the request body an agent would have sent.

One recording, four wire formats: what is claimed of request bodies can then be checked on real
conversations in each of them. Clients differ in how they spell JSON and which of several legal
shapes they use, so both are drawn by a seed; the same seed always writes the same bytes.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import regex

from elision.compaction.conversation import Format
from elision.training.audits.spelling import SPELLINGS, Spelling
from elision.training.audits.wire import WRITERS, Body, Element

Json = dict[str, Any]

NOT_RECORDED = "(no output was recorded)"
_NAME = regex.compile(r"[^A-Za-z0-9_-]")  # what OpenAI's and Anthropic's tool names may not hold


@dataclass(frozen=True, slots=True)
class Request:
    """One request body, in pieces, so that shorter ones are true beginnings of it.

    Attributes:
        format: The wire format.
        head: The body up to the first message.
        messages: The JSON text of each message, item or content.
        separator: What stands between two of them.
        tail: The rest of the body, from the bracket that closes their list.
        ends: Numbers of messages after which an agent may have sent its request: no call waits for
            its result, and it is the model's turn.
        repairs: What had to be changed of the recording to make it legal, and how often.
    """

    format: Format
    head: str
    messages: tuple[str, ...]
    separator: str
    tail: str
    ends: tuple[int, ...]
    repairs: Mapping[str, int]

    def body(self, count: int | None = None) -> str:
        """The request with its first ``count`` messages, by default all."""
        return self.head + self.separator.join(self.messages[:count]) + self.tail

    def beginning(self, raw: str) -> str:
        """What a body holds before the bracket that closes its list of messages.

        Raises:
            ValueError: If the body does not end as this request does.
        """
        if not raw.endswith(self.tail):
            raise ValueError(f"ends with {raw[-len(self.tail) :]!r}, not with {self.tail!r}")
        return raw.removesuffix(self.tail)


def convert(messages: Sequence[Json], format: Format, *, tools: Sequence[Json] = (), seed: str = "") -> Request:
    """Write OpenAI chat messages as a request body of ``format``.

    Args:
        messages: As recorded; not changed.
        format: Any format but `Format.TEXT`.
        tools: Tool definitions, as chat completions have them; those called but not given are made up
            from the calls, as Anthropic refuses calls of tools that are not defined.
        seed: Draws the spelling and the shapes; use the transcript's id.
    """
    random = Random(f"{format.value} {seed}")  # seeded by the text itself, so the same in every process
    repairs: Counter[str] = Counter()
    sound = list(repaired(messages, repairs))
    body = WRITERS[format](sound, definitions(sound, tools, repairs), random)
    repairs += body.repairs
    return _spelled(format, body, random.choice(SPELLINGS), repairs)


def repaired(messages: Iterable[Json], repairs: Counter[str]) -> Iterator[Json]:
    """The messages with the least changes that make them legal everywhere; each change is counted.

    Calls left open are answered at once, results without a call and messages without content go, and
    tool names keep to letters, digits, ``_`` and ``-``.
    """
    waiting: dict[str, str] = {}
    for message in messages:
        if message["role"] == "tool":
            if waiting.pop(message["tool_call_id"], None) is None:
                repairs["result without call"] += 1
                continue
            yield message
            continue
        yield from _answers(waiting, repairs)
        calls = [_named(call, repairs) for call in message.get("tool_calls") or []]
        if not calls and not (message["content"] or "").strip():
            repairs["empty message"] += 1
            continue
        waiting = {call["id"]: call["function"]["name"] for call in calls}
        yield {**message, "tool_calls": calls} if calls else message
    yield from _answers(waiting, repairs)


def definitions(messages: Sequence[Json], tools: Sequence[Json], repairs: Counter[str]) -> list[Json]:
    """The functions of the given tools, and one made up for each other function that is called."""
    given = {f["name"]: f for f in (_named(tool, repairs)["function"] for tool in tools)}
    made: dict[str, Json] = {}
    for call in (call for message in messages for call in message.get("tool_calls", ())):
        name = call["function"]["name"]
        if name not in given:
            made.setdefault(name, {}).update(_arguments(call))
    return [*given.values(), *(_made_up(name, arguments) for name, arguments in made.items())]


def _answers(waiting: dict[str, str], repairs: Counter[str]) -> Iterator[Json]:
    for call_id in waiting:
        repairs["call without result"] += 1
        yield {"role": "tool", "tool_call_id": call_id, "content": NOT_RECORDED}
    waiting.clear()


def _named(call: Json, repairs: Counter[str]) -> Json:
    name = call["function"]["name"]
    legal = _NAME.sub("_", name)[:64]
    repairs["tool name"] += legal != name
    return {**call, "function": {**call["function"], "name": legal}}


def _made_up(name: str, arguments: Json) -> Json:
    properties: Json = {argument: {} for argument in arguments}
    parameters = {"type": "object", "properties": properties}
    return {"name": name, "description": f"Run {name}.", "parameters": parameters}


def _arguments(call: Json) -> Json:
    try:
        value = json.loads(call["function"]["arguments"])
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _spelled(format: Format, body: Body, spelling: Spelling, repairs: Counter[str]) -> Request:
    opened = spelling.write({**body.settings, body.list_key: []})
    trailing = spelling.write(body.trailing)[1:-1].strip()
    pad = "\n" if spelling.indent else ""
    tail = f"{pad}]" + (f",{pad or ' '}{trailing}" if trailing else "") + f"{pad}}}"
    return Request(
        format=format,
        head=opened[: opened.rindex("[") + 1] + pad,
        messages=tuple(spelling.write(element.value) for element in body.elements),
        separator=f",{pad}" if spelling.indent else spelling.item_separator,
        tail=tail,
        ends=tuple(_ends(body.elements)),
        repairs=+repairs,
    )


def _ends(elements: Sequence[Element]) -> Iterator[int]:
    waiting = 0
    for count, element in enumerate(elements, 1):
        waiting += element.calls - element.results
        if not waiting and not element.by_model:
            yield count


