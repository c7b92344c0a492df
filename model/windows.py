"""Cut a text's pieces into the windows the model sees, by the text alone.

A window is ``<s> query </s> </s> line </s> line </s> ...``. Room for the query is always set aside
in full, so where a window ends never depends on the query, on the batch or on other texts, and the
same text always falls into the same windows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from elision.model.tokeniser import LinePieces, PieceTokeniser

QUERY_PIECES = 48  # pieces of a query that are read


@dataclass(slots=True)
class Window:
    """Text pieces of one window, borders included, without the query.

    Attributes:
        ids: Piece ids; a border piece ends each line.
        starts: First character of each piece in the text; for a border where the line's pieces end.
        stops: One past the last character; equal to the start for a border.
    """

    ids: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)


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
            _append(window, line, at, at + take, border)
            left -= take + 1
            at += take
    if window.ids:
        yield window


def _append(window: Window, line: LinePieces, start: int, stop: int, border: int) -> None:
    end = line.stops[stop - 1]
    window.ids += [*line.ids[start:stop], border]
    window.starts += [*line.starts[start:stop], end]
    window.stops += [*line.stops[start:stop], end]
