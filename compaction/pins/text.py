"""Find what must stay of a text whatever the scorer thinks, and say why.

Of what a tool reports, one line of each kind is enough to act on, but that one has to be
there: the first and last line of each distinct error, every failing test's name, exit codes,
totals. Whole lines are pinned, because a report with holes is not a report.
"""

from collections.abc import Callable, Iterator, Sequence

import regex

from elision.compaction.errors import BadPin, PinTimeout
from elision.compaction.guard.reports import exit_code, failing_test, is_error, total
from elision.compaction.guard.sentences import split_sentences
from elision.compaction.pace import paced
from elision.compaction.types import Kind, Pin
from elision.model.types import Span, nothing

__all__ = [
    "REPORT_KINDS",
    "caller_pins",
    "compile_pins",
    "error_template",
    "exit_code",
    "failing_test",
    "find_pins",
    "may_report",
    "total",
]

# Diffs and code show what files hold; what they mention was not reported here.
REPORT_KINDS = frozenset({Kind.LOG, Kind.PROSE, Kind.TRACE, Kind.TABLE})
# A caller's pattern may backtrack without end; so many seconds are its own.
_PATTERN_SECONDS = 1.0
_REACH = 600
_TEMPLATE_WORDS = 12
# What a field with the message says is not a quoted name.
_SAYING = regex.compile(
    r"[\"']?\b(?:msg|message|error|err|reason|cause)[\"']?\s?[=:]\s?[\"']", regex.IGNORECASE
)
_TEMPLATE_WORD = regex.compile(r"[^\s*|:,;.\-=]+")
_MASKS = regex.compile(
    r"""
      "[^"]{0,300}" | '[^']{0,300}'(?!\w) | `[^`]{0,300}[`']
    | \w+://\S+ | \S*[/\\]\S+ | \S*\d\S* | \S*@\S+ | \([^()]{0,200}\) | \[[^\[\]]{0,200}\]
    """,
    regex.VERBOSE,
)


def may_report(row: str, kind: Kind) -> bool:
    """Whether a line of this kind can report anything: code and diffs only show what is."""
    return kind in REPORT_KINDS or (kind is Kind.JSON and row.startswith("{"))


def error_template(line_text: str) -> str | None:
    """What kind of error a line reports, or None if it reports none.

    Times, numbers, ids, paths, addresses and quoted names are masked, and the line is read for
    its first dozen words: lines that differ only in the rest are one kind.
    """
    if not is_error(line_text):
        return None
    said = _SAYING.sub(" ", line_text[:_REACH])
    words = _TEMPLATE_WORD.findall(_MASKS.sub("*", said))
    return " ".join(words[:_TEMPLATE_WORDS]).lower() or "*"


def find_pins(
    text: str, lines: Sequence[Span], kinds: Sequence[Kind], tick: Callable[[], None] = nothing
) -> list[Pin]:
    """Pin the lines that report errors, failing tests, exit codes and totals.

    Args:
        text: The text the lines are of.
        lines: Its lines, with terminators.
        kinds: What each line is; see `may_report`.
        tick: Called now and then; may raise to end it.

    Returns:
        Sorted pins of whole lines, or of whole sentences where a line is prose: at most one each per reason.
    """
    reports = [
        (span, span.of(text))
        for line, kind in paced(zip(lines, kinds, strict=True), tick)
        if may_report(line.of(text), kind)
        for span in (split_sentences(text, line) if kind is Kind.PROSE else [line])
    ]
    pins: set[Pin] = set()
    for reason, name_of, last_too in _REASONS:
        first: dict[str, Span] = {}
        last: dict[str, Span] = {}
        for line, row in paced(reports, tick):
            name = name_of(row)
            if name is not None:
                first.setdefault(name, line)
                last[name] = line
        if reason == "failing_test":
            first = _without_headings(first)
        pins.update(Pin(line, reason) for line in [*first.values(), *(last.values() if last_too else ())])
    return sorted(pins)


def compile_pins(patterns: Sequence[str]) -> "list[regex.Pattern[str]]":
    """Compile a caller's patterns.

    Raises:
        BadPin: If one is not a regular expression; the message has the pattern and the position.
    """
    return [_compiled(pattern) for pattern in patterns]


def caller_pins(
    text: str, patterns: "Sequence[regex.Pattern[str]]", tick: Callable[[], None] = nothing
) -> list[Pin]:
    """Pin every non-empty match of the caller's patterns.

    Raises:
        PinTimeout: If a pattern takes more than a second: what it would have pinned is not known.
    """
    return sorted(
        {Pin(span, "caller") for pattern in paced(patterns, tick, 1) for span in _matches(text, pattern)}
    )


def _compiled(pattern: str) -> "regex.Pattern[str]":
    try:
        return regex.compile(pattern, regex.MULTILINE)
    except regex.error as error:
        raise BadPin(f"pin pattern {pattern!r} is not a regular expression: {error}") from error
    except (RecursionError, OverflowError, MemoryError) as error:
        raise BadPin(f"pin pattern {pattern[:80]!r} is too large: {error}") from error


def _matches(text: str, pattern: "regex.Pattern[str]") -> Iterator[Span]:
    try:
        for match in pattern.finditer(text, timeout=_PATTERN_SECONDS):
            if match.end() > match.start():
                yield Span(*match.span())
    except TimeoutError as error:
        message = f"pin pattern {pattern.pattern!r} took more than {_PATTERN_SECONDS:.0f} s"
        raise PinTimeout(message) from error


def _without_headings(tests: dict[str, Span]) -> dict[str, Span]:
    """The tests less those named without their file that another line names with it."""
    inner = {full.partition("::")[2] for full in tests}
    return {name: line for name, line in tests.items() if name not in inner}


# Reason, the name under which a line is one of a kind, and whether the last of a kind stays as well.
_REASONS = (
    ("error", error_template, True),
    ("failing_test", failing_test, False),
    ("exit_code", exit_code, True),
    ("total", total, True),
)
