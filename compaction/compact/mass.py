"""How much of what a classifier values in a history is still there after a compaction.

Every line of what user, agent and tools say is valued once; instructions are not, for no policy touches them. A
line is still there if it stands anywhere in the result, white space aside; a line that was put in other words is
not, whatever the words are worth.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from elision.compaction.conversation import INSTRUCTIONS, Conversation, Message, Part
from elision.compaction.guard.segment import segment
from elision.compaction.sketch import score
from elision.compaction.values import Values
from elision.model.types import Scorer, Span, nothing

_TOLD = frozenset({Part.TEXT, Part.RESULT, Part.DOCUMENT})


@dataclass(frozen=True, slots=True)
class ValuedLines:
    """The lines of a history, each with its value times its length."""

    lines: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, conversation: Conversation, scorer: Scorer) -> "ValuedLines":
        """Value what messages say; of a long text a sketch."""
        said = (one for one in conversation.messages if one.role not in INSTRUCTIONS)
        texts = dict.fromkeys(_texts(said))
        return cls(tuple(line for text in texts for line in _valued(text, scorer)))

    def kept(self, after: Conversation) -> float | None:
        """Share of all value that is still there, in [0, 1]; None where there was none."""
        total = sum(value for _, value in self.lines)
        if not total:
            return None
        there = {_folded(line) for text in _texts(after.messages) for line in text.splitlines()}
        return sum(value for line, value in self.lines if line in there) / total


def _texts(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        for block in message.blocks:
            if block.part in _TOLD:
                yield from (leaf.text for leaf in block.leaves if leaf.text.strip())


def _valued(text: str, scorer: Scorer) -> Iterator[tuple[str, float]]:
    values = Values(score(text, segment(text), (), scorer=scorer, query="", tick=nothing))
    spans, at = [], 0
    for line in text.splitlines(keepends=True):
        spans.append(Span(at, at + len(line)))
        at += len(line)
    for span, value in zip(spans, values.of(spans), strict=True):
        line = _folded(span.of(text))
        if line:
            yield line, float(value) * len(line)


def _folded(line: str) -> str:
    return " ".join(line.split())
