"""Examples of the forms about call arguments."""

from tests.cases.examples.build import Example, became, call, chat, gave, raw_call, result

_OLD = chat(call("w", path="a.md", mode=420))
_SHORT, _LOST = became(_OLD, chat(call("w", path="a.md", mode=421))), became(_OLD, chat(call("w", path="b")))
_GONE = became(_OLD, chat())
_BROKEN = chat(raw_call("w", arguments='{"n": [1,'))

EXAMPLES = [
    Example("every tool call's arguments parse as JSON", gave(_OLD), gave(_BROKEN)),
    Example("arguments of tool call 'w' have the same keys as in the input", _SHORT, _LOST),
    Example(
        "arguments of tool call 'w' have the same keys as in the input, or the call is not in the output",
        _GONE,
        _LOST,
    ),
    Example("arguments of tool call 'w': key 'path' is unchanged", _SHORT, _LOST),
    Example("arguments of tool call 'w', if present: 'path' is 'a.md', 'mode' is 420", _GONE, _SHORT),
    Example(
        "arguments of tool call 'w' are byte-identical to the input", gave(_BROKEN), became(_BROKEN, _OLD)
    ),
    Example(
        "arguments of tool call 'w' are byte-identical to the input, "
        "or the call and its result are not in the output",
        _GONE,
        became(_BROKEN, chat(result("w"))),
    ),
]
