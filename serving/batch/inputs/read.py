"""Read a source into portions, in order, with bounded memory whatever the file holds.

Where a portion ends depends on the text alone, so that a resumed run cuts at the same places. A log is cut
between records, JSON lines between lines. A line of a log that is longer than a portion is cut as well,
and each part counts as a line; a JSON line of more than `LONGEST_RECORD` characters is set aside.
"""

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

from elision.compaction.logs.window import border
from elision.serving.batch.errors import Unreadable
from elision.serving.batch.forms.tables import read_table
from elision.serving.batch.inputs.packing import unpacked
from elision.serving.batch.inputs.selecting import selected
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import Form, Portion, SetAside, Source
from elision.serving.logs.decoding import Decoding

LONGEST_RECORD = 1 << 24  # characters; what is read of a value takes some thirty times as much memory
JSON_SHARE = 8  # of a log's portion: records are scored far more often than lines of a log are
_LOOK = 256  # characters after a border by which the next record is judged
_SHOWN = 1000  # characters of a record that is too long
_WORD = 1000  # characters before a cut within a line in which a space is looked for


def read(source: Source, settings: BatchSettings, done: Container[int] = ()) -> Iterator[Portion]:
    """The portions of a source, but for those that are done.

    Raises:
        Unreadable: If the file is damaged or cannot be read; portions before that were given.
        NoColumn: If a table has no such column.
    """
    try:
        with source.path.open("rb") as file:
            for portion in _sized(file, _portions(source, settings, file)):
                if portion.number not in done:
                    yield portion
    except OSError as error:
        raise Unreadable(f"it cannot be read: {error.strerror or error}") from None


def _sized(file: BinaryIO, portions: Iterator[Portion]) -> Iterator[Portion]:
    """With the bytes that were read for each."""
    before = 0
    for portion in portions:
        here = file.tell()
        yield replace(portion, size=portion.size or here - before)
        before = here


def _portions(source: Source, settings: BatchSettings, file: BinaryIO) -> Iterator[Portion]:
    if source.form is Form.TABLE:
        return read_table(source, settings, file)
    decoding = Decoding()
    buffer = _Buffer(_decoded(unpacked(file, source.packing), decoding))
    if source.document:
        found = _document(buffer)
    elif source.form is Form.LOG:
        found = _log(buffer, settings.portion_chars)
    else:
        found = _json_lines(buffer, max(1, settings.portion_chars // JSON_SHARE))
    portions = _numbered(source, decoding, found)
    if settings.selection is not None and source.form is Form.LOG:
        return selected(portions, settings.selection.spelled_out())
    return portions


def _decoded(chunks: Iterable[bytes], decoding: Decoding) -> Iterator[str]:
    for chunk in chunks:
        yield decoding.push(chunk)
    yield decoding.push(b"", final=True)


def _numbered(
    source: Source, decoding: Decoding, found: Iterator[tuple[str, tuple[SetAside, ...], int]]
) -> Iterator[Portion]:
    line, replaced = 1, 0
    for number, (text, set_aside, lines) in enumerate(found):
        # What did not decode is counted where it was read, a little ahead of the text itself.
        yield Portion(
            source.index,
            number,
            line,
            text,
            source.form,
            source.document,
            set_aside=tuple(replace(one, line=line + one.line) for one in set_aside),
            replaced_bytes=decoding.replaced_bytes - replaced,
        )
        line, replaced = line + lines, decoding.replaced_bytes


class _Buffer:
    """Text that was read and not yet handed on."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces, self.text, self.ended = pieces, "", False

    def fill(self, size: int) -> None:
        """Read until there are more than ``size`` characters, or all."""
        held, length = [self.text], len(self.text)
        while length <= size and not self.ended:
            piece = next(self._pieces, None)
            if piece is None:
                self.ended = True
            else:
                held.append(piece)
                length += len(piece)
        self.text = "".join(held)

    def take(self, size: int) -> str:
        taken, self.text = self.text[:size], self.text[size:]
        return taken


def _log(buffer: _Buffer, size: int) -> Iterator[tuple[str, tuple[SetAside, ...], int]]:
    while True:
        buffer.fill(size + _LOOK)
        if not buffer.text:
            return
        text = buffer.take(_log_border(buffer.text, size))
        yield text, (), text.count("\n")


def _log_border(text: str, size: int) -> int:
    if len(text) <= size:
        return len(text)
    stop = border(text[: size + _LOOK], 0, size)
    if text[stop - 1] == "\n":
        return stop
    return (text.rfind(" ", max(0, stop - _WORD), stop) + 1) or stop


def _json_lines(buffer: _Buffer, size: int) -> Iterator[tuple[str, tuple[SetAside, ...], int]]:
    while True:
        buffer.fill(size)
        if not buffer.text:
            return
        stop = len(buffer.text) if len(buffer.text) <= size else buffer.text.rfind("\n", 0, size) + 1
        if stop:
            text = buffer.take(stop)
            yield text, (), text.count("\n")
            continue
        buffer.fill(LONGEST_RECORD)
        stop = buffer.text.find("\n", 0, LONGEST_RECORD) + 1
        if stop or len(buffer.text) <= LONGEST_RECORD:
            yield buffer.take(stop or len(buffer.text)), (), 1
        else:
            yield "", (_too_long(buffer),), 1


def _too_long(buffer: _Buffer) -> SetAside:
    """Skip a line that cannot be held."""
    shown = buffer.text[:_SHOWN]
    while not buffer.ended and "\n" not in buffer.text:
        buffer.text = ""
        buffer.fill(1)
    end = buffer.text.find("\n") + 1
    buffer.take(end or len(buffer.text))
    return SetAside(0, f"the line has more than {LONGEST_RECORD:,} characters", shown)


def _document(buffer: _Buffer) -> Iterator[tuple[str, tuple[SetAside, ...], int]]:
    buffer.fill(LONGEST_RECORD)
    if len(buffer.text) > LONGEST_RECORD:
        raise Unreadable(
            f"it is one JSON value of more than {LONGEST_RECORD:,} characters; write it as JSON lines"
        )
    yield buffer.text, (), buffer.text.count("\n")
