"""Whatever a file holds, its text has honest offsets or there is a reason."""

import pytest

from elision.serving.decode import Decoded, decode
from elision.serving.errors import BadInput


def test_newlines_are_left_as_they_are() -> None:
    assert decode(b"a\r\nb\rc\n\n") == Decoded("a\r\nb\rc\n\n", "utf-8", 0)


def test_nothing_is_an_empty_text() -> None:
    assert decode(b"") == Decoded("", "utf-8", 0)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_names_the_encoding_and_is_not_text(encoding: str) -> None:
    decoded = decode("naïve 👍\r\n".encode(encoding))

    assert decoded.text == "naïve 👍\r\n"
    assert decoded.replaced_bytes == 0


def test_big_endian_is_known_by_its_mark() -> None:
    assert decode(b"\xfe\xff\x00a\x00b").text == "ab"
    assert decode(b"\x00\x00\xfe\xff\x00\x00\x00a").text == "a"


def test_bytes_that_are_not_utf8_are_replaced_and_counted() -> None:
    assert decode(b"caf\xe9 \xff\xfe!") == Decoded("caf\ufffd \ufffd\ufffd!", "utf-8", 3)


def test_a_replacement_character_that_stood_there_is_not_counted() -> None:
    assert decode("a\ufffdb".encode()) == Decoded("a\ufffdb", "utf-8", 0)


def test_half_a_utf16_unit_is_counted() -> None:
    assert decode(b"\xff\xfea\x00b") == Decoded("a\ufffd", "utf-16-le", 1)


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x01\x01\x00\x00", b"text\x00", "no mark".encode("utf-16-le")])
def test_a_binary_file_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(BadInput, match="a.out is a binary file"):
        decode(data, "a.out")
