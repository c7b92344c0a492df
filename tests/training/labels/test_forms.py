"""Blank forms are whole chunks with their context, drawn by a lot that does not change."""

import dataclasses
import json
from pathlib import Path

import pytest

from elision.training.errors import BadTranscript
from elision.training.labels.forms import chosen, forms_of_labels, forms_of_transcripts
from elision.training.labels.rows import TEACHER, JudgedLine, LabelRow
from elision.training.transcripts.files import write_transcripts
from elision.training.transcripts.types import Json, Transcript


def session(name: str, *outputs: str) -> Transcript:
    messages: list[Json] = [{"role": "user", "content": "fix\nthe login"}]
    for number, output in enumerate(outputs):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "bash", "arguments": '{"cmd": "ls"}'},
        }
        messages.append({"role": "assistant", "content": f"I look, {name} {number}", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": output})
    return Transcript(name, "team", "t", tuple(messages), kind="coding-agent", licence="MIT")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_transcripts(tmp_path / "a.jsonl", [session("s1", "one\n\n  two\n", "a line\n" * 900)])
    write_transcripts(tmp_path / "b.jsonl.gz", [session("s2", "\n \n")])
    # JSON can hold what UTF-8 cannot.
    (tmp_path / "c.jsonl").write_text(json.dumps(dataclasses.asdict(session("s3", "\ud800 lone"))))
    return tmp_path


def test_each_chunk_comes_with_what_the_agent_knew(folder: Path) -> None:
    first = next(iter(forms_of_transcripts([folder])))

    assert (first.id, first.doc, first.source, first.kind, first.licence) == (
        "s1#2+0",
        "s1",
        "team",
        "tool",
        "MIT",
    )
    assert (first.task, first.call, first.before) == ("fix the login", 'bash {"cmd": "ls"}', "I look, s1 0")
    assert [line.span.of(first.text) for line in first.lines] == ["one", "  two"]
    assert first.origin == TEACHER


def test_chunks_that_read_the_same_are_taken_once_and_empty_ones_never(folder: Path) -> None:
    forms = list(forms_of_transcripts([folder, folder / "a.jsonl"]))

    assert len({(form.text, form.before) for form in forms}) == len(forms)
    assert all(form.text.strip() for form in forms)


def test_lone_surrogates_do_not_stop_a_run(folder: Path) -> None:
    assert [form.text for form in forms_of_transcripts([folder / "c.jsonl"])] == ["\ufffd lone"]


def test_asking_for_more_takes_the_same_and_some_more(folder: Path) -> None:
    forms = list(forms_of_transcripts([folder]))

    few, many = chosen(forms, 7, 2), chosen(forms[::-1], 7, 4)

    assert few == many[:2]
    assert chosen(forms, 8, 2) != few or chosen(forms, 9, 2) != few


def test_one_session_does_not_take_all(folder: Path) -> None:
    forms = list(forms_of_transcripts([folder]))

    assert sorted(form.doc for form in chosen(forms, 0, None, 1)) == ["s1", "s3"]


def test_judged_chunks_can_be_judged_anew() -> None:
    row = LabelRow(
        "j",
        "log",
        "line",
        "s",
        "d",
        "t",
        "c",
        "b",
        "x\n\ny",
        (JudgedLine(0, 1, 3, ()), JudgedLine(2, 2, 0), JudgedLine(3, 4, 1, None, 0.4)),
    )
    blank = LabelRow("k", "log", "line", "s", "d", "t", "c", "b", "\n", (JudgedLine(0, 0, 0),))

    (form,) = forms_of_labels([row, blank])

    assert form.lines == (JudgedLine(0, 1, 0), JudgedLine(2, 2, 0), JudgedLine(3, 4, 0))
    assert (form.text, form.task, form.origin) == (row.text, row.task, TEACHER)


def test_a_folder_without_sessions_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadTranscript, match="holds no .jsonl"):
        list(forms_of_transcripts([tmp_path]))
