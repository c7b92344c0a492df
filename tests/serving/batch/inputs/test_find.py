"""Arguments name files; each is found once, and its output has a name of its own."""

import os
from pathlib import Path

import pytest

from elision.serving.batch.errors import NoSources, OutInside
from elision.serving.batch.inputs.find import find
from elision.serving.batch.types import Form, Packing


def names(*arguments: object, out: Path) -> list[str]:
    return [source.name for source in find([str(argument) for argument in arguments], out).sources]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_a_folder_is_all_that_is_in_it(folder: Path, out: Path) -> None:
    found = find([str(folder)], out)

    assert [(source.name, source.form, source.packing) for source in found.sources] == [
        ("app.log", Form.LOG, Packing.PLAIN),
        ("deep/app.log.gz", Form.LOG, Packing.GZ),
        ("deep/er/app.log.zst", Form.LOG, Packing.ZST),
        ("empty.txt", Form.LOG, Packing.PLAIN),
        ("one.json", Form.RECORDS, Packing.PLAIN),
        ("records.jsonl", Form.RECORDS, Packing.PLAIN),
    ]
    assert [source.index for source in found.sources] == list(range(6))
    assert found.sources[0].size == (folder / "app.log").stat().st_size
    assert found.skipped == ()


def test_a_glob_in_quotes_is_expanded_and_names_hang_on_what_has_no_wildcard(folder: Path, out: Path) -> None:
    assert names(folder / "**" / "*.log*", out=out) == ["app.log", "deep/app.log.gz", "deep/er/app.log.zst"]
    assert names(folder / "d*", out=out) == ["deep/app.log.gz", "deep/er/app.log.zst"]


def test_a_file_that_is_named_twice_comes_once(folder: Path, out: Path) -> None:
    (folder / "link.log").symlink_to(folder / "app.log")

    assert names(folder / "app.log", folder / "*.log", folder / "link.log", out=out) == ["app.log"]


def test_files_of_one_name_get_names_of_their_own(tmp_path: Path, out: Path) -> None:
    for place in ("a", "b", "c"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "app.log.gz").write_text(place)

    assert names(*(tmp_path / place / "app.log.gz" for place in "abc"), out=out) == [
        "app.log.gz",
        "app-2.log.gz",
        "app-3.log.gz",
    ]


def test_no_output_takes_the_name_of_ours_or_of_a_folder(tmp_path: Path, out: Path) -> None:
    root = tmp_path / "in"
    (root / "sub" / "x").mkdir(parents=True)
    (root / "manifest.json").write_text("{}")
    (root / ".elision").mkdir()
    (root / ".elision" / "a.log").write_text("a")
    (root / "sub" / "x" / "a.log").write_text("a")
    (tmp_path / "x").write_text("a file of that name")
    (root / "x").mkdir()
    (root / "x" / "b.log").write_text("b")

    assert names(root, root / "sub", tmp_path / "x", out=out) == [
        "-2.elision/a.log",
        "manifest-2.json",
        "sub/x/a.log",
        "x",
        "x-2/b.log",
    ]


def test_what_is_in_out_is_no_input(folder: Path) -> None:
    out = folder / "deep"

    assert names(folder, out=out) == ["app.log", "empty.txt", "one.json", "records.jsonl"]
    with pytest.raises(OutInside, match=r"app\.log\.gz is inside of --out"):
        names(out / "app.log.gz", out=out)


def test_an_argument_that_names_nothing_is_told(tmp_path: Path, out: Path) -> None:
    (tmp_path / "bare").mkdir()

    for argument, message in [
        (tmp_path / "no.log", "no such file or folder: .*no.log"),
        (tmp_path / "*.log", r"nothing matches .*\*\.log"),
        (tmp_path / "bare", "there is no file in .*bare"),
    ]:
        with pytest.raises(NoSources, match=message):
            names(argument, out=out)


def test_out_may_be_no_file(folder: Path) -> None:
    with pytest.raises(OutInside, match="is not a folder"):
        names(folder, out=folder / "app.log")


def test_what_is_no_text_is_skipped_and_only_a_mistake_if_it_was_named(tmp_path: Path, out: Path) -> None:
    root = tmp_path / "in"
    root.mkdir()
    (root / "picture.log").write_bytes(b"\x89PNG\0\0")
    (root / "a.log").write_text("a")
    os.mkfifo(root / "pipe")

    found = find([str(root)], out)
    named = find([str(root / "picture.log"), str(root / "a.log")], out)

    assert [(Path(one.path).name, one.reason, one.failed) for one in found.skipped] == [
        ("picture.log", "it is a binary file (it holds NUL bytes)", False),
        ("pipe", "it is not a regular file", False),
    ]
    assert [one.failed for one in named.skipped] == [True]
    assert [source.name for source in found.sources] == ["a.log"]


def test_a_dangling_link_is_skipped(tmp_path: Path, out: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "gone.log").symlink_to(tmp_path / "nowhere")

    assert [one.reason for one in find([str(tmp_path / "in")], out).skipped] == ["it is not a regular file"]


def test_utf16_is_a_text(tmp_path: Path, out: Path) -> None:
    (tmp_path / "a.log").write_text("words", encoding="utf-16")

    assert names(tmp_path / "a.log", out=out) == ["a.log"]


def test_only_parquet_is_a_table(folder: Path, out: Path) -> None:
    found = find([str(folder / "app.log")], out, Form.TABLE)

    assert [one.reason for one in found.skipped] == ["it is not a parquet file"]
