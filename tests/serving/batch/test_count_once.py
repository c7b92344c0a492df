"""A text that was counted just now is not counted again."""

from batches import log_text

from elision.compaction.tokens import counter
from elision.model.types import IntArray
from elision.serving.batch.count_once import CountOnce


class Telling:
    """A counter that tells what it was asked."""

    encoding, exact = "words", False

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        self.asked.append(text)
        return len(text.split())

    def prefix(self, text: str) -> IntArray:
        return counter().prefix(text)


def test_each_text_is_counted_once_and_counts_are_those_of_the_counter() -> None:
    telling = Telling()
    once = CountOnce(telling)
    found = [once.count(text) for text in ("a b", "c", "a b", "c", "a b")]

    assert found == [2, 1, 2, 1, 2]
    assert telling.asked == ["a b", "c"]
    assert (once.encoding, once.exact) == ("words", False)


def test_what_a_stretch_costs_is_as_before() -> None:
    text = log_text(5)

    assert (CountOnce(counter()).prefix(text) == counter().prefix(text)).all()
    assert CountOnce(counter()).count(text) == counter().count(text)
