"""Each form is shortened where it may be, and everything else of it stays as it came."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from batches import log_text
from hypothesis import given
from hypothesis import strategies as st
from scorers import HashScorer

from elision.model.errors import BundleCorrupt, BundleNotFound
from elision.model.types import Scores, Span, nothing
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.stage import Stage
from elision.serving.batch.types import Done, Form, Portion

LONG = "The build went on and on and nothing of note was seen by anyone. " * 30
ASKED = BatchSettings(0.3, floor_tokens=20)

Made = Callable[..., Done]


def done(text: str, form: Form, settings: BatchSettings = ASKED, *, document: bool = False, **more: Any) -> Done:
    return Stage(settings, HashScorer())(Portion(1, 2, 10, text, form, document, **more))


def text_of(made: Done) -> str:
    return made.data.decode("utf-8", "surrogatepass")


def chat(result: str) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    return {
        "model": "gpt-4o",
        "messages": [
            {"role": "user", "content": LONG},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": result},
        ],
    }


def claude(result: str) -> dict[str, Any]:
    return {
        "model": "claude-sonnet-4",
        "max_tokens": 10,
        "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "ls", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": result}]},
        ],
    }


def test_a_log_is_shortened_and_its_lines_are_counted() -> None:
    text = log_text(400)
    made = done(text, Form.LOG)
    report = made.report

    assert (made.source, made.number, made.set_aside) == (1, 2, ())
    assert report.lines == report.records == text.count("\n")
    assert report.tokens_after < 0.4 * report.tokens_before
    assert sum(report.levels.values()) == sum(lines for lines, _ in report.templates.values()) == report.lines
    assert "WARN disk /dev/sda0 is almost full\n" in text_of(made)
    assert report.levels["WARN"] == 1


def test_lines_that_a_selection_takes_out_are_counted_apart() -> None:
    text = log_text(200)
    lines = text.splitlines(keepends=True)
    start = len("".join(lines[:10]))
    made = done(text, Form.LOG, left_out=(Span(start, start + len("".join(lines[10:40]))),))

    assert made.report.left_out == 30
    assert sum(made.report.levels.values()) == len(lines) - 30
    assert made.report.lines == len(lines)


@pytest.mark.law
@given(text=st.text(max_size=300), form=st.sampled_from(Form), document=st.booleans())
def test_counts_add_up_whatever_the_text(text: str, form: Form, document: bool) -> None:
    if form is Form.TABLE:
        return
    made = done(text, form, document=document and form is not Form.LOG)

    assert made.report.tokens_after <= made.report.tokens_before
    if form is Form.LOG:
        counted = sum(lines for lines, _ in made.report.templates.values())
        assert sum(made.report.levels.values()) == counted == made.report.lines == made.report.records
    else:
        out = [line for line in text_of(made).split("\n") if line.strip(" \t\r\n")]
        if not document:
            assert made.report.records == len(out) + len(made.set_aside)


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ({"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": chat(log_text(60))}, "body"),
        ({"custom_id": "b", "params": claude(log_text(60))}, "params"),
    ],
)
def test_of_a_request_only_what_a_tool_said_changes(line: dict[str, Any], body: str) -> None:
    raw = json.dumps(line, indent=None, separators=(" , ", ": "))
    made = done(raw + "\r\n", Form.REQUESTS)
    changed = json.loads(text_of(made))
    before, after = json.dumps(line[body]["messages"][-1]), json.dumps(changed[body]["messages"][-1])
    changed[body]["messages"][-1] = line[body]["messages"][-1]

    assert len(after) < 0.6 * len(before)
    assert changed == line
    assert text_of(made).startswith(raw[: raw.index(body) + 30]) and text_of(made).endswith("}\r\n")
    assert made.report.reasons == {"": 1}
    assert made.report.tokens_after < made.report.tokens_before


def test_of_a_transcript_all_other_members_stay() -> None:
    row = {"id": "x", "score": 1.50, "messages": chat(log_text(60))["messages"], "labels": [LONG]}
    made = done(json.dumps(row) + "\n\n" + json.dumps(row), Form.CONVERSATIONS)
    first, blank, second = text_of(made).split("\n")

    assert first == second and blank == ""
    assert {**json.loads(first), "messages": 0} == {**row, "messages": 0}
    assert len(first) < len(json.dumps(row))
    assert (made.report.records, made.report.lines) == (2, 3)


@pytest.mark.parametrize(
    ("form", "line", "reason"),
    [
        (Form.REQUESTS, '{"custom_id": "a"}', "not_a_request"),
        (Form.REQUESTS, '{"body": {"messages": []}}', "not_a_request"),
        (Form.REQUESTS, '{"custom_id": "a", "body": {"size": 1}}', "not_a_conversation"),
        (Form.CONVERSATIONS, '{"type": "session"}', "not_a_conversation"),
        (Form.CONVERSATIONS, "17", "not_a_conversation"),
        (Form.RECORDS, '{"a": NaN}', "not_strict_json"),
        (Form.RECORDS, '{"a": 1}', "below_floor"),
    ],
)
def test_json_that_is_something_else_stays_as_it_came(form: Form, line: str, reason: str) -> None:
    made = done(line + "\n", form)

    assert text_of(made) == line + "\n"
    assert made.report.reasons == {reason: 1}


@pytest.mark.parametrize("form", [Form.REQUESTS, Form.CONVERSATIONS, Form.RECORDS])
def test_what_is_not_json_is_set_aside_and_the_rest_goes_on(form: Form) -> None:
    made = done('{"a": 1}\n{"b": \nbare words\r\n{"c": 2}', form)

    assert text_of(made) == '{"a": 1}\n{"c": 2}'
    assert [(one.line, one.raw) for one in made.set_aside] == [(11, '{"b": '), (12, "bare words")]
    assert made.set_aside[0].reason == "not JSON at column 6: a value is missing"
    assert (made.report.records, made.report.lines) == (4, 4)


def test_a_record_stays_json_with_its_keys() -> None:
    line = json.dumps({"text": LONG, "n": 1, "inner": {"text": LONG}})
    made = done((line + "\n") * 3, Form.RECORDS)

    for shorter in text_of(made).splitlines():
        found = json.loads(shorter)
        assert (found.keys(), found["n"], found["inner"].keys()) == ({"text", "n", "inner"}, 1, {"text"})
        assert len(shorter) < 0.6 * len(line)
    assert made.report.reasons == {"": 3}


def test_a_document_over_several_lines_is_one_record() -> None:
    text = "\n" + json.dumps({"a": LONG, "b": [1, 2]}, indent=2) + "\n"
    made = done(text, Form.RECORDS, document=True)
    broken = done("{\n broken\n", Form.RECORDS, document=True)

    assert json.loads(made.data)["b"] == [1, 2]
    assert (made.report.records, made.report.lines) == (1, text.count("\n"))
    assert len(made.data) < 0.7 * len(text)
    assert [one.reason for one in broken.set_aside] == ["not JSON at line 2, column 2: a key in double quotes is missing"]


def test_secrets_are_nowhere_where_redaction_is_asked_for() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    redact = replace(ASKED, redact=True)
    lines = f'{{"token": "{secret}"}}\n{{"password": "{secret}\n'

    for form in (Form.RECORDS, Form.REQUESTS, Form.CONVERSATIONS):
        made = done(lines, form, redact)
        assert secret not in text_of(made) + "".join(one.raw for one in made.set_aside)
        assert len(made.set_aside) == 1
    assert secret not in text_of(done(f"2026-01-01 INFO token={secret}\n" * 50, Form.LOG, redact))


class Broken(HashScorer):
    """A scorer with a mistake in it."""

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        raise ZeroDivisionError


def test_a_mistake_of_ours_costs_the_saving_and_never_the_text() -> None:
    for text, form in [
        (json.dumps({"text": LONG}) + "\n", Form.RECORDS),
        ("".join(f"word{n} {LONG[n : n + 40]}\n" for n in range(200)), Form.LOG),
    ]:
        made = Stage(ASKED, Broken())(Portion(0, 0, 1, text, form))

        assert text_of(made) == text
        assert made.report.reasons == {"internal_error": 1}
        assert made.report.lines == text.count("\n")


def test_lines_whose_secrets_cannot_be_replaced_are_set_aside_and_still_count() -> None:
    text = "".join(f"word{n} {LONG[n : n + 40]}\n" for n in range(200))
    broken = Stage(replace(ASKED, redact=True), Broken())
    made = broken(Portion(0, 0, 1, text, Form.LOG, left_out=(Span(0, text.index("\n") + 1),)))

    assert text_of(made) == ""
    assert [(one.line, one.records, one.raw) for one in made.set_aside] == [(1, 200, "")]
    assert (made.report.records, made.report.lines, made.report.left_out) == (200, 200, 0)
    assert (made.report.levels, made.report.templates) == ({"-": 200}, {"(other)": (200, 0)})


def test_the_same_portion_gives_the_same_bytes_and_a_stage_can_be_sent(settings: BatchSettings) -> None:
    portion = Portion(0, 0, 1, log_text(80) + LONG, Form.LOG)
    stage = pickle.loads(pickle.dumps(Stage(settings)))
    first, second = stage(portion), Stage(settings)(pickle.loads(pickle.dumps(portion)))

    assert first.data == second.data
    assert replace(first.report, seconds=0) == replace(second.report, seconds=0)


def test_a_bundle_that_cannot_be_used_is_told(settings: BatchSettings, tmp_path: Path) -> None:
    portion = Portion(0, 0, 1, json.dumps({"text": LONG}), Form.RECORDS)
    with pytest.raises(BundleNotFound):
        Stage(replace(settings, bundle=tmp_path / "none"))(portion)

    assert settings.bundle is not None
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in settings.bundle.iterdir():
        (copy / path.name).write_bytes(path.read_bytes() + b"x" * (path.suffix == ".onnx"))
    with pytest.raises(BundleCorrupt):
        Stage(replace(settings, bundle=copy))(portion)
