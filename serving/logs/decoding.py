"""Bytes to text as they come, as `elision.serving.decode` has it for a whole file; none waits for the next.

Only what may be the beginning of a byte order mark is no text yet. A file that is read in chunks and a pipe
come alike.
"""

import codecs
import threading

from elision.serving.decode import MARKS

_COUNTING = "elision.counting_as_it_comes"


class Decoding:
    """One input on its way.

    Attributes:
        encoding: What it is read as; empty until that is known.
        replaced_bytes: Bytes so far for which U+FFFD stands.
    """

    def __init__(self) -> None:
        self.encoding = ""
        self.replaced_bytes = 0
        self._head = b""
        self._decoder: codecs.IncrementalDecoder | None = None

    def push(self, data: bytes, final: bool = False) -> str:
        """The text of the next bytes; a character of which some are missing comes with them."""
        if self._decoder is None:
            self._head += data
            if not final and any(len(self._head) < len(mark) and mark.startswith(self._head) for mark, _ in MARKS):
                return ""
            mark, self.encoding = next(((m, e) for m, e in MARKS if self._head.startswith(m)), (b"", "utf-8"))
            self._decoder = codecs.getincrementaldecoder(self.encoding)(_COUNTING)
            data, self._head = self._head[len(mark) :], b""
        _counted.bytes = 0
        text = self._decoder.decode(data, final)
        self.replaced_bytes += _counted.bytes
        return text


_counted = threading.local()  # two inputs may be read at once


def _replace(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    _counted.bytes += error.end - error.start
    return "\ufffd", error.end


codecs.register_error(_COUNTING, _replace)
