"""Examples of the forms about lines and markers."""

from tests.cases.examples.build import Example, text

_CODE = "f() {\n  a\n  b\n}\ng"
_SECTIONS = "commit 1\n a\n b\ncommit 2\n c"

EXAMPLES = [
    Example(
        "every output line is an input line or an omission marker",
        text("a\nb", "[…1 line]\nb"),
        text("a\nb", "a b"),
    ),
    Example(
        "output contains an omission marker", text("", "a [12 rows omitted] b"), text("", "a [12 rows] b")
    ),
    Example(
        "output contains an omission marker with a number", text("", "[…3 lines]"), text("", "[truncated]")
    ),
    Example(
        "braces are balanced in each block between omission markers that is balanced in the input",
        text(_CODE, "f() {\n  b\n}\n[…1 line]"),
        text(_CODE, "f() {\n  a\ng"),
    ),
    Example(
        "the lines after 'commit 1' up to the next 'commit' are a subsequence of the input's lines there, "
        "markers aside",
        text(_SECTIONS, "commit 1\n[…1 line]\n b\ncommit 2\n c"),
        text(_SECTIONS, "commit 1\n a\n c\ncommit 2"),
    ),
]
