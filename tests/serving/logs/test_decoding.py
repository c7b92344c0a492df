"""Bytes as they come decode as those of a whole file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.serving.decode import decode
from elision.serving.logs.decoding import Decoding

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]
spelled = st.builds(lambda text, encoding: text.encode(encoding), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), st.sampled_from(ENCODINGS))
# NUL makes a file binary, which is not told here.
any_bytes = st.one_of(spelled, st.binary().map(lambda data: data.replace(b"\0", b"")))


@pytest.mark.law
@given(any_bytes, st.data())
def test_however_it_comes_it_is_the_text_of_the_whole(data: bytes, draw: st.DataObject) -> None:
    decoding, parts, left = Decoding(), [], data
    while left:
        size = draw.draw(st.integers(1, 8))
        parts.append(decoding.push(left[:size]))
        left = left[size:]
    parts.append(decoding.push(b"", final=True))
    if "\0" in "".join(parts):  # an odd UTF-16
        return
    expected = decode(data)

    assert "".join(parts) == expected.text
    assert decoding.replaced_bytes == expected.replaced_bytes


def test_a_short_first_line_does_not_wait_for_more() -> None:
    assert Decoding().push(b"\n") == "\n"
    assert Decoding().push(b"ok") == "ok"


def test_half_a_character_waits_for_the_other_half() -> None:
    decoding = Decoding()

    assert decoding.push("caf\u00e9".encode()[:-1]) == "caf"
    assert decoding.push("\u00e9".encode()[1:]) == "\u00e9"
    assert decoding.replaced_bytes == 0
