"""Evidence counts as left only where it really stands, and only what a document could give is asked of it."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from elision.model.types import Span
from elision.training.evaluation.end_to_end import Shortened
from elision.training.evaluation.survival import (
    Answer,
    Evidence,
    Facts,
    answers,
    evidence,
    facts,
    remaining,
    survival,
)


def gone(text: str, *parts: str) -> list[Span]:
    return [Span(text.index(part), text.index(part) + len(part)) for part in parts]


def written(path: Path, *rows: dict[str, Any]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def test_what_text_parted_does_not_read_as_one() -> None:
    assert remaining("New old York", gone("New old York", "old ")) == "New \0York"
    assert remaining("New  York", [Span(4, 5)]) == "New York"


@pytest.mark.parametrize(("dropped", "share"), [(("in the",), 1.0), (("the 10th",), 0.0), (("and 11th ",), 0.0)])
def test_an_answer_is_left_when_it_stands_word_for_word(dropped: tuple[str, ...], share: float) -> None:
    text = "The Normans lived in the 10th  and 11th centuries there."
    case = Answer("xquad-en", ((text, "When?"),), ("never", "10TH and 11th centuries"))

    assert case.share([gone(text, *dropped)]) == share


def test_evidence_is_measured_in_the_characters_of_its_turns() -> None:
    text = "A: yes\nB: four five\nC: no\n"
    case = Evidence("qmsum", ((text, ""),), (Span(7, 20),))

    assert case.share([[]]) == 1
    assert case.share([gone(text, "A: yes\n", " five")]) == pytest.approx(6 / 10)


def test_facts_are_terms_left_in_any_of_the_outputs() -> None:
    case = Facts("holmesgpt", (("pod-1 OOMKilled", ""), ("exit 137 pod-1", "")), frozenset({"oomkilled", "137", "pod-1"}))

    assert case.share([gone("pod-1 OOMKilled", "pod-1 "), gone("exit 137 pod-1", "137")]) == pytest.approx(2 / 3)


def test_questions_are_read_with_what_they_are_asked_of(tmp_path: Path) -> None:
    xquad = written(tmp_path / "x.gz", {"lang": "de", "context": "c", "question": "q", "answers": ["a"]})
    meetings = written(tmp_path / "m.gz", {"id": "m1", "turns": ["A: one", "B: two", "A: three"]})
    asked = {"context_ref": "m1", "question": "q", "type": "specific", "evidence_turns": [["1", "2"]]}
    questions = written(tmp_path / "q.gz", asked, {**asked, "type": "general", "evidence_turns": []})

    assert list(answers(xquad)) == [Answer("xquad-de", (("c", "q"),), ("a",))]
    (found,) = evidence(questions, meetings)
    assert [span.of(found.documents[0][0]) for span in found.spans] == ["B: two\nA: three\n"]


def test_facts_ask_only_for_terms_that_stand_in_the_outputs_and_not_in_the_question(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "logs", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Why is payments slow?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "payments: MongoDB took 1523 ms"},
    ]
    row = {"id": "h", "messages": messages, "expected_answer": ["must mention payments and MongoDB", "1523 seconds"]}

    (case,) = facts(written(tmp_path / "h.gz", row, {**row, "expected_answer": ["all is well"]}))

    assert case.terms == {"mongodb", "1523"}


def test_without_a_query_a_method_is_told_none() -> None:
    told: list[str] = []

    def method(text: str, query: str, keep_ratio: float) -> Shortened:
        told.append(query)
        return Shortened((), 1)

    case = Answer("xquad-en", (("text", "q"),), ("text",))

    assert [survival(case, method, 0.5, with_query) for with_query in (True, False)] == [1, 1]
    assert told == ["q", ""]
