"""An output file is written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from elision.serving.errors import BadInput, BadOutput
from elision.serving.streams import read_bytes, write_bytes


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_bytes(b"old")
    target.chmod(0o640)

    write_bytes(str(target), b"new\r\n")

    assert target.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_new_file_has_the_mode_that_the_umask_gives(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_bytes(str(tmp_path / "out.txt"), b"x")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(b"old")
    (tmp_path / "link.txt").symlink_to("real.txt")

    write_bytes(str(tmp_path / "link.txt"), b"new")

    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == b"new"


def test_a_device_is_written_to_not_replaced() -> None:
    write_bytes("/dev/null", b"x")

    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("name", ["", "missing/out.txt"])
def test_nowhere_to_write_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadOutput, match="cannot write"):
        write_bytes(str(tmp_path / name), b"x")


@pytest.mark.parametrize(
    ("name", "message"), [("missing.txt", "no such file"), (".", "is a directory"), ("a\0b", "cannot read")]
)
def test_nothing_to_read_is_said(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_bytes(f"{tmp_path}/{name}")
