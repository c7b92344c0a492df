"""Examples of the forms about size."""

from dataclasses import replace

from tests.cases.examples.build import Example, became, chat, said, text, texts, together, user

_TEN = " ".join(["word"] * 10)
_HALVED, _KEPT = text(_TEN, " ".join(["word"] * 5)), text(_TEN, _TEN)

EXAMPLES = [
    Example(
        "output tokens <= 9", became(chat(), chat(user("word " * 4))), became(chat(), chat(user("word " * 6)))
    ),
    Example("output tokens <= input tokens", _KEPT, text("word", _TEN)),
    Example("output tokens are at most 0.75 of input tokens", _HALVED, _KEPT),
    Example("output tokens are between 0.4 and 0.6 of input tokens", _HALVED, text(_TEN, "word")),
    Example(
        "each output text has at most 0.5 of the tokens of its input text",
        _HALVED,
        became(texts(_TEN, "word"), texts("word", "word")),
    ),
    Example(
        "both outputs have fewer tokens than their inputs",
        together(_HALVED, _HALVED),
        together(_HALVED, _KEPT),
    ),
    Example("output has at most 2 characters", text("", "éé"), text("", "abc")),
    Example("output has at most 2 bytes", text("", "é"), text("", "éé")),
    Example("output is not empty", text("", "a"), text("a", " ")),
    Example("reported input tokens <= 20", said(tokens=20), said(tokens=21)),
    Example("reported input tokens >= 20", said(tokens=20), said(tokens=19)),
    Example("reported input tokens differ by at most 10% from 100", said(tokens=91), said(tokens=89)),
    Example(
        "reported input tokens with count_tools are at least 50 more than without",
        replace(said(tokens=150), plain=said(tokens=100).runs[0]),
        replace(said(tokens=149), plain=said(tokens=100).runs[0]),
    ),
]
