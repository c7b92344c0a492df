r"""No half of a surrogate pair stands alone: such a body cannot be sent as UTF-8.

They come from clients that cut a text by UTF-16 length, and stay in the history until someone looks.
"""

from collections.abc import Iterator

import regex

from elision.compaction.conversation import Conversation
from elision.compaction.cuts.problem import JSON_FORMATS, Problem, everywhere
from elision.compaction.raw_json import parse, strings
from elision.model.types import Span

formats = JSON_FORMATS
cuts = everywhere
_HALF = regex.compile(r"[\ud800-\udfff]")
_SURROGATE_ESCAPE = regex.compile(r"\\u[dD][89a-fA-F]")
# Escapes stand in strings only, so no reader is needed; whole pairs and other escapes are stepped over.
_ESCAPE = regex.compile(
    r"""
      \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
    | (?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2} | [\ud800-\udfff])
    | \\.
    """,
    regex.VERBOSE | regex.DOTALL,
)


def problems(conversation: Conversation) -> Iterator[Problem]:
    """The strings that hold such a half; one in a key is told of the whole body."""
    if not halves(conversation.raw):
        return
    paths = [path for path, node in strings(parse(conversation.raw)) if _HALF.search(str(node.value))]
    for path in paths or [""]:
        yield Problem(path, "surrogates", "half of a surrogate pair stands alone")


def halves(raw: str) -> list[Span]:
    """Where the spellings of halves stand in a JSON text."""
    if not (_SURROGATE_ESCAPE.search(raw) or _HALF.search(raw)):
        return []  # almost always, and fifty times faster
    return [Span(*found.span("half")) for found in _ESCAPE.finditer(raw) if found["half"]]
