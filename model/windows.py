"""Cut a text's pieces into the windows the model sees, by the text alone.

Our own scorers read `LINES`: a window is ``<s> query </s> </s> line </s> line </s> ...``. Room for the
query is always set aside in full, so where a window ends never depends on the query, on the batch or
on other texts, and the same text always falls into the same windows.

Checkpoints made elsewhere were mostly trained on a `PLAIN` run of text and are to read just that:
``<s> text </s>``, without a query and with nothing between lines. Which of the two a bundle reads
stands in its manifest.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from elision.model.tokeniser import LinePieces, PieceTokeniser

QUERY_PIECES = 48  # pieces of a query that are read
LINES, PLAIN = INPUTS = ("lines", "plain")  # as manifests name them


@dataclass(slots=True)
class Window:
    """Text pieces of one window, borders included, without what comes before them.

    Attributes:
        ids: Piece ids; a border piece ends each line, or in plain input the window.
        starts: First character of each piece in the text; for a border where the line's pieces end.
        stops: One past the last character; equal to the start for a border.
    """

    ids: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)


class Input(Protocol):
    """How a scorer is fed: where its windows end, and what it reads of each."""

    def windows(self, lines: Iterable[LinePieces]) -> Iterator[Window]:
        """The windows of a text, by its lines alone; every piece is in exactly one."""

    def ids(self, query: list[int], window: Window) -> list[int]:
        """The ids the model reads; the text's own pieces are the last ``len(window.ids)``."""


def input_of(name: str, tokeniser: PieceTokeniser, window_pieces: int) -> Input:
    """The input that a manifest names, one of `INPUTS`, in windows of at most ``window_pieces``."""
    return PlainInput(tokeniser, window_pieces) if name == PLAIN else LinesInput(tokeniser, window_pieces)


@dataclass(frozen=True, slots=True)
class LinesInput:
    """The query, then lines with borders between: what our own scorers are trained on."""

    tokeniser: PieceTokeniser
    window_pieces: int

    def windows(self, lines: Iterable[LinePieces]) -> Iterator[Window]:
        """See `Input`."""
        return windows(lines, capacity(self.window_pieces), self.tokeniser.eos)

    def ids(self, query: list[int], window: Window) -> list[int]:
        """See `Input`."""
        return with_query(query, window, self.tokeniser)


@dataclass(frozen=True, slots=True)
class PlainInput:
    """The text alone between the first and the last piece; no query is read."""

    tokeniser: PieceTokeniser
    window_pieces: int

    def windows(self, lines: Iterable[LinePieces]) -> Iterator[Window]:
        """See `Input`."""
        return plain_windows(lines, self.window_pieces - 1, self.tokeniser.eos)

    def ids(self, query: list[int], window: Window) -> list[int]:
        """See `Input`."""
        return [self.tokeniser.bos, *window.ids]


def capacity(window_pieces: int) -> int:
    """Text pieces, borders included, that a window of ``window_pieces`` has room for."""
    return window_pieces - QUERY_PIECES - 3


def with_query(query: list[int], window: Window, tokeniser: PieceTokeniser) -> list[int]:
    """The ids the model reads; the text's own pieces are the last ``len(window.ids)``."""
    return [tokeniser.bos, *query, tokeniser.eos, tokeniser.eos, *window.ids]


def windows(lines: Iterable[LinePieces], room: int, border: int, first_room: int | None = None) -> Iterator[Window]:
    """Pack lines into windows of at most ``room`` pieces, cutting at line ends.

    Only a line longer than a whole window is cut inside. Lines without pieces are passed over.

    Args:
        lines: The text's lines in order.
        room: Text pieces a window holds, borders included; at least 2.
        border: Id of the piece put after each line.
        first_room: Room of the first window where it differs (training moves the cuts about).
    """
    window, left = Window(), first_room or room
    for line in lines:
        at, count = 0, len(line.ids)
        while at < count:
            if window.ids and count - at + 1 > left:
                yield window
                window, left = Window(), room
            take = min(count - at, left - 1)
            _append(window, line, at, at + take)
            _close(window, border)
            left -= take + 1
            at += take
    if window.ids:
        yield window


def plain_windows(lines: Iterable[LinePieces], room: int, last: int) -> Iterator[Window]:
    """Pack lines into windows of at most ``room`` pieces, cutting at line ends, with nothing between lines.

    Only a line longer than a whole window is cut inside. Lines without pieces are passed over.

    Args:
        lines: The text's lines in order.
        room: Pieces a window holds, the last one included; at least 2.
        last: Id of the piece that ends each window.
    """
    window = Window()
    for line in lines:
        at, count = 0, len(line.ids)
        while at < count:
            if window.ids and len(window.ids) + count - at >= room:
                _close(window, last)
                yield window
                window = Window()
            stop = min(count, at + room - 1 - len(window.ids))
            _append(window, line, at, stop)
            at = stop
    if window.ids:
        _close(window, last)
        yield window


def _append(window: Window, line: LinePieces, start: int, stop: int) -> None:
    window.ids += line.ids[start:stop]
    window.starts += line.starts[start:stop]
    window.stops += line.stops[start:stop]


def _close(window: Window, border: int) -> None:
    """Put a border behind the last piece; it has no characters."""
    window.ids.append(border)
    window.starts.append(window.stops[-1])
    window.stops.append(window.stops[-1])
