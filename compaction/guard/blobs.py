"""Find blobs: base64, hex and other runs that no reader can read.

A run that is all letters and digits for hundreds of characters is no word, path or URL. Where the
alphabet of base64 has ``/``, ``+``, ``-`` or ``_`` in it, a path would look the same, but in random data
capitals, small letters and digits change places all the time.
"""

import regex

from elision.model.types import Span

LEAST = 200  # characters of a run: shorter ones are hashes, keys and tokens, which are names of things
HEAD, TAIL = 24, 8  # characters of it that stay to tell it from others
# A key of a JSON object is its name, and a number its value.
_RUN = regex.compile(
    r"""
      (?<![A-Za-z0-9+/_\-]) (?!\d++(?![A-Za-z+/_\-]))
      [A-Za-z0-9+/_\-]{200,}+ ={0,2}+ (?!"\s*+:)
    """,
    regex.VERBOSE,
)
_UNBROKEN = regex.compile(r"[A-Za-z0-9]{200}")
_CHANGE = regex.compile(r"(?=[A-Z][a-z0-9]|[a-z][A-Z0-9]|[0-9][A-Za-z])")
_CHANGES = 0.3  # of neighbouring characters; random base64 has 0.6, camelCase and paths less than 0.2
_REACH = 1000
_WORD_START = regex.compile(r"[^\s\"'`<>()\[\]]*+")
_URL_REACH = 2000


def find_blobs(text: str) -> list[Span]:
    """Find the runs of at least `LEAST` characters that hold data instead of words.

    Returns:
        Sorted spans, the ``==`` at the end included and the ``data:image/png;base64,`` before it not.
    """
    return [span for span in (Span(*match.span()) for match in _RUN.finditer(text)) if _is_blob(text, span)]


def middle(blob: Span) -> Span:
    """The stretch of a blob that may go."""
    return Span(blob.start + HEAD, blob.stop - TAIL)


def blob_marker(characters: int) -> str:
    """The text that stands where the middle of a blob was."""
    return f"[…{characters} characters]"


def _is_blob(text: str, span: Span) -> bool:
    if not _UNBROKEN.search(text, span.start, span.stop):
        stop = min(span.stop, span.start + _REACH)
        changes = sum(1 for _ in _CHANGE.finditer(text, span.start, stop))
        if changes < _CHANGES * (stop - span.start):
            return False
    return not _in_url(text, span.start)


def _in_url(text: str, start: int) -> bool:
    """Whether what stands before ``start`` in the same word is the beginning of a URL."""
    before = text[max(0, start - _URL_REACH) : start]
    word = _WORD_START.match(before[::-1])
    return word is not None and "//:" in word.group()
