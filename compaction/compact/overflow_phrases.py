"""The words by which providers say that a request was too large, and words that say something else.

Phrases: pi's overflow patterns, those of OpenHands, Roo Code, Cline, kimi-code, Claude Code, and DashScope's.
"""

from enum import StrEnum

import regex


class OverflowKind(StrEnum):
    """What was too large."""

    INPUT = "input"
    WITH_OUTPUT = "with_output"  # input and the output asked for together: asking for less may do
    BYTES = "bytes"  # the body: media, more often than text
    BARE = "bare"  # nothing is said but a status
    SILENT = "silent"  # the answer looks like a success


Phrase = tuple[OverflowKind, "regex.Pattern[str]"]

CODES = {
    "context_length_exceeded": OverflowKind.INPUT,
    "context_window_exceeded": OverflowKind.INPUT,
    "model_context_window_exceeded": OverflowKind.INPUT,
    "exceed_context_size_error": OverflowKind.INPUT,
    "contextwindowexceedederror": OverflowKind.INPUT,
    "prompt_too_long": OverflowKind.INPUT,
    "request_too_large": OverflowKind.BYTES,
}


def _phrases(kind: OverflowKind, *patterns: str) -> list[Phrase]:
    return [(kind, regex.compile(pattern, regex.IGNORECASE)) for pattern in patterns]


_ANY = r"[^\n]{0,120}?"
_N = r"[\d,]++"
# A limit on something that is no text.
_OF_ELSE = r"(?! ?(?:[kmg]i?b|bytes|characters|images|files|items|messages|requests)\b)"

# The sentence itself is proof, whatever the status.
SURE = [
    *_phrases(
        OverflowKind.WITH_OUTPUT,
        r"input length and `?max_tokens`? exceed context limit",
        rf"requested {_N} output tokens",
        r"tokens`? \+ `?max_new_tokens`? must be",
        rf"max_(?:completion_)?tokens['`]? is too large{_ANY}maximum context length",
        r"\blength limit was reached",
    ),
    *_phrases(
        OverflowKind.INPUT,
        r"(?:prompt|input) is too long",
        r"prompt too long; exceeded (?:max )?context length",
        r"exceeds? (?:the |this model's |the model's |model |model's )?(?:context window|maximum context length)",
        rf"input token count{_ANY}exceeds the maximum",
        rf"maximum prompt length is {_N}",
        r"reduce the length of (?:the|your) (?:messages|prompt|input)",
        rf"maximum context length is {_N}",
        rf"sambanovaexception{_ANY}maximum context length",
        rf"exceeds (?:the )?maximum allowed input length of {_N}",
        rf"input \({_N} tokens\) is longer than the model's context length",
        rf"input length {_N} exceeds context length",
        rf"exceeds the limit of {_N}{_OF_ELSE}",
        r"exceeds the available context size",
        r"greater than the context length",
        r"context window exceeds limit",
        r"exceeded model token limit",
        rf"too large for model with {_N} maximum context length",
        rf"prompt contains{_ANY}input tokens",
        rf"for a total of{_ANY}tokens",
        rf"range of input length should be \[{_N}",
        r"context[_ ]length[_ ]exceeded",
        r"context_?window_?exceeded",
        r"too many tokens",
        r"token limit exceeded",
    ),
    *_phrases(OverflowKind.BYTES, r"request_too_large", r"request exceeds the maximum size"),
]
# These name the subject only; the status has to say that the request was refused for it.
BROAD = _phrases(
    OverflowKind.INPUT,
    r"context (?:length|window|limit)",
    r"maximum context",
    r"tokens? exceeds?\b",
    r"too many tokens?\b",
    rf"requested input length{_ANY}exceeds{_ANY}maximum",
    rf"context{_ANY}too{_ANY}long",
    rf"exceeds{_ANY}context",
    rf"maximum{_ANY}\d{_ANY}\btokens\b",
    r"\btokens?\b[^\n]{0,40}?\blimit",
    r"reduce the length of",
    r"\bmax_tokens_to_sample\b",
)
# Rates, quotas, credentials, and the output's own limit: compacting helps with none of them.
VETO = regex.compile(
    r"throttl|please wait|^\s*+service unavailable|rate[ _-]?limit|too many requests"
    r"|per[ -](?:minute|min|hour|day)\b|\b(?:daily|weekly|monthly)\b|\bquota\b|\bcredits?\b"
    r"|(?:api|access|auth|bearer|refresh|session)[ _-]?token"
    r"|maximum allowed number of output tokens|max(?:_completion|_output)?_tokens['`]? must"
    rf"|\bat most {_N} (?:completion|output) tokens",
    regex.IGNORECASE | regex.MULTILINE,
)

_LIMIT, _HAD = r"(?P<limit>\d[\d,]*+)", r"(?P<had>\d[\d,]*+)"
# Where the true limit and the size stand; the first that says one of them is believed.
NUMBERS = [
    regex.compile(pattern, regex.IGNORECASE)
    for pattern in (
        rf"{_HAD} tokens? > {_LIMIT}",
        rf"limit: {_HAD} \+ \d[\d,]*+ > {_LIMIT}",
        rf"(?:context|prompt|model|model's) (?:window|length|size|token limit)(?: is| of|:)? \(?{_LIMIT}",
        rf"exceeds the limit of {_LIMIT}",
        rf"maximum (?:allowed input length|context length) (?:of |\(){_LIMIT}",
        rf"maximum number of tokens allowed \(?{_LIMIT}",
        rf"too large for model with {_LIMIT}",
        rf"must be <= {_LIMIT}",
        rf"range of input length should be \[[\d,]++ ?{_LIMIT}",
        rf"cannot exceed {_LIMIT}",
        rf"for a total of(?: at least)? {_HAD}",
        rf"token count(?: of)? \(?{_HAD}",
        rf"(?:requested|resulted in|request contains|received|given|prompt contains)(?: about| at least|:)? {_HAD}(?! output)",
        rf"(?:request|input)(?: length)? \(?{_HAD}(?! output)",
    )
]
