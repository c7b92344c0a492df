"""Examples of the forms about strings."""

from dataclasses import replace

from tests.cases.examples.build import Example, call, chat, gave, text, texts, together

EXAMPLES = [
    Example('substring "C:\\\\a b" survives', gave(chat(call("c", path="C:\\a b"))), gave(texts("C:/a b"))),
    Example("substring 'say \"no\"' does not occur in the output", text("a", "b"), text("a", 'I say "no"')),
    Example(
        "substring 'B' does not occur in the first output",
        together(text("A", "A"), text("B", "B")),
        together(text("A", "B"), text("B", "B")),
    ),
    Example('substring "x1" occurs exactly once', text("x1", "x1"), text("x1", "x1 x1")),
    Example('substring "x1" occurs at most 2 times', text("x1", "x1 x1"), text("x1", "x1 x1 x1")),
    Example(
        "substring 'x' occurs exactly once in the final history",
        replace(text("a", "a"), final=texts("a", "x")),
        replace(text("a", "a"), final=texts("x", "x")),
    ),
    Example("substrings 'a' and 'b' are not on the same output line", text("", "a\nb"), text("", "c\na b")),
    Example(
        "if substring '30' survives then it is on one line with 'f'", text("", "f 30"), text("", "f\n30")
    ),
    Example("substring 'one' comes before substring 'two'", text("", "one two"), text("", "two one")),
]
