"""The teacher's path against a real LLM server. What so small a model says is no judgement: only the protocol is."""

import json
from pathlib import Path

import pytest
from small_llm import missing, small_llm

from elision.training.labels.exchange import Endpoint
from elision.training.labels.instructions import instruction
from elision.training.labels.rows import TEACHER, JudgedLine, LabelRow, parse_row, row_json
from elision.training.labels.teacher import Asking, label

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}; see the Makefile"),
]


def form(number: int, *texts: str) -> LabelRow:
    text = "\n".join(texts)
    lines, at = [], 0
    for one in texts:
        lines.append(JudgedLine(at, at + len(one), level=0))
        at += len(one) + 1
    return LabelRow(
        f"f{number}", "test", "line", "s", f"d{number}", "fix it", "pytest", "", text, tuple(lines), TEACHER
    )


FORMS = [
    form(0, "test_login failed: AssertionError", "12 passed in 0.3 s"),
    form(1, "Compiling serde v1.0", "error[E0308]: mismatched types", "  --> src/main.rs:4:18"),
]


def test_a_real_server_labels_fails_by_name_and_is_not_asked_again(tmp_path: Path) -> None:
    known = tmp_path / "answers.sqlite"
    with small_llm(tmp_path / "server.log") as url:
        endpoint = Endpoint(
            url, "local", timeout=300, retries=0, concurrency=2, temperature=0, answer_tokens=40
        )
        held = Asking(endpoint, instruction("levels"), ask_twice=0, held_to_schema=True)
        labelled = label(FORMS, held, known)
        free = label(FORMS[:1], Asking(endpoint, instruction("deletion"), ask_twice=0), known)
        again = label(FORMS, held, known)

    report = labelled.report
    assert labelled.complete and free.complete
    # The server holds the model to one digit a line, so each answer is a label.
    assert (report["labelled"], report["rejected"], report["unanswered"]) == (2, {}, {})
    assert [parse_row(json.loads(json.dumps(row_json(row)))) for row in labelled.rows] == list(labelled.rows)
    assert report["spent"]["tokens_in"] > 1000 and report["spent"]["requests_without_usage"] == 0
    # Left to itself it may say anything: then it is named.
    assert free.report["labelled"] + sum(free.report["rejected"].values()) == 1
    assert (again.report["requests"], again.report["answers_reused"]) == (0, 2)
    assert again.rows == labelled.rows
