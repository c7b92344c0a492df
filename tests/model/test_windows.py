"""Where windows end depends on the text alone, and every piece is in exactly one of them."""

from hypothesis import given
from hypothesis import strategies as st

from elision.model.tokeniser import LinePieces
from elision.model.windows import plain_windows, windows

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
    assert list(plain_windows(lines_of([0, 0]), 8, BORDER)) == []


@given(st.lists(st.integers(0, 50)), st.integers(2, 40))
def test_plain_windows_hold_every_piece_once_and_one_border_each(lengths: list[int], room: int) -> None:
    found = list(plain_windows(lines_of(lengths), room, BORDER))

    assert [piece for window in found for piece in window.ids[:-1]] == [10 + n for n in range(sum(lengths))]
    assert [at for window in found for at in window.starts[:-1]] == list(range(sum(lengths)))
    assert all(2 <= len(window.ids) <= room and window.ids[-1] == BORDER for window in found)
    assert all(window.starts[-1] == window.stops[-1] == window.stops[-2] for window in found)


def test_a_plain_window_too_ends_at_a_line_end_where_it_can() -> None:
    assert [len(window.ids) for window in plain_windows(lines_of([3, 3, 3]), 8, BORDER)] == [7, 4]
    assert [len(window.ids) for window in plain_windows(lines_of([3, 3, 3]), 10, BORDER)] == [10]
    assert [len(window.ids) for window in plain_windows(lines_of([2, 10, 1]), 5, BORDER)] == [3, 5, 5, 4]
