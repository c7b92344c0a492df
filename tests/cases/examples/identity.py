"""Examples of the forms about what stays as it was."""

from dataclasses import replace

from tests.cases.examples.build import (
    Example,
    assistant,
    became,
    chat,
    items,
    text,
    texts,
    together,
    user,
)

_LONG = chat(user("a"), assistant("b"), user("c"))
_CUT = chat(user("A"), assistant("b"), user("C"))
_GONE = chat(user("b"))
_BYTES = text("a", "a").runs[0]
_ITEMS = items({"type": "compaction", "id": "i1"}, {"type": "message", "role": "user", "content": "x"})
_BLOCK = user([{"type": "odd", "n": 1}])
_TOOLS = chat(tools=[{"name": "t"}])
_GROWN = chat(*_LONG["messages"], user("d"))

_KEPT, _CHANGED = became(_LONG, _LONG), became(_LONG, _CUT)

EXAMPLES = [
    Example("output is identical to the input", _KEPT, _CHANGED),
    Example(
        "output bytes are identical to the input bytes",
        replace(_KEPT, runs=[replace(_BYTES, raw=(b"{ }", b"{ }"))]),
        replace(_KEPT, runs=[replace(_BYTES, raw=(b"{ }", b"{}"))]),
    ),
    Example(
        "output text 1 is identical to input text 1",
        became(texts("a", "b"), texts("x", "b")),
        became(texts("a", "b"), texts("a", "x")),
    ),
    Example("all answers are identical", together(_KEPT, _KEPT), together(_KEPT, _CHANGED)),
    Example(
        "parallel answers are identical to the answers of serial runs",
        replace(_KEPT, serial=_KEPT.runs),
        replace(_KEPT, serial=_CHANGED.runs),
    ),
    Example("all output texts are identical", became(_LONG, texts("a", "a")), became(_LONG, texts("a", "b"))),
    Example(
        "message 0 is unchanged", became(_LONG, _GROWN), became(_LONG, chat(user("x"), *_LONG["messages"]))
    ),
    Example("item 1 is unchanged", became(_ITEMS, _ITEMS), became(_ITEMS, items())),
    Example("the first message is unchanged", _KEPT, _CHANGED),
    Example("messages 0, 1 and 2 of the input are unchanged in the output", _KEPT, _CHANGED),
    Example("message 2 of the input is unchanged in the output", became(_LONG, chat(user("c"))), _CHANGED),
    Example("the last message is unchanged", became(_LONG, chat(user("c"))), _CHANGED),
    Example("the last 2 messages are unchanged", _KEPT, _CHANGED),
    Example("messages in the answer, if any, are identical to the input", _KEPT, _CHANGED),
    Example("item 'i1' is not in the output", became(_ITEMS, items()), became(_ITEMS, _ITEMS)),
    Example("item 'i1' is unchanged", became(_ITEMS, _ITEMS), became(_ITEMS, items())),
    Example("item 'i1' is the first item of the output", became(_ITEMS, _ITEMS), became(_ITEMS, items())),
    Example(
        "block of type 'odd' is unchanged, or its message is not in the output",
        became(chat(_BLOCK), _GONE),
        became(chat(_BLOCK), chat(user([{"type": "odd", "n": True}]))),
    ),
    Example(
        "the system field is unchanged",
        became(chat(system="s"), chat(system="s")),
        became(chat(system="s"), chat(system="S")),
    ),
    Example("tool definitions are unchanged", became(_TOOLS, _TOOLS), became(_TOOLS, chat(tools=[]))),
    Example(
        "each output starts with the previous output, byte for byte",
        together(_KEPT, became(_GROWN, _GROWN)),
        together(_KEPT, became(_GROWN, chat(*_CUT["messages"], user("d")))),
    ),
]
