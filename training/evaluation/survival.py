"""Answer survival: is what answers the question still in the shortened text?

Three kinds of evidence, from question answering over paragraphs in twelve languages, over meetings and
over the outputs of operations tools. What is asked is always whether it still stands there, never
whether a model would find it, so no LLM is needed and any method can be compared.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import regex

from elision.model.types import Span
from elision.training.evaluation.end_to_end import Shortened
from elision.training.transcripts.files import parse_transcript
from elision.training.transcripts.outputs import outputs_of

_GAP = "\0"  # stands where text went, so that what it parted does not read as one
_TERM = regex.compile(r"[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.:/-]*[\p{L}\p{N}_])?")
# What graders say about an answer rather than what stands in it.
_SAID_OF_ANSWERS = frozenset(
    "must should answer mention mentions mentioned includes include user users says state states tells about "
    "this that there these with from have does which like they them their what when where while either "
    "correct full find output following otherwise something slightly behavior acceptable pass".split()
)

Method = Callable[[str, str, float], Shortened]
"""Text, query and keep ratio in, what is left out."""


class Case(Protocol):
    """One question and what its answer rests on."""

    @property
    def kind(self) -> str:
        """Which of the sources, and the language where it has several."""

    @property
    def documents(self) -> Sequence[tuple[str, str]]:
        """The texts that may be shortened, each with its query."""

    def share(self, dropped: Sequence[Sequence[Span]]) -> float:
        """How much of the evidence is left, 0 to 1, when these stretches of each document went."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A paragraph that holds the answer word for word."""

    kind: str
    documents: tuple[tuple[str, str]]
    answers: tuple[str, ...]

    def share(self, dropped: Sequence[Sequence[Span]]) -> float:
        left = _plain(remaining(self.documents[0][0], dropped[0]))
        return float(any(_plain(answer) in left for answer in self.answers))


@dataclass(frozen=True, slots=True)
class Evidence:
    """A meeting, and the turns that the answer was written from."""

    kind: str
    documents: tuple[tuple[str, str]]
    spans: tuple[Span, ...]

    def share(self, dropped: Sequence[Sequence[Span]]) -> float:
        text = self.documents[0][0]
        counts = np.array([not character.isspace() for character in text])
        there = counts.copy()
        for span in dropped[0]:
            there[span.start : span.stop] = False
        sizes = [(there[s.start : s.stop].sum(), counts[s.start : s.stop].sum()) for s in self.spans]
        return float(sum(left for left, _ in sizes) / max(1, sum(size for _, size in sizes)))


@dataclass(frozen=True, slots=True)
class Facts:
    """Outputs of several calls, and the terms of the expected facts that stand in them."""

    kind: str
    documents: tuple[tuple[str, str], ...]
    terms: frozenset[str]

    def share(self, dropped: Sequence[Sequence[Span]]) -> float:
        texts = (remaining(text, gone) for (text, _), gone in zip(self.documents, dropped, strict=True))
        left = frozenset().union(*map(_terms, texts))
        return len(self.terms & left) / len(self.terms)


def answers(path: Path) -> Iterator[Answer]:
    """XQuAD's questions, each with its paragraph."""
    for row in _rows(path):
        yield Answer(f"xquad-{row['lang']}", ((row["context"], row["question"]),), tuple(row["answers"]))


def evidence(questions: Path, meetings: Path) -> Iterator[Evidence]:
    """QMSum's specific questions, each with its whole meeting; general ones rest on all of it."""
    turns = {row["id"]: row["turns"] for row in _rows(meetings)}
    for row in _rows(questions):
        said = [turn + "\n" for turn in turns[row["context_ref"]]]
        if row["type"] == "specific":
            starts = np.cumsum([0, *map(len, said)]).tolist()
            pairs = ((int(first), int(last)) for first, last in row["evidence_turns"])
            spans = tuple(Span(starts[first], starts[min(last + 1, len(said))]) for first, last in pairs)
            yield Evidence("qmsum", (("".join(said), row["question"]),), spans)


def facts(path: Path) -> Iterator[Facts]:
    """HolmesGPT's cases whose expected facts have terms that stand in the outputs, and not in the question."""
    for row in _rows(path):
        outputs = tuple((output.text, output.query) for output in outputs_of(parse_transcript(row)))
        asked = _terms(next(m["content"] for m in row["messages"] if m["role"] == "user"))
        there = frozenset().union(*(_terms(text) for text, _ in outputs))
        terms = (_terms(" ".join(row["expected_answer"])) & there) - asked - _SAID_OF_ANSWERS
        if terms:
            yield Facts("holmesgpt", outputs, terms)


def survival(case: Case, method: Method, keep_ratio: float, with_query: bool) -> float:
    """Share of a case's evidence that a method leaves."""
    left = (method(text, query if with_query else "", keep_ratio) for text, query in case.documents)
    return case.share([shortened.dropped for shortened in left])


def remaining(text: str, dropped: Sequence[Span]) -> str:
    """What is left of a text, with a gap wherever something other than white space went."""
    parts, at = [], 0
    for span in dropped:
        parts += [text[at : span.start], _GAP if span.of(text).strip() else ""]
        at = span.stop
    return "".join([*parts, text[at:]])


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _terms(text: str) -> frozenset[str]:
    return frozenset(term.casefold() for term in _TERM.findall(text) if len(term) > 3 or term.isdigit())


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
