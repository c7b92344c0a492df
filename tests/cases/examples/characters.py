"""Examples of the forms about characters and their order."""

from tests.cases.examples.build import Example, became, text, texts

EXAMPLES = [
    Example("no lone surrogate", text("", "🚀"), text("", "\ud83d…")),
    Example("output encodes as UTF-8", text("", "🚀"), text("", "\ud83d")),
    Example("no U+FFFD that is not in the input", text("\ufffd", "\ufffd"), text("é", "\ufffd")),
    Example("no control character other than tab and newline", text("", "a\tb\n"), text("", "a\r\n")),
    Example(
        "every output character is an input character in the same order",
        text("配送 方案", "配 […1 line] 案"),
        text("配送", "送配"),
    ),
    Example(
        "output words are input words in the same order", text("a b-c d", "a c d"), text("abc d", "ab d")
    ),
    Example(
        "the output has 2 texts in the same order",
        became(texts("a b", "c d"), texts("a", "d")),
        became(texts("a b", "c d"), texts("d", "a")),
    ),
    Example(
        "no blank between two CJK characters that has none in the input",
        text("配送 x 方案", "配送 案"),
        text("配送方案", "配送 方案"),
    ),
]
