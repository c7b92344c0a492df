"""Judged labels come in checked, or the message says which line and field is wrong."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from elision.model.types import Span
from elision.training.errors import BadLabels
from elision.training.json_lines import content_hash
from elision.training.labels.rows import read_labels


def row(**changed: Any) -> dict[str, Any]:
    return {
        "id": "t1",
        "kind": "grep",
        "unit": "line",
        "source": "s",
        "doc": "d",
        "task": "fix it",
        "call": "grep foo",
        "before": "",
        "text": "one\ntwo words",
        "lines": [
            {"start": 0, "end": 3, "level": 0},
            {"start": 4, "end": 13, "level": 3, "kept": [[4, 7], [8, 10]]},
        ],
    } | changed


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    lines = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows)
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())
    return path


@pytest.mark.parametrize("name", ["labels.jsonl", "labels.jsonl.gz"])
def test_rows_come_back_in_order_plain_or_gzipped(tmp_path: Path, name: str) -> None:
    rows = read_labels(write(tmp_path / name, row(), "", row(id="t2")))

    assert [r.id for r in rows] == ["t1", "t2"]
    assert rows[0].lines[1].span.of(rows[0].text) == "two words"
    assert rows[0].lines[1].level == 3


def test_words_not_judged_differ_from_words_all_dropped(tmp_path: Path) -> None:
    lines = [
        {"start": 0, "end": 3, "level": 1, "kept": []},
        {"start": 4, "end": 13, "level": 3, "kept": None},
    ]

    judged = read_labels(write(tmp_path / "l.jsonl", row(lines=lines)))[0].lines

    assert (judged[0].kept, judged[1].kept) == ((), None)


def test_kept_words_are_spans_of_the_text(tmp_path: Path) -> None:
    assert read_labels(write(tmp_path / "l.jsonl", row()))[0].lines[1].kept == (Span(4, 7), Span(8, 10))


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"text": None}, "text is missing"),
        ({"kind": 3}, "kind is int"),
        ({"unit": "word"}, "unit is 'word'"),
        ({"lines": {}}, "lines is dict"),
        ({"lines": []}, "lines is empty"),
        ({"lines": [7]}, r"lines\[0\] is int"),
        ({"lines": [{"start": 0, "end": 99, "level": 0}]}, r"lines\[0\] is 0..99"),
        ({"lines": [{"start": 3, "end": 1, "level": 0}]}, r"lines\[0\] is 3..1"),
        ({"lines": [{"start": 0.0, "end": 1, "level": 0}]}, "two integers"),
        ({"lines": [{"start": 0, "end": 4, "level": 0}, {"start": 2, "end": 5, "level": 0}]}, r"lines\[1\]"),
        ({"lines": [{"start": 0, "end": 3, "level": 4}]}, r"lines\[0\].level is 4"),
        ({"lines": [{"start": 0, "end": 3, "level": True}]}, r"lines\[0\].level is True"),
        ({"lines": [{"start": 0, "end": 3, "level": 1, "kept": [[2, 5]]}]}, r"lines\[0\].kept\[0\]"),
        ({"lines": [{"start": 0, "end": 3, "level": 1, "kept": [[0, 2], [1, 3]]}]}, r"lines\[0\].kept\[1\]"),
        ({"lines": [{"start": 0, "end": 3, "level": 1, "kept": "all"}]}, r"lines\[0\].kept is str"),
    ],
)
def test_a_broken_row_is_named_by_line_and_field(tmp_path: Path, changed: dict[str, Any], field: str) -> None:
    path = write(tmp_path / "l.jsonl", row(), row(**changed))

    with pytest.raises(BadLabels, match=rf"l\.jsonl:2: .*{field}"):
        read_labels(path)


@pytest.mark.parametrize("line", ["{", "[]", "null", "[" * 100_000, "1" * 5000])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(BadLabels, match=r"l\.jsonl:1: "):
        read_labels(write(tmp_path / "l.jsonl", line))


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    plain = tmp_path / "not-gzip.jsonl.gz"
    plain.write_text("{}")
    whole = write(tmp_path / "whole.jsonl.gz", *(row(id=str(number)) for number in range(99))).read_bytes()
    (tmp_path / "short.jsonl.gz").write_bytes(whole[:-20])
    (tmp_path / "damaged.jsonl.gz").write_bytes(whole[:20] + bytes([255] * 20) + whole[40:])

    for path in (tmp_path / "missing.jsonl", tmp_path, plain, tmp_path / "short.jsonl.gz", tmp_path / "damaged.jsonl.gz"):
        with pytest.raises(BadLabels, match="cannot be read"):
            read_labels(path)
        with pytest.raises(BadLabels, match="cannot be read"):
            content_hash(path, BadLabels)


def test_a_file_says_the_same_however_it_is_gzipped(tmp_path: Path) -> None:
    said = [json.dumps(row(id=str(number))) for number in range(9)]
    text = "\n".join(said).encode()
    (tmp_path / "fast.jsonl.gz").write_bytes(gzip.compress(text, compresslevel=1, mtime=5))
    (tmp_path / "small.jsonl.gz").write_bytes(gzip.compress(text, compresslevel=9, mtime=9))
    (tmp_path / "plain.jsonl").write_bytes(text)
    (tmp_path / "other.jsonl").write_bytes(text[1:])

    names = ("fast.jsonl.gz", "small.jsonl.gz", "plain.jsonl", "other.jsonl")
    fast, small, plain, other = (content_hash(tmp_path / name, BadLabels) for name in names)
    assert fast == small == plain != other
