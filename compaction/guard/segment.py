"""Read a text as passages: what is chosen or left out before any single word is."""

from dataclasses import dataclass

from elision.compaction.guard.lines import classify, split_lines
from elision.compaction.guard.sentences import split_sentences
from elision.compaction.types import Kind, Passage
from elision.model.types import Span


@dataclass(frozen=True, slots=True)
class Segmented:
    """A text, read.

    Attributes:
        lines: Its lines, each with its terminator; they partition the text.
        kinds: What each line is, as many as lines.
        passages: A line each, or a sentence each where the line is prose; they partition the text.
    """

    lines: list[Span]
    kinds: list[Kind]
    passages: list[Passage]


def segment(text: str) -> Segmented:
    """Read ``text``, any string with its control sequences already taken out."""
    lines = split_lines(text)
    kinds = classify(text, lines)
    passages: list[Passage] = []
    for index, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        spans = split_sentences(text, line) if kind is Kind.PROSE else [line]
        passages += [Passage(span, index, kind) for span in spans]
    return Segmented(lines, kinds, passages)
