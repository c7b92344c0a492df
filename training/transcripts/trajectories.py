"""Trajectories of research agents: SWE-agent's ``.traj`` files and OpenHands' event logs, old and new.

Both record actions and observations rather than messages; an action becomes a call, what the agent
thought stands before it, and the observation is its result.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from elision.training.transcripts.drafts import (
    Draft,
    Importer,
    Json,
    Notes,
    Source,
    answer,
    call,
    list_,
    object_,
    say,
    string,
    text_of,
)

_LOOKED_AT = 50
_KINDS = frozenset({"MessageEvent", "ActionEvent", "ObservationEvent", "SystemPromptEvent", "AgentErrorEvent"})
# Of an action's arguments: what is about the agent and not about the call.
_NOT_ARGUMENTS = frozenset({"thought", "confirmation_state", "security_risk", "hidden", "final_thought"})


def is_swe_agent(source: Source) -> bool:
    """Whether a file is a trajectory of SWE-agent."""
    return any(_has_steps(value) for _, value in list(source.objects())[:_LOOKED_AT])


def read_swe_agent(source: Source, notes: Notes) -> Iterator[Draft]:
    """One draft a trajectory; demonstrations in its prompt are left out."""
    for line, value in source.objects():
        if not _has_steps(value):
            notes.skip("line without a trajectory", line)
            continue
        history = [object_(item) for item in list_(value.get("history"))]
        messages = list(_history(history, notes) if history else _steps(value["trajectory"]))
        info = object_(value.get("info"))
        task = string(value.get("instance_id")) or string(info.get("instance_id")) or source.stem
        yield Draft(task, task, messages, kind="coding-agent")


def is_openhands(source: Source) -> bool:
    """Whether a file holds events of OpenHands, or outputs with their history."""
    for record in source.records[:_LOOKED_AT]:
        events = _events(record.value)
        if any(_is_event(event) for event in events[:_LOOKED_AT]):
            return True
    return False


def read_openhands(source: Source, notes: Notes) -> Iterator[Draft]:
    """One draft a history; a file with an event a line is one history."""
    alone: list[tuple[int, Json]] = []
    for record in source.records:
        events = [(record.line, event) for event in _events(record.value)]
        value = object_(record.value)
        if len(source.records) > 1 and _is_event(value):
            alone += events
        elif events:
            name = string(value.get("instance_id")) or _conversation(source)
            yield Draft(name, name, list(_happened(events, notes)), kind="coding-agent")
        else:
            notes.skip("line without events", record.line)
    if alone:
        name = _conversation(source)
        yield Draft(name, name, list(_happened(alone, notes)), kind="coding-agent")


SWE_AGENT = Importer("swe-agent", is_swe_agent, read_swe_agent)
OPENHANDS = Importer("openhands", is_openhands, read_openhands)


def _has_steps(value: Json) -> bool:
    steps = value.get("trajectory")
    return isinstance(steps, list) and (not steps or any("action" in object_(step) for step in steps))


def _history(history: Iterable[Json], notes: Notes) -> Iterator[Json]:
    asked: list[str] = []
    for number, item in enumerate(history, 1):
        role, text = string(item.get("role")), text_of(item.get("content"))
        if item.get("is_demo"):
            notes.skip("demonstration", number)
        elif role == "assistant":
            message, asked = _acted(item, text, number)
            yield message
        elif role in ("user", "tool") and asked and item.get("message_type", "observation") == "observation":
            ids = [string(key) for key in list_(item.get("tool_call_ids"))] or asked[:1]
            yield answer(ids[0], text)
            asked = [key for key in asked if key not in ids]
        elif role in ("system", "user"):
            yield say(role, text)
        else:
            notes.skip(f"history item of {role or 'nobody'}", number)


def _acted(item: Json, text: str, number: int) -> tuple[Json, list[str]]:
    """What the agent said and did, and the ids of the calls."""
    calls = [_called(object_(made), f"call_{number}_{at}") for at, made in enumerate(list_(item.get("tool_calls")))]
    action = string(item.get("action")).strip()
    thought = string(item.get("thought")).strip()
    if not calls and action:
        calls = [call(f"call_{number}", "bash", _spelled({"command": action}))]
    said = thought or (text if not calls or item.get("tool_calls") else "")
    return say("assistant", said or None, *calls), [made["id"] for made in calls]


def _called(made: Json, otherwise: str) -> Json:
    function = object_(made.get("function")) or made
    arguments = function.get("arguments")
    spelled = arguments if isinstance(arguments, str) else _spelled(arguments or {})
    return call(string(made.get("id")) or otherwise, string(function.get("name")) or "unknown", spelled)


def _steps(steps: Iterable[Any]) -> Iterator[Json]:
    """A trajectory without a history: what was asked stands in the first step's query."""
    for number, step in enumerate(map(object_, steps), 1):
        if number == 1:
            asked = [object_(message) for message in list_(step.get("query") or step.get("messages"))]
            roles = ("system", "user")
            yield from (say(m["role"], text_of(m.get("content"))) for m in asked if m.get("role") in roles)
        thought = string(step.get("thought")).strip() or None
        action = string(step.get("action")).strip()
        if not action:
            yield say("assistant", thought or string(step.get("response")))
            continue
        yield say("assistant", thought, call(f"call_{number}", "bash", _spelled({"command": action})))
        yield answer(f"call_{number}", text_of(step.get("observation")))


def _events(value: Any) -> list[Json]:
    if isinstance(value, dict):
        value = value.get("history") or value.get("events") or value.get("trajectory") or [value]
    flat = (inner for event in list_(value) for inner in (event if isinstance(event, list) else [event]))
    return [event for event in flat if isinstance(event, dict) and _is_event(event)]


def _is_event(event: Json) -> bool:
    if string(event.get("kind")) in _KINDS:
        return True
    named = isinstance(event.get("action"), str) or isinstance(event.get("observation"), str)
    return named and ("source" in event or "cause" in event or "args" in event or "extras" in event)


def _conversation(source: Source) -> str:
    return source.path.name if source.path.is_dir() else source.stem


def _happened(events: Iterable[tuple[int, Json]], notes: Notes) -> Iterator[Json]:
    turns: dict[str, Json] = {}  # by the answer of the model that an action is from
    made: list[Json] = []
    for line, event in events:
        message = _new(event, notes, line) if "kind" in event else _old(event, notes, line)
        if message is None:
            continue
        key = _answer_id(event)
        if key and message.get("tool_calls") and key in turns:
            turns[key]["tool_calls"] += message["tool_calls"]
            continue
        if key and message.get("tool_calls"):
            turns[key] = message
        made.append(message)
    yield from made


def _answer_id(event: Json) -> str:
    response = object_(object_(event.get("tool_call_metadata")).get("model_response"))
    return string(event.get("llm_response_id")) or string(response.get("id"))


def _old(event: Json, notes: Notes, line: int) -> Json | None:
    """An event of OpenHands before its SDK: an action, or the observation it caused."""
    told, args = object_(event.get("tool_call_metadata")), object_(event.get("args"))
    key = string(told.get("tool_call_id"))
    action = string(event.get("action"))
    if observation := string(event.get("observation")):
        cause = event.get("cause")
        if not key and cause in (None, 0, -1, ""):
            notes.skip(f"observation {observation}", line)
            return None
        return answer(key or f"call_{cause}", text_of(event.get("content")))
    if action == "system":
        return say("system", text_of(args.get("content")))
    by_agent = event.get("source") == "agent"
    if action == "message":
        return say("assistant" if by_agent else "user", text_of(args.get("content")) or string(event.get("message")))
    if not by_agent or action in ("change_agent_state", "recall", "condensation", "null"):
        notes.skip(f"action {action or 'without a name'}", line)
        return None
    thought = string(args.get("thought"))
    if action == "finish":
        return say("assistant", "\n".join(filter(None, (thought, string(args.get("final_thought"))))) or None)
    if key:
        said, arguments = _model_said(told, key)
        name = string(told.get("function_name")) or action
        return say("assistant", thought or said or None, call(key, name, arguments or _spelled(_arguments(args))))
    return say("assistant", thought or None, call(f"call_{event.get('id')}", action, _spelled(_arguments(args))))


def _model_said(told: Json, key: str) -> tuple[str, str]:
    """The text of the answer that a call is from, and the arguments of the call."""
    choices = list_(object_(told.get("model_response")).get("choices"))
    message = object_(object_(choices[0]).get("message")) if choices else {}
    calls = [_called(object_(made), "") for made in list_(message.get("tool_calls"))]
    arguments = next((made["function"]["arguments"] for made in calls if made["id"] == key), "")
    return text_of(message.get("content")), arguments


def _new(event: Json, notes: Notes, line: int) -> Json | None:
    """An event of OpenHands' SDK."""
    kind, key = string(event.get("kind")), string(event.get("tool_call_id"))
    match kind:
        case "SystemPromptEvent":
            return say("system", text_of(event.get("system_prompt")))
        case "MessageEvent":
            said = object_(event.get("llm_message"))
            role = string(said.get("role")) or ("user" if event.get("source") == "user" else "assistant")
            return say(role if role in ("system", "user") else "assistant", text_of(said.get("content")))
        case "ActionEvent":
            made = _called(object_(event.get("tool_call")) or {"arguments": _arguments(object_(event.get("action")))}, key)
            name = string(event.get("tool_name")) or made["function"]["name"]
            return say("assistant", text_of(event.get("thought")) or None, call(key, name, made["function"]["arguments"]))
        case "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation":
            told = object_(event.get("observation"))
            text = text_of(told.get("content")) or string(told.get("output")) or text_of(event.get("observation"))
            reason = string(event.get("error")) or string(event.get("rejection_reason"))
            return answer(key, text or reason)
    notes.skip(f"event {kind}", line)
    return None


def _arguments(args: Json) -> Json:
    return {k: v for k, v in args.items() if k not in _NOT_ARGUMENTS and k != "kind" and v not in (None, "")}


def _spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
