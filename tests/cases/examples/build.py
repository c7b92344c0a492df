"""Small conversations, and outcomes made of them, for the examples of the forms."""

import json
from dataclasses import dataclass
from typing import Any

from tests.cases.outcome import Body, Failure, Outcome, Run


@dataclass(frozen=True)
class Example:
    """A line, an outcome it holds for, and one it does not hold for."""

    line: str
    holds: Outcome
    breaks: Outcome


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def call(*ids: str, **arguments: Any) -> dict[str, Any]:
    return raw_call(*ids, arguments=json.dumps(arguments))


def raw_call(*ids: str, arguments: str) -> dict[str, Any]:
    function = {"name": "run", "arguments": arguments}
    calls = [{"id": identity, "type": "function", "function": function} for identity in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(identity: str, text: str = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity, "content": text}


def chat(*messages: Any, **more: Any) -> Body:
    return {"messages": list(messages), **more}


def items(*found: Any) -> Body:
    return {"input": list(found)}


def texts(*found: str) -> Body:
    return {"texts": list(found)}


def became(given: Body, answered: Body, **asked: Any) -> Outcome:
    """One run that made ``answered`` of ``given``."""
    return Outcome([Run(asked, given, answered)])


def gave(answered: Body, **asked: Any) -> Outcome:
    """One run of which only the output matters."""
    return became(answered, answered, **asked)


def text(before: str, after: str) -> Outcome:
    return became(texts(before), texts(after))


def said(**fields: Any) -> Outcome:
    return Outcome([Run({}, texts("a"), texts("a"), fields)])


def failed(kind: str, words: str, **asked: Any) -> Outcome:
    return Outcome([Run(asked, texts("a"), failure=Failure(kind, words))])


def together(*outcomes: Outcome) -> Outcome:
    """The runs of several outcomes in one."""
    return Outcome([run for outcome in outcomes for run in outcome.runs])


SUCCEEDED = text("a", "a")
