"""Take the text of a section apart into statements, so that one that does not hold can go alone.

A statement is a sentence; the ids that end a line speak for all sentences of the line that cite nothing
themselves. What is left is put together again as it stood.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import regex

from elision.compaction.guard.sentences import split_sentences
from elision.compaction.summary.citations import Citations
from elision.model.types import Span

# What stands before the first word of a line: indentation, bullet, number, check box, heading marks.
_LEAD = regex.compile(r"\s*+(?:(?:[-*+•>–]|[0-9]{1,3}[.)]|#{1,6})[^\S\r\n]++)*+(?:\[[ xX]\][^\S\r\n]++)?+")
_SAYS = regex.compile(r"[\p{L}\p{N}]")
_LONGEST_LINE = 20_000  # a longer one is one statement


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a summary.

    Attributes:
        text: As it stands, with white space behind it.
        cites: The ids it rests on, those at the end of its line where it has none.
    """

    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A line: what leads it, its statements, and how it ends."""

    lead: str
    statements: tuple[Statement, ...]
    end: str

    def rewritten(self, change: Callable[[Statement], str]) -> str:
        """The line with every statement changed; without any left it is gone, unless it had none."""
        kept = [changed for statement in self.statements if (changed := change(statement))]
        if self.statements and not kept:
            return ""
        return self.lead + "".join(kept).rstrip() + self.end


def lines(text: str, citations: Citations) -> Iterator[Line]:
    """The lines of a section's text."""
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        lead = _LEAD.match(body)
        start = lead.end() if lead else 0
        yield Line(body[:start], tuple(_statements(body[start:], citations)), line[len(body) :])


def says_something(text: str) -> bool:
    """Whether there is a letter or a figure."""
    return bool(_SAYS.search(text))


def _statements(text: str, citations: Citations) -> Iterator[Statement]:
    if not says_something(text):
        return
    sentences = _sentences(text, citations)
    cites: tuple[str, ...] = ()
    found: list[Statement] = []
    for sentence in reversed(sentences):
        cites = tuple(citations.cited(sentence)) or cites
        found.append(Statement(sentence, cites))
    yield from reversed(found)


def _sentences(text: str, citations: Citations) -> list[str]:
    """The sentences; what only cites or says nothing belongs to the one before."""
    spans = [Span(0, len(text))] if len(text) > _LONGEST_LINE else split_sentences(text, Span(0, len(text)))
    joined: list[str] = []
    for span in spans:
        sentence = span.of(text)
        cited = citations.leading(sentence) if joined else 0
        if cited:
            joined[-1] += sentence[:cited]
            sentence = sentence[cited:]
        if joined and not says_something(sentence):
            joined[-1] += sentence
        elif sentence:
            joined.append(sentence)
    return joined
