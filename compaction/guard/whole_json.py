"""Tell whether a text is one JSON document, and whether a shortened one still says the same."""

import json
from collections.abc import Callable

from elision.compaction.errors import NotJson
from elision.compaction.raw_json import Node, parse

_FIRST = frozenset('{["-0123456789tfn')
_LAST = frozenset('}]"0123456789el')


def is_json(text: str) -> bool:
    """Whether all of ``text`` is one JSON value; also true for one nested too deep to parse."""
    body = text.strip(" \t\r\n\ufeff")
    if not body or body[0] not in _FIRST or body[-1] not in _LAST:
        return False
    try:
        json.loads(body, parse_int=_unread, parse_float=_unread, strict=False)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def parsed(text: str) -> Node | None:
    """The document, a byte order mark before it left out; None if it is none."""
    try:
        return parse(text, start=int(text.startswith("\ufeff")))
    except NotJson:
        return None


def same_shape(before: str, after: str, may_change: Callable[[Node], bool]) -> bool:
    """Whether two documents have the same keys in the same order, types, numbers, lengths and strings.

    Args:
        before: A JSON document.
        after: What became of it.
        may_change: Whether a string value of ``before`` may read differently. One that is a JSON
            document itself must still be one of the same shape.
    """
    pair = parsed(before), parsed(after)
    waiting = [pair]
    while waiting:
        one, two = waiting.pop()
        if one is None or two is None or type(one.value) is not type(two.value):
            return False
        if isinstance(one.value, str):
            if one.value != two.value and not (may_change(one) and _still_nested(one.value, two.value)):
                return False
        elif isinstance(one.value, dict | tuple):
            if [key for key, _ in one.members] != [key for key, _ in two.members]:
                return False
            pairs = list(zip(_children(one), _children(two), strict=False))
            if len(pairs) != len(_children(one)) or len(pairs) != len(_children(two)):
                return False
            waiting += pairs
        elif one.value != two.value:
            return False
    return True


def _children(node: Node) -> list[Node]:
    return [child for _, child in node.members] or list(node.elements)


def _still_nested(before: str, after: object) -> bool:
    if before.lstrip()[:1] not in ("{", "[") or parsed(before) is None:
        return True
    return isinstance(after, str) and same_shape(before, after, lambda node: True)


def _unread(number: str) -> str:
    """Numbers are not read: a million digits would take minutes, and raise."""
    return number
