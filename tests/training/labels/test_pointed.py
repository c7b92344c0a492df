"""Labels that ship without their texts find them again, or say which row did not."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from sessions import agent, result, session, user

from elision.training.errors import BadLabels
from elision.training.labels.pointed import SECOND, digest, read_pointed
from elision.training.labels.rows import JUDGED
from elision.training.transcripts.files import write_transcripts

TEXT = "first line\nsecond line\n\nthird"
LOG = "boot\r\nERROR: \ufffd\r\n"
Raw = dict[str, Any]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder in miniature, itself under a folder called qa."""
    folder = tmp_path / "qa" / "data"
    for name in ("transcripts/train", "logs/train", "qa/train"):
        (folder / name).mkdir(parents=True)
    talk = [user("fix  it"), agent("I look.", c=("bash", {"command": "ls"})), result("c", TEXT)]
    write_transcripts(folder / "transcripts/train/ours.jsonl.gz", [session(talk, "s1")])
    (folder / "logs/train/boot.log.gz").write_bytes(gzip.compress(b"boot\r\nERROR: \xff\r\n"))
    asked = {"id": "q1", "context": "Who? He.", "question": "who was it"}
    (folder / "qa/train/asked.jsonl.gz").write_bytes(gzip.compress(json.dumps(asked).encode()))
    return folder


def row(file: str = "transcripts/train/ours.jsonl.gz", text: str = "s1#2", within: str = TEXT, **changed: Any) -> Raw:
    return {
        "id": "b1",
        "file": file,
        "text": text,
        "span": [0, len(within)],
        "digest": digest(within),
        "unit": "line",
        "kind": "bash",
        "source": "ours",
        "doc": "d",
        "licence": "MIT",
        "lines": [[0, 4], [4, 5]],
        "levels": "03",
    } | changed


def pointed(path: Path, *rows: Raw | str) -> Path:
    lines = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows)
    path.write_bytes(gzip.compress(lines.encode()))
    return path


def test_a_row_is_joined_with_its_text_and_what_came_before_it(data: Path, tmp_path: Path) -> None:
    rows = read_pointed(pointed(tmp_path / "p.jsonl.gz", row(span=[11, 22], digest=digest("second line"))), data)

    (found,) = rows
    assert (found.text, found.task, found.before, found.origin) == ("second line", "fix it", "I look.", JUDGED)
    assert found.call == 'bash {"command": "ls"}'
    assert [(line.span.of(found.text), line.level) for line in found.lines] == [("seco", 0), ("n", 3)]


def test_a_question_about_a_meeting_is_joined_with_what_was_said(data: Path, tmp_path: Path) -> None:
    meeting = {"id": "m1", "turns": ["A: Well {pause} yes .", "B: {disfmarker} No ."]}
    (data / "qa/train/qmsum_meetings.jsonl.gz").write_bytes(gzip.compress(json.dumps(meeting).encode()))
    asked = {"id": "q7", "context_ref": "m1", "question": "who agreed"}
    (data / "qa/train/qmsum_qa.jsonl.gz").write_bytes(gzip.compress(json.dumps(asked).encode()))
    said = "A: Well yes .\nB: No ."

    (found,) = read_pointed(pointed(tmp_path / "p.jsonl.gz", row("qa/train/qmsum_qa.jsonl.gz", "q7", said)), data)

    assert (found.text, found.task) == (said, "who agreed")


def test_logs_and_questions_are_joined_as_they_were_judged(data: Path, tmp_path: Path) -> None:
    question = row("qa/train/asked.jsonl.gz", "q1", "Who? He.")
    path = pointed(tmp_path / "p.jsonl.gz", row("logs/train/boot.log.gz", "", LOG), question, {**question, "told": False})

    log, told, untold = read_pointed(path, data)

    assert (log.text, log.call, log.task) == (LOG, "bash cat boot", "")
    assert (told.task, untold.task, told.text) == ("who was it", "", "Who? He.")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"digest": "0" * 12}, "text 's1#2' of .*ours.jsonl.gz is not the one that was judged"),
        ({"span": [0, 3]}, "is not the one that was judged"),
        ({"file": "transcripts/train/none.jsonl.gz"}, "none.jsonl.gz is missing"),
        ({"text": "s1#9"}, "has no text 's1#9'"),
        ({"levels": "032"}, "has 3 levels for 2 lines"),
        ({"levels": "04"}, r"lines\[1\]\.level is 4"),
        ({"levels": "0x"}, "invalid literal"),
        ({"lines": [[0, 4], [2, 5]]}, r"lines\[1\] is 2..5"),
        ({"lines": [[0, 4], [4, 99]]}, r"lines\[1\] is 4..99"),
        ({"unit": "word"}, "unit is 'word'"),
        ({"file": "logs/train/fake.log.gz"}, "cannot be read"),
    ],
)
def test_a_row_that_cannot_be_joined_is_named(data: Path, tmp_path: Path, wrong: Raw, says: str) -> None:
    (data / "logs/train/fake.log.gz").write_text("not gzip")

    with pytest.raises(BadLabels, match=rf"p\.jsonl\.gz:2: .*{says}"):
        read_pointed(pointed(tmp_path / "p.jsonl.gz", row(), row(**wrong)), data)


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "b1"}', ""])
def test_a_line_that_is_no_row_is_named(data: Path, tmp_path: Path, line: str) -> None:
    with pytest.raises(BadLabels, match=r"p\.jsonl\.gz:2: (not JSON|lacks)"):
        read_pointed(pointed(tmp_path / "p.jsonl.gz", row(), line), data)


def test_a_file_that_cannot_be_read_says_so(data: Path, tmp_path: Path) -> None:
    with pytest.raises(BadLabels, match="cannot be read"):
        read_pointed(tmp_path / "none.jsonl.gz", data)


def test_every_shipped_row_finds_its_text(shared: Path) -> None:
    rows = read_pointed(SECOND, shared / "data")

    assert len(rows) == len({found.id for found in rows}) == 2697
    assert all(line.span.of(found.text).strip() for found in rows for line in found.lines)
    assert all(found.licence and found.lines for found in rows)
