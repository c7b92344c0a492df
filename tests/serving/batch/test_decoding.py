"""Text decoded as it comes is the text decoded at once."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.serving.batch.decoding import Decoder
from elision.serving.decode import MARKS, decode

SOME = st.one_of(st.binary(max_size=60), st.text(max_size=30).map(lambda text: text.encode("utf-8", "replace")))
MARK = st.sampled_from([b"", *(mark for mark, _ in MARKS)])


@pytest.mark.law
@given(mark=MARK, data=SOME, sizes=st.lists(st.integers(1, 7), min_size=1))
def test_chunks_make_the_text_and_the_count_of_the_whole(mark: bytes, data: bytes, sizes: list[int]) -> None:
    whole = mark + data.replace(b"\0", b"")
    try:
        expected = decode(whole)
    except Exception:  # NUL in UTF-16: a binary file, which is sorted out before
        return
    chunks: list[bytes] = []
    at = 0
    while at < len(whole):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(whole[at : at + size])
        at += size
    decoder = Decoder()

    assert "".join(decoder.decode(chunks)) == expected.text
    assert decoder.replaced_bytes == expected.replaced_bytes


def test_a_character_across_chunks_is_one() -> None:
    data = "aä\U0001f600".encode()

    assert "".join(Decoder().decode(bytes([byte]) for byte in data)) == "aä\U0001f600"


def test_a_mark_is_no_text() -> None:
    assert "".join(Decoder().decode([codecs.BOM_UTF16_LE + "ok".encode("utf-16-le")])) == "ok"
    assert "".join(Decoder().decode([])) == ""
