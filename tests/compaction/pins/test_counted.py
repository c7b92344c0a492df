"""What did not fit into a block of pins is counted, and comes back however often the block is written anew."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.pins.counted import counted_line, counts_of
from elision.compaction.pins.render import render
from elision.compaction.pins.reread import counted, reread
from elision.compaction.pins.types import HistoryPin, PinKind
from elision.compaction.store import handle_of
from elision.compaction.tokens import counter

KINDS = [
    PinKind.FILE,
    PinKind.ERROR,
    PinKind.FIGURE,
    PinKind.DECISION,
    PinKind.IDENTIFIER,
    PinKind.CONSTRAINT,
]


class Kept(dict[str, str]):
    """Texts by their handles."""

    def keep(self, text: str) -> str:
        handle = handle_of(text)
        self[handle] = text
        return handle

    def everything(self, text: str) -> str:
        """A text with all that its handles lead to."""
        return text + "".join(self.everything(self[handle]) for handle in self if handle in text)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=6), st.integers(150, 400))
def test_every_file_is_in_the_block_or_behind_its_line_and_counted(rounds: list[int], room: int) -> None:
    kept, block, seen = Kept(), "", 0
    for at, many in enumerate(rounds):
        fresh = [
            HistoryPin(PinKind.FILE, f"src/part_{at}/file_{n}.py", f"[{at}]", at, "read") for n in range(many)
        ]
        seen += many
        earlier = [line] if (line := counted(block)) else []
        made = render([*reread(block), *fresh], room, counter(), kept.keep, earlier=earlier)
        block = made.text
        assert made.dropped == seen - len(made.kept)

    found = kept.everything(block)
    assert all(f"src/part_{at}/file_{n}.py" in found for at, many in enumerate(rounds) for n in range(many))


@given(
    st.dictionaries(st.sampled_from(KINDS), st.integers(1, 10_000)),
    st.dictionaries(st.sampled_from(KINDS), st.integers(1, 10_000), min_size=1),
)
def test_counts_are_read_back_and_add_up(now: dict[PinKind, int], before: dict[PinKind, int]) -> None:
    earlier = counted_line(before, ["a"], [], Kept().keep)

    assert counts_of(earlier) == Counter(before)
    assert counts_of(counted_line(now, ["b"], [earlier], Kept().keep)) == Counter(now) + Counter(before)


def test_an_earlier_line_stays_as_it_is_where_nothing_is_added() -> None:
    line = counted_line({PinKind.FILE: 3}, ['- [1] read: "a"'], [], Kept().keep)

    assert counted_line({}, [], [line], Kept().keep) == line and counted_line({}, [], [], Kept().keep) == ""


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[…3 older files: abc]",
        "[…3 lines: " + "0" * 24 + "]",
        "3 older files",
        "[…3 older files: " + "0" * 24 + "] x",
    ],
)
def test_what_is_no_counted_line_counts_nothing(line: str) -> None:
    assert not counts_of(line)
