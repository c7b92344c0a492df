"""Bytes of a file to the text whose offsets a receipt speaks of.

UTF-8 unless a byte order mark says otherwise; the mark is not part of the text. What does
not decode becomes U+FFFD and is counted, so nothing is lost silently. Newlines stay as they
are. A text holding NUL is taken for a binary file.
"""

import codecs
from dataclasses import dataclass

from elision.serving.errors import BadInput

# UTF-32 first: its little-endian mark begins with the one of UTF-16.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, how it was encoded, and how many bytes of it were not valid so."""

    text: str
    encoding: str
    replaced_bytes: int


def decode(data: bytes, name: str = "the input") -> Decoded:
    """Decode a file.

    Raises:
        BadInput: If it is binary.
    """
    mark, encoding = next(((m, e) for m, e in MARKS if data.startswith(m)), (b"", "utf-8"))
    data = data[len(mark) :]
    text = data.decode(encoding, "replace")
    if "\0" in text:
        raise BadInput(f"{name} is a binary file (it holds NUL bytes)")
    # U+FFFD may also stand in the file itself, so what was dropped is counted instead.
    replaced = len(data) - len(data.decode(encoding, "ignore").encode(encoding)) if "\ufffd" in text else 0
    return Decoded(text, encoding, replaced)
