"""Files are unpacked as they are read, and packed to the same bytes each time."""

import gzip
import io
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from elision.serving.batch.errors import Unreadable
from elision.serving.batch.inputs.packing import head_of, packed, packing_of, unpacked
from elision.serving.batch.types import Packing


def pack(data: bytes, packing: Packing) -> bytes:
    file = io.BytesIO()
    writer = packed(file, packing, len(data))
    writer.write(data)
    writer.close()
    return file.getvalue()


def unpack(data: bytes, packing: Packing) -> bytes:
    return b"".join(unpacked(io.BytesIO(data), packing))


@pytest.mark.law
@given(data=st.binary(max_size=3000), packing=st.sampled_from(Packing))
def test_what_is_packed_comes_back_and_always_packs_alike(data: bytes, packing: Packing) -> None:
    assert unpack(pack(data, packing), packing) == data
    assert pack(data, packing) == pack(data, packing)


@pytest.mark.parametrize("packing", [Packing.GZ, Packing.ZST])
def test_how_a_file_is_packed_is_told_from_its_bytes(packing: Packing) -> None:
    assert packing_of(pack(b"text", packing)) is packing
    assert packing_of(b"text") is Packing.PLAIN
    assert packing_of(b"") is Packing.PLAIN


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_several_packed_files_in_a_row_are_one(compress: object) -> None:
    packing = packing_of(compress(b"a"))  # type: ignore[operator]
    data = compress(b"one\n" * 5000) + compress(b"two\n")  # type: ignore[operator]

    assert unpack(data, packing) == b"one\n" * 5000 + b"two\n"


@pytest.mark.parametrize("packing", [Packing.GZ, Packing.ZST])
def test_a_file_that_ends_too_early_is_damaged(packing: Packing) -> None:
    data = pack(bytes(range(256)) * 100, packing)

    for stop in (len(data) // 2, len(data) - 1):
        with pytest.raises(Unreadable, match="file is damaged"):
            unpack(data[:stop], packing)


@pytest.mark.parametrize("packing", [Packing.GZ, Packing.ZST])
def test_bytes_that_are_none_of_the_packing_are_damage(packing: Packing) -> None:
    data = bytearray(pack(b"some text that is long enough" * 50, packing))
    data[len(data) // 2] ^= 0xFF

    with pytest.raises(Unreadable, match="file is damaged"):
        unpack(bytes(data), packing)


def test_a_bomb_is_unpacked_in_chunks() -> None:
    bomb = zstandard.compress(b"\0" * (200 << 20))

    assert max(map(len, unpacked(io.BytesIO(bomb), Packing.ZST))) <= 64 << 20


def test_the_head_of_a_damaged_file_is_what_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"line\n" * 100_000)[:-20])

    assert head_of(path, Packing.GZ, 10) == b"line\nline\n"
