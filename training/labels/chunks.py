"""Cut tool outputs into the chunks that are labelled: short enough to judge, whole lines or sentences.

Judge, hindsight and teacher label the same chunks, so that what they say can be compared line by line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from elision.compaction.guard.lines import split_lines
from elision.compaction.guard.prose import is_prose
from elision.compaction.guard.sentences import split_sentences
from elision.model.types import Span

LINE_CHARS, PROSE_CHARS = 1700, 1300  # of a chunk; the judged labels have the same
CONTEXT = 220  # characters of task, call and what was said before that are shown
_LONG = 200  # a line of prose this long is judged sentence by sentence


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a text, not yet judged.

    Attributes:
        span: Where it stands in the text.
        unit: ``line`` or ``sentence``.
        lines: Lines or sentences to judge, in characters of the chunk, line ends left out; blank
            ones are not among them.
    """

    span: Span
    unit: str
    lines: tuple[Span, ...]


def chunks(text: str) -> Iterator[Chunk]:
    """Cut a text into chunks; they partition it, a line or sentence longer than a chunk apart, which is cut."""
    unit = "sentence" if _is_long_prose(text) else "line"
    room = PROSE_CHARS if unit == "sentence" else LINE_CHARS
    for group in _packed(_units(text, unit), room):
        whole = Span(group[0].start, group[-1].stop)
        lines = [_trimmed(text, span).moved(-whole.start) for span in group]
        yield Chunk(whole, unit, tuple(line for line in lines if len(line)))


def context(text: str) -> str:
    """The beginning of a task or a call, on one line."""
    return " ".join(text.split())[:CONTEXT]


def context_end(text: str) -> str:
    """The end of what the agent said before, on one line."""
    return " ".join(text.split())[-CONTEXT:]


def _units(text: str, unit: str) -> Iterator[Span]:
    for line in split_lines(text):
        if unit == "line":
            yield line
        else:
            yield from split_sentences(text, line)


def _packed(units: Iterator[Span], room: int) -> Iterator[Sequence[Span]]:
    group: list[Span] = []
    for unit in units:
        for start in range(unit.start, max(unit.stop, unit.start + 1), room):
            part = Span(start, min(unit.stop, start + room))
            if group and part.stop - group[0].start > room:
                yield group
                group = []
            group.append(part)
    if group:
        yield group


def _trimmed(text: str, span: Span) -> Span:
    """The span without its line end, empty where it is blank."""
    shown = span.of(text).rstrip()
    return Span(span.start, span.start + len(shown))


def _is_long_prose(text: str) -> bool:
    """Whether more than half of the text stands in long lines of prose."""
    long = sum(len(line) for line in text.splitlines() if len(line) > _LONG and is_prose(line))
    return 2 * long > len(text)
