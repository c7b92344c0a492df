"""Anthropic: at most four cache marks, those of an hour before those of five minutes.

The order is that of the prompt: tools, system, messages, however the body spells it. The mark of the
whole request counts for none.
"""

from collections.abc import Iterator
from itertools import chain

from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts.body import body_of
from elision.compaction.cuts.problem import Problem, everywhere
from elision.compaction.formats.at import At

formats = frozenset({Format.ANTHROPIC})
cuts = everywhere
_NAME = "cache_marks"
_KEY = "cache_control"
_MOST = 4
_UNMARKABLE = frozenset({"thinking", "redacted_thinking"})


def problems(conversation: Conversation) -> Iterator[Problem]:
    """The fifth mark and those after it, hours after minutes, marks on thoughts."""
    body = body_of(conversation) if _KEY in conversation.raw else None
    short_before = ""
    for number, block in enumerate(_marked(body) if body else (), 1):
        hour = block.node[_KEY].text("ttl") == "1h"
        if number > _MOST:
            yield Problem(block.path, _NAME, f"this is cache mark {number}, the provider takes {_MOST}")
        if hour and short_before:
            yield Problem(block.path, _NAME, f"a mark of one hour comes after one of five minutes at {short_before}")
        if block.text("type") in _UNMARKABLE:
            yield Problem(block.path, _NAME, "a thought cannot bear a cache mark")
        short_before = short_before or ("" if hour else block.path)


def _marked(body: At) -> Iterator[At]:
    """Tools and blocks that bear a mark, in the prompt's order; not what a call or a schema happens to hold."""
    contents = [block for message in _elements(body, "messages") for block in _elements(message, "content")]
    inner = [[*_elements(block, "content"), block] if block.text("type") == "tool_result" else [block] for block in contents]
    for block in chain(_elements(body, "tools"), _elements(body, "system"), *inner):
        if block.get(_KEY):
            yield block


def _elements(at: At, key: str) -> tuple[At, ...]:
    listed = at.get(key)
    return listed.elements() if listed and listed.is_list else ()
