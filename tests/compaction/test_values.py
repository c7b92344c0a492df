"""Values of stretches are means over the pieces that touch them; the ends of a text count for more."""

import numpy as np

from elision.compaction.coverage import PassageWords, Said
from elision.compaction.values import AT_THE_ENDS, Values, with_ends
from elision.model.types import Scores, Span

SCORES = Scores(np.array([0, 3, 6]), np.array([3, 6, 9]), np.array([0.2, 0.4, 0.9], np.float32))


def test_a_stretch_is_worth_the_mean_of_the_pieces_that_touch_it() -> None:
    found = Values(SCORES).of([Span(0, 6), Span(4, 7), Span(0, 9), Span(9, 12), Span(3, 3)])

    assert np.allclose(found, [0.3, 0.65, 0.5, 0.0, 0.0])


def test_no_pieces_mean_no_value() -> None:
    empty = Scores(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))

    assert Values(empty).of([Span(0, 5)]).tolist() == [0.0]


def test_both_ends_of_a_long_text_gain_and_its_middle_does_not() -> None:
    raised = with_ends(np.zeros(1001, np.float32), np.full(1001, 10))

    assert np.allclose(raised[[0, -1]], AT_THE_ENDS, atol=0.01)
    assert raised[500] < 0.001
    assert np.allclose(raised, raised[::-1])


def test_words_are_covered_once_they_stay() -> None:
    text = "alpha beta; alpha gamma; if x"
    said = Said(PassageWords(text, [Span(0, 11), Span(11, 24), Span(24, 29)]))

    before = said.share(1)
    said.add(0)

    assert (before, said.share(1), said.share(2)) == (0.0, 0.5, 0.0)
