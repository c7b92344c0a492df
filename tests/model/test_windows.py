"""Where windows end depends on the text alone, and every piece is in exactly one of them."""

from hypothesis import given
from hypothesis import strategies as st

from elision.model.tokeniser import LinePieces
from elision.model.windows import windows

BORDER = 2


def lines_of(lengths: list[int]) -> list[LinePieces]:
    at, lines = 0, []
    for length in lengths:
        numbers = list(range(at, at + length))
        lines.append(LinePieces([10 + n for n in numbers], numbers, [n + 1 for n in numbers]))
        at += length
    return lines


@given(st.lists(st.integers(0, 50)), st.integers(2, 40), st.integers(2, 40))
def test_every_piece_is_in_one_window_and_no_window_is_too_long(lengths: list[int], room: int, first: int) -> None:
    found = list(windows(lines_of(lengths), room, BORDER, first))

    text = [piece for window in found for piece in window.ids if piece != BORDER]
    assert text == [10 + n for n in range(sum(lengths))]
    assert all(len(window.ids) <= (first if i == 0 else room) for i, window in enumerate(found)) or first < 2
    assert all(window.ids[-1] == BORDER for window in found)


def test_a_window_ends_at_a_line_end_where_the_next_line_would_not_fit() -> None:
    found = list(windows(lines_of([3, 3, 3]), 8, BORDER))

    assert [len(window.ids) for window in found] == [8, 4]


def test_a_line_longer_than_a_window_is_cut_inside() -> None:
    found = list(windows(lines_of([10]), 5, BORDER))

    assert [len(window.ids) for window in found] == [5, 5, 3]


def test_lines_without_pieces_leave_no_trace() -> None:
    assert list(windows(lines_of([0, 0]), 8, BORDER)) == []
