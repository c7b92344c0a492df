"""Tell that a request was too large from what the provider answered.

Providers say it in a hundred ways: by codes, in sentences, by a status with no body, and some by an answer
that looks like a success. Sentences that could mean something else count only with a fitting status; what
speaks of rates, quotas or of the output's own limit never counts.
"""

from dataclasses import dataclass

from elision.compaction.compact.error_text import ErrorText, error_text
from elision.compaction.compact.measure import Usage, share
from elision.compaction.compact.overflow_phrases import BROAD, CODES, NUMBERS, SURE, VETO, OverflowKind

__all__ = ["Overflow", "OverflowKind", "overflow", "silent_overflow"]

_MEANT = frozenset({400, 413, 422})  # what a request that is too large is answered with
_NEVER = frozenset({401, 402, 403, 404, 408, 409, 429})
_LEAST_LIMIT = 256  # tokens; a smaller number is something else
_NO_ROOM = frozenset({"length", "max_tokens", "max_output_tokens"})  # stop reasons


@dataclass(frozen=True, slots=True)
class Overflow:
    """A request was too large.

    Attributes:
        kind: What was too large.
        limit: Tokens that the model takes, where it was said.
        had: Tokens that the request had, where it was said.
        said: The words by which it was recognised.
    """

    kind: OverflowKind
    limit: int | None = None
    had: int | None = None
    said: str = ""


def overflow(
    status: int | None, body: str, request_tokens: int | None = None, window: int | None = None
) -> Overflow | None:
    """Recognise an error that says a request was too large; None if it says something else.

    Args:
        status: Of the response; None where the error came inside a stream or from a library.
        body: Of the response, or the error's text: JSON, JSON in JSON, events of a stream, plain words.
        request_tokens: Of the request, if known. A status that says nothing by itself is not believed of
            a request that fills less than half the window.
        window: Tokens that the model is thought to take.
    """
    error = error_text(body)
    status = status or error.status
    if code := next((code for code in CODES if code in error.codes), ""):
        return _recognised(CODES[code], code, error)
    if status in _NEVER or VETO.search(error.text):
        return None
    for kind, pattern in [*SURE, *BROAD] if status in _MEANT else SURE:
        if found := pattern.search(error.text):
            return _recognised(kind, found[0], error)
    bare = status == 413 or status == 400 and not body.strip()
    small = request_tokens is not None and window is not None and request_tokens < window / 2
    return Overflow(OverflowKind.BARE, said=str(status)) if bare and not small else None


def silent_overflow(usage: Usage, window: int, stop: str = "") -> Overflow | None:
    """Recognise an answer that looks like a success, to a request that was too large.

    Args:
        usage: What the provider counted.
        window: Tokens that the model takes.
        stop: Why it stopped, in any provider's words.
    """
    if stop == "model_context_window_exceeded":
        return Overflow(OverflowKind.SILENT, had=usage.input, said=stop)
    if usage.input > window:
        return Overflow(OverflowKind.SILENT, window, usage.input, "more input than the window has")
    if stop.lower() in _NO_ROOM and not usage.output and usage.input >= share(window, 0.99):
        return Overflow(OverflowKind.SILENT, window, usage.input, "no room for any output")
    return None


def _recognised(kind: OverflowKind, said: str, error: ErrorText) -> Overflow:
    numbers = dict(error.numbers)
    for found in (pattern.search(error.text) for pattern in NUMBERS):
        for name, digits in found.groupdict().items() if found else ():
            numbers.setdefault(name, int(digits.replace(",", "")))
    limit = numbers.get("limit", 0)
    return Overflow(kind, limit if limit >= _LEAST_LIMIT else None, numbers.get("had"), said)
