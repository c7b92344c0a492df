"""A view with no more cache marks than its provider takes, in an order that it takes.

Callers of Anthropic mark the end of what they send, and with the next request mark another. The log keeps
every message as it came, marks and all, so that a view collects them. The newest are the ones to keep. A
mark that lives an hour may not stand behind one that lives five minutes.
"""

from collections.abc import Iterator, Sequence

from elision.compaction.conversation import Format
from elision.compaction.raw_json import Node, parse, replaced

_MOST = 4
_KEY = "cache_control"
_HOUR = "1h"


def within_marks(body: str, format: Format | None) -> str:
    """The body without marks in its messages that are too many, the oldest, or out of order: they are null."""
    if format is not Format.ANTHROPIC or (body.count(_KEY) <= _MOST and f'"{_HOUR}"' not in body):
        return body
    node = parse(body)
    ahead = [mark for key in ("tools", "system") for one in _elements(node, key) if (mark := _mark(one))]
    behind = [mark] if (mark := _mark(node)) else []  # which the provider moves to the last block
    messages = node.elements or _elements(node, "messages")
    marks = [
        mark for message in messages for block in _elements(message, "content") for mark in _marks(block)
    ]
    kept = _in_order(marks, not all(map(_is_long, ahead)), any(map(_is_long, behind)))
    surplus = len(kept) + len(ahead) + len(behind) - _MOST
    stay = {mark.span for mark in kept[max(0, surplus) :]}
    return replaced(body, [(mark.span, "null") for mark in marks if mark.span not in stay])


def _in_order(marks: Sequence[Node], short_ahead: bool, long_behind: bool) -> list[Node]:
    """The marks that can stand between others: an older one gives way to a newer."""
    if short_ahead:
        return [mark for mark in marks if not _is_long(mark)]
    last = max((place for place, mark in enumerate(marks) if _is_long(mark)), default=-1)
    later = [] if long_behind else marks[last + 1 :]
    return [*(mark for mark in marks if _is_long(mark)), *later]


def _is_long(mark: Node) -> bool:
    return mark.text("ttl") == _HOUR


def _marks(block: Node) -> Iterator[Node]:
    for one in (*_elements(block, "content"), block):
        if mark := _mark(one):
            yield mark


def _mark(block: Node) -> Node | None:
    mark = block.get(_KEY)
    return None if mark is None or mark.value is None else mark


def _elements(node: Node, key: str) -> tuple[Node, ...]:
    member = node.get(key)
    return member.elements if member else ()
