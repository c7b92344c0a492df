"""However a file is packed, encoded or cut, what is whole in it is read."""

import gzip
import os
from pathlib import Path
from typing import Any

import pytest
import zstandard

from elision.training.errors import BadTranscript
from elision.training.transcripts.drafts import Notes, Source
from elision.training.transcripts.sources import BROKEN, Found, find_sources, read_source

LINES = b'{"a": 1}\n{"a": "\xc3\xa9"}\n'
VALUES = [(1, {"a": 1}), (2, {"a": "é"})]


def values(path: Path) -> tuple[list[tuple[int, Any]], dict[str, int]]:
    notes = Notes()
    (found,) = find_sources([str(path)])
    return [(record.line, record.value) for record in read_source(found, notes).records], notes.first


@pytest.mark.parametrize(
    "data",
    [
        LINES,
        LINES.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + LINES,
        LINES.decode().encode("utf-16"),
        gzip.compress(LINES),
        zstandard.compress(LINES),
        LINES + b"\0\0\0",
    ],
    ids=["plain", "crlf", "bom", "utf-16", "gzip", "zstandard", "padded"],
)
def test_lines_are_read_however_they_are_kept(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)

    assert values(path) == (VALUES, {})


def test_documents_one_after_the_other_are_read_over_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{\n "a": 1\n}\n{\n "a": [\n2]}\n')

    assert values(path) == ([(1, {"a": 1}), (4, {"a": [2]})], {})


@pytest.mark.parametrize("broken", ['{"a": ', '{"a": "x', "{'a': 1}", '{"a": 1} {"a": 2}', "[" * 100_000])
def test_a_broken_line_costs_only_itself(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n' + broken + '\n{"a": "é"}', encoding="utf-8")

    assert values(path) == ([(1, {"a": 1}), (3, {"a": "é"})], {BROKEN: 2})


def test_what_is_before_the_damage_of_a_packed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(LINES)[:-6])

    assert values(path) == (VALUES, {"rest of a damaged packed file": 0})


def test_bytes_that_are_no_utf8_are_replaced_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": "\xff"}')

    assert values(path) == ([(1, {"a": 1}), (2, {"a": "\ufffd"})], {"bytes that are not UTF-8": 2})


def test_a_line_separator_inside_of_a_string_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "x\u2028y"}\n', encoding="utf-8")

    assert values(path) == ([(1, {"a": "x\u2028y"})], {})


def test_files_are_found_once_by_name_folder_and_glob_and_outputs_never(tmp_path: Path) -> None:
    for name in ("a.jsonl", "deep/b.jsonl", "out/c.jsonl", "out/train.jsonl.gz"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")

    paths = [str(tmp_path / "a.jsonl"), str(tmp_path), str(tmp_path / "**/*.jsonl")]
    found = find_sources(paths, [tmp_path / "deep/../out/train.jsonl.gz"])

    assert [(one.path.name, one.named) for one in found] == [("a.jsonl", True), ("b.jsonl", False), ("c.jsonl", False)]


def test_an_argument_that_names_only_outputs_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl.gz").write_text("{}")

    with pytest.raises(BadTranscript, match="only what this import will write"):
        find_sources([str(tmp_path)], [tmp_path / "train.jsonl.gz"])


def notes_of(path: Path, named: bool) -> list[str]:
    notes = Notes()
    assert read_source(Found(path, (path,), named), notes) == Source(path)
    return list(notes.counts)


def test_what_cannot_be_read_is_noted_and_an_error_only_if_it_was_named(tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "gone")

    assert notes_of(link, named=False) == ["cannot be read: No such file or directory"]
    assert notes_of(tmp_path, named=False) == ["cannot be read: Is a directory"]
    with pytest.raises(BadTranscript, match=r"link\.jsonl: cannot be read: No such file"):
        notes_of(link, named=True)


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (found,) = find_sources([str(tmp_path)])

    assert notes_of(found.path, found.named) == ["cannot be read: not a regular file"]


def test_a_pipe_that_was_named_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, LINES)
    os.close(writing)

    assert values(Path(f"/dev/fd/{reading}")) == (VALUES, {})
    os.close(reading)


@pytest.mark.parametrize("name", ["missing", "missing/*.jsonl"])
def test_an_argument_that_names_nothing_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadTranscript, match="no such file or folder"):
        find_sources([str(tmp_path / name)])
