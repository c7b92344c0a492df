"""Examples of the forms about calls and their results."""

from dataclasses import replace

from tests.cases.examples.build import Example, assistant, became, call, chat, gave, result, together, user

_USE = assistant([{"type": "tool_use", "id": "a", "name": "run", "input": {}}])
_ANSWER = user([{"type": "tool_result", "tool_use_id": "a", "content": "ok"}])

_PAIR, _ORPHAN, _OPEN = gave(chat(call("a"), result("a"))), gave(chat(result("a"))), gave(chat(call("a")))
_BATCH = gave(chat(call("a", "b"), result("a"), result("b")))
_TWICE = gave(chat(call("a"), result("a"), result("a")))
_LATE = gave(chat(call("a"), user("x"), result("a")))
_OTHER = became(chat(call("a"), result("a")), chat(call("a"), result("a", "no")))

EXAMPLES = [
    Example("every tool result has an earlier tool call with the same id", _PAIR, _ORPHAN),
    Example("every tool call has exactly one tool result", _BATCH, _TWICE),
    Example(
        "every tool call has exactly one tool result", gave(chat(call("a")), pending_calls="keep"), _OPEN
    ),
    Example(
        "each tool_result's tool_use is in the message directly before it",
        gave(chat(_USE, _ANSWER)),
        gave(chat(_USE, user("x"), _ANSWER)),
    ),
    Example("tool results directly follow the assistant message that made their calls", _BATCH, _LATE),
    Example("tool call 'a' and its result are both kept", _PAIR, _OPEN),
    Example(
        "tool calls ['a','b'] are all kept or all dropped",
        _BATCH,
        gave(chat(call("a"), result("a"))),
    ),
    Example("no two tool results have the same id", _BATCH, _TWICE),
    Example("the output has 2 tool results", _BATCH, _PAIR),
    Example("the output has at least 2 tool results", _BATCH, _PAIR),
    Example("no tool result is empty", _PAIR, gave(chat(call("a"), result("a", " ")))),
    Example("tool result 'a' is unchanged", _PAIR, _OTHER),
    Example(
        "tool result 'a' has the same text in all outputs", together(_PAIR, _PAIR), together(_PAIR, _OTHER)
    ),
    Example(
        "the three shapes give equal text for the tool result",
        replace(_PAIR, shapes={"chat": _PAIR.runs[0], "anthropic": gave(chat(_USE, _ANSWER)).runs[0]}),
        replace(_PAIR, shapes={"chat": _PAIR.runs[0], "other": _OTHER.runs[0]}),
    ),
]
