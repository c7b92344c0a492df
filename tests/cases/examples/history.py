"""Examples of the forms about the summariser, later messages and restoring."""

from dataclasses import replace
from typing import Any

from tests.cases.examples.build import (
    SUCCEEDED,
    Example,
    assistant,
    became,
    call,
    chat,
    gave,
    result,
    together,
    user,
)
from tests.cases.outcome import Body, Outcome


def _prompted(*prompts: Any) -> Outcome:
    return replace(SUCCEEDED, prompts=[list(prompt) for prompt in prompts])


def _restored(*found: Body) -> Outcome:
    return replace(_TWICE, restored=found)


def _grown(*messages: Any) -> Outcome:
    return replace(became(chat(_CALL), chat(_CALL)), final=chat(*messages), appended=[_RESULT])


_CALL, _RESULT = call("a"), result("a")
_BEFORE, _BETWEEN = chat(user("a")), chat(user("sum"), user("b"))
_TWICE = replace(together(gave(_BEFORE), gave(_BETWEEN)), appended=[user("b")])
_SHORT, _LONG = [user("find x")], [user("word " * 30), user("y")]
_SUMMARY = {"summarizer_stub": {"reply": "in short"}}

EXAMPLES = [
    Example("the summarizer is called at most 1 times", _prompted(_SHORT), _prompted(_SHORT, _SHORT)),
    Example("the summarizer is not called", SUCCEEDED, _prompted(_SHORT)),
    Example("every summarizer request has at most 20 tokens", _prompted(_SHORT), _prompted(_SHORT, _LONG)),
    Example("some summarizer request contains 'x'", _prompted(_LONG, _SHORT), _prompted(_LONG)),
    Example("no summarizer request contains 'x'", _prompted(_LONG), _prompted(_LONG, _SHORT)),
    Example(
        "in each summarizer request no two neighbouring messages have the same role",
        _prompted([user("a"), assistant("b")]),
        _prompted(_SHORT, _LONG),
    ),
    Example(
        "the output has at most 1 summary messages",
        gave(chat(user("in short")), **_SUMMARY),
        gave(chat(user("in short"), user("in short")), **_SUMMARY),
    ),
    Example(
        "the final history ends with the 1 appended messages, unchanged",
        _grown(_CALL, _RESULT),
        _grown(_CALL),
    ),
    Example(
        "the last message before the appended ones is the input's last message, unchanged",
        _grown(user("x"), _CALL, _RESULT),
        _grown(_CALL, user("x"), _RESULT),
    ),
    Example("restoring gives the input back byte for byte", _restored(_BEFORE), _restored(_BETWEEN)),
    Example(
        "restoring once gives the list before the second run byte for byte",
        _restored(_BETWEEN),
        _restored(_BEFORE),
    ),
    Example(
        "restoring twice gives the input back byte for byte, followed by the appended messages",
        _restored(_BETWEEN, chat(user("a"), user("b"))),
        _restored(_BETWEEN, _BEFORE),
    ),
    Example(
        "after appending: every tool call has exactly one tool result",
        _grown(_CALL, _RESULT),
        _grown(_CALL, _RESULT, _RESULT),
    ),
]
