"""Find JSON that stands between other lines: pretty-printed in a log, quoted in an answer."""

from collections.abc import Sequence

import regex

from elision.compaction.errors import NotJson
from elision.compaction.raw_json import parse
from elision.model.types import Span

_START = regex.compile(r"[ \t]*+(?=[{\[]\s*+[\"{\[\]}\d\-tfn])")
_TOKEN = regex.compile(r'"(?:[^"\\\n]++|\\.)*+"|[{}\[\]]|[\s,:\d.eE+\-]++|true|false|null')
_REST_OF_LINE = regex.compile(r"[ \t]*+(?:[\r\n]|\Z)")


def find(text: str, lines: Sequence[Span]) -> list[range]:
    """Find the runs of at least two lines that are one JSON object or array and nothing else.

    What looks like JSON and breaks off is passed over with all it holds, so the text is read once.

    Args:
        text: Any string.
        lines: Its lines, with terminators.
    """
    found: list[range] = []
    at = 0
    while at < len(lines):
        start = _START.match(text, lines[at].start)
        if not start:
            at += 1
            continue
        stop, closed = _end(text, start.end())
        last = at
        while last + 1 < len(lines) and lines[last + 1].start < stop:
            last += 1
        if closed and last > at and _REST_OF_LINE.match(text, stop) and _is_json(text[start.end() : stop]):
            found.append(range(at, last + 1))
        at = last + 1
    return found


def _end(text: str, start: int) -> tuple[int, bool]:
    """Where the value that begins at ``start`` ends, or where it stops being JSON."""
    depth, at = 0, start
    while token := _TOKEN.match(text, at):
        at = token.end()
        depth += (token.group() in "{[") - (token.group() in "}]")
        if depth == 0:
            return at, True
    return at, False


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except NotJson:
        return False
    return True
