"""Offsets of the visible text lead back to the source, control codes or not."""

from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.cut import rebuild
from elision.compaction.types import Drop
from elision.compaction.visible import Visible
from elision.model.types import Span

PARTS = st.sampled_from(["a", "bc ", "\x1b[31m", "\x1b[0m", "10%\r", "\n", "é", "\r\n", "\x08"])


@given(st.lists(PARTS).map("".join), st.data())
def test_a_drop_of_the_visible_text_takes_the_same_text_from_the_source(source: str, data: st.DataObject) -> None:
    visible = Visible(source)
    if not visible.text:
        return
    start = data.draw(st.integers(0, len(visible.text) - 1))
    stop = data.draw(st.integers(start + 1, len(visible.text)))

    drops = visible.drops_in_source([Drop(Span(start, stop), "[X]", "r")])

    assert rebuild(source, drops) == visible.text[:start] + "[X]" + visible.text[stop:]


def test_a_text_without_control_codes_is_its_own() -> None:
    visible = Visible("plain\ntext")

    assert visible.text == "plain\ntext"
    assert visible.back(Span(2, 4)) == Span(2, 4)
