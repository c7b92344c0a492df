"""Bytes to text as they come, as `elision.serving.decode` has it for a whole file; memory stays bounded."""

import codecs
import threading
from collections.abc import Iterable, Iterator

from elision.serving.decode import MARKS

_COUNTING = "elision.counting"
_LONGEST_MARK = 4
_replaced = threading.local()


class Decoder:
    """Decodes one file.

    Attributes:
        replaced_bytes: Bytes so far for which U+FFFD stands.
    """

    def __init__(self) -> None:
        self.replaced_bytes = 0

    def decode(self, chunks: Iterable[bytes]) -> Iterator[str]:
        """The text of the chunks of a file, piece by piece."""
        chunks = iter(chunks)
        head = b""
        for chunk in chunks:
            head += chunk
            if len(head) >= _LONGEST_MARK:
                break
        mark, encoding = next(((m, e) for m, e in MARKS if head.startswith(m)), (b"", "utf-8"))
        decoder = codecs.getincrementaldecoder(encoding)(_COUNTING)
        yield self._step(decoder, head[len(mark) :])
        for chunk in chunks:
            yield self._step(decoder, chunk)
        yield self._step(decoder, b"", final=True)

    def _step(self, decoder: codecs.IncrementalDecoder, data: bytes, final: bool = False) -> str:
        _replaced.bytes = 0
        text = decoder.decode(data, final)
        self.replaced_bytes += _replaced.bytes
        return text


def _replace(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    _replaced.bytes += error.end - error.start
    return "\ufffd", error.end


codecs.register_error(_COUNTING, _replace)
