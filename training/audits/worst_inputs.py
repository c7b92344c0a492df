"""Inputs that make a careless shortener slow, large or wrong, each of any size.

Every one stands for a way in which time grows faster than the text: a pattern that backtracks, a
line or a sentence without end, nesting, a run of what some rule takes for the beginning of something.
"""

import base64
from collections.abc import Callable
from random import Random

Maker = Callable[[int], str]
"""About how many characters are wanted in, the text out."""


def _times(part: str, after: str = "", before: str = "") -> Maker:
    return lambda size: before + part * max(1, (size - len(before) - len(after)) // len(part)) + after


def _numbered(row: str) -> Maker:
    return lambda size: "\n".join(row.format(n) for n in range(max(1, size // len(row.format(size // len(row))))))


def _nested(open_: str, close: str, most: int) -> Maker:
    def make(size: int) -> str:
        depth = min(most, size // (len(open_) + len(close)))
        filler = '"' + "a word " * max(0, (size - depth * (len(open_) + len(close))) // 7) + '"'
        return open_ * depth + filler + close * depth

    return make


def _base64(size: int) -> str:
    return base64.b64encode(Random(0).randbytes(size * 3 // 4)).decode()


def _words(size: int) -> str:
    random = Random(0)
    return " ".join("".join(random.choices("abcdefghij", k=6)) for _ in range(size // 7))


WORST: dict[str, Maker] = {
    "one line of words": _words,
    "100,000 short lines": lambda size: "\n".join(f"line {n}" for n in range(size // 10)),
    "one word": _times("a"),
    "a bomb for patterns that repeat repeats": _times("a", "!"),
    "spaces": _times(" "),
    "spaces before a word": _times(" ", "x"),
    "trailing spaces on every line": _times("x" + " " * 99 + "\n"),
    "blank lines": _times("\n"),
    "carriage returns": _times("\r"),
    "redrawn progress": _times("\rprogress 10%"),
    "tabs": _times("\t"),
    "JSON 10,000 deep": _nested('{"a":', "}", 10_000),
    "JSON arrays 10,000 deep": _nested("[", "]", 10_000),
    "JSON never closed": _times("["),
    "one JSON string": _times("a b. ", '"', '"'),
    "JSON with many keys": lambda size: "{" + ",".join(f'"key{n}":"some words here"' for n in range(size // 28)) + "}",
    "JSON lines": _numbered('{{"id": {0}, "level": "error", "msg": "it did not work"}}'),
    "JSON number": _times("1"),
    "open parentheses": _times("("),
    "open and closed parentheses": _nested("(", ")", 10**9),
    "open angle brackets": _times("<"),
    "open tags": _times("<a>"),
    "tags never closed": _times("<keep "),
    "double quotes": _times('"'),
    "single quotes": _times("'"),
    "backticks": _times("`"),
    "backslashes": _times("\\"),
    "escaped quotes": _times('\\"'),
    "equals signs": _times("="),
    "equals signs on every line": _times("====\n"),
    "dashes": _times("-"),
    "dots": _times("."),
    "dots and letters": _times("a."),
    "colons": _times("a:1:"),
    "slashes": _times("/a"),
    "at signs": _times("a@"),
    "digits and separators": _times("1,1."),
    "pipes": _times("|"),
    "a table of pipes": _times("| a | b | c |\n", before="| x | y | z |\n| --- | --- | --- |\n"),
    "rules of a table without outer bars": _times("--- | ---\n"),
    "a table of one row": _times("| a "),
    "commas": _times("a,b,"),
    "a diff without end": _times("+added\n-removed\n", before="--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n"),
    "hunk headers": _times("@@ -1,1 +1,1 @@\n"),
    "diff headers": _times("diff --git a/x b/x\n--- a/x\n+++ b/x\n"),
    "plus signs": _times("+\n"),
    "code fences": _times("```\n"),
    "indentation that grows": lambda size: "\n".join(" " * n + "x" for n in range(int((2 * size) ** 0.5))),
    "headings": _times("# a\n"),
    "distinct errors": _numbered("ERROR {0} cannot open file"),
    "distinct failing tests": _numbered("FAILED tests/test_a.py::test_{0} - no"),
    "stack frames": _times('  File "a.py", line 1, in f\n    f()\n', before="Traceback (most recent call last):\n"),
    "search hits": _numbered("src/a.py:{0}: some words that were found"),
    "the same line": _times("the worker has not finished its job\n"),
    "negations": _times("not "),
    "negations on every line": _times("not not not\n"),
    "abbreviations": _times("e.g. "),
    "sentences": _times("It is. "),
    "Chinese without a stop": _times("不要删除数据库"),
    "Chinese sentences": _times("不要删除数据库。"),
    "Thai": _times("ห้ามลบฐานข้อมูล"),
    "alternating emoji": _times("👍🏽❤️"),
    "one family": _times("👩\u200d", "👩"),
    "combining marks": _times("\u0301", before="e"),
    "flags": _times("🇩"),
    "lone surrogates": _times("\ud800"),
    "null characters": _times("\0"),
    "escape characters": _times("\x1b"),
    "colours": _times("\x1b[31mred\x1b[0m "),
    "a control sequence without end": _times("1;", before="\x1b["),
    "titles never closed": _times("\x1b]0;"),
    "backspaces": _times("a\b"),
    "zero width": _times("\u200b"),
    "right to left marks": _times("\u202e\u202c"),
    "base64": _base64,
    "hexadecimal": lambda size: Random(0).randbytes(size // 2).hex(),
    "a URL": _times("%20a", before="https://example.com/?q="),
    "Unicode line separators": _times("a\u2028"),
}
