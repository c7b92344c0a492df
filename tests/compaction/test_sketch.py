"""A long text is scored by a part of it: bounded, the same each time, and a short one as ever."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.guard.segment import segment
from elision.compaction.pins.text import find_pins
from elision.compaction.sketch import SCORED, score
from elision.compaction.values import Values
from elision.model.types import Scores, Span, nothing

ALIKE = [f"2024-05-03 10:11:{n % 60:02} INFO request {n} took {n * 7} ms\n" for n in range(2000)]
WORDS = "amber birch cedar delta ember fjord grove heath inlet jetty knoll lagoon marsh nadir".split()
UNLIKE = [
    f"2024-05-03 10:11:12 INFO {WORDS[n % 14]} {WORDS[n // 14 % 14]} {WORDS[n // 196 % 14]} met\n" for n in range(2744)
]


@dataclass
class Seeing(HashScorer):
    """Remembers what it was shown."""

    shown: list[str] = field(default_factory=list)

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        self.shown.append(text)
        return super().score(text, query, tick)


def scored(text: str, query: str = "") -> tuple[Scores, str]:
    """The scores, and the text that was scored for them."""
    scorer, read = Seeing(), segment(text)
    pins = find_pins(text, read.lines, read.kinds)
    scores = score(text, read, pins, scorer=scorer, query=query, tick=nothing)
    return scores, scorer.shown[0]


def same(one: Scores, other: Scores) -> bool:
    return all(np.array_equal(a, b) for a, b in ((one.starts, other.starts), (one.stops, other.stops), (one.values, other.values)))


def test_a_text_within_the_limit_is_scored_as_it_stands() -> None:
    text = "".join(ALIKE)[:SCORED]
    scores, shown = scored(text)

    assert shown == text
    assert same(scores, HashScorer().score(text))


@pytest.mark.parametrize("rows", [ALIKE, UNLIKE, ["words without any end " * 9000], ["f(a);" * 20000], [" \n"] * 25000])
def test_a_long_text_is_never_scored_beyond_the_limit(rows: list[str]) -> None:
    text = "".join(rows)
    scores, shown = scored(text)

    assert len(shown) <= 1.01 * SCORED
    assert same(scores, scored(text)[0])
    assert (np.diff(scores.starts) >= 0).all() and (scores.stops[:-1] <= scores.starts[1:]).all()


def test_what_is_scored_has_the_scores_it_has_in_the_whole_text() -> None:
    text = "".join(UNLIKE)
    scores, _ = scored(text)
    whole = HashScorer().score(text)
    at = np.searchsorted(whole.starts, scores.starts)
    pieces = whole.stops[at] == scores.stops

    assert pieces.sum() > 5000
    assert np.array_equal(whole.values[at][pieces], scores.values[pieces])


def test_a_row_unlike_the_others_is_scored_and_so_is_one_that_the_query_names() -> None:
    odd, asked = "2024-05-03 10:11:12 WARN disk almost full\n", "2024-05-03 10:11:12 INFO request of fetchLedger 1 took 7 ms\n"
    _, shown = scored("".join([*ALIKE[:900], odd, asked, *ALIKE[900:]]), "who calls fetchLedger")

    assert odd in shown and asked in shown


@pytest.mark.parametrize("times", [2, 10])
def test_what_is_said_again_and_again_costs_no_more_however_often(times: int) -> None:
    """A text of a megabyte that has one thing to say took as long as one of forty thousand things."""
    once, often = (len(scored("".join(ALIKE) * n)[1]) for n in (1, times))

    assert once < SCORED / 3
    assert abs(often - once) < 500


def test_beginning_end_and_what_is_next_to_a_pin_are_scored() -> None:
    error = "2024-05-03 10:11:12 ERROR it broke\n"
    _, shown = scored("".join([*UNLIKE[:1300], error, *UNLIKE[1300:]]))

    assert shown.startswith("".join(UNLIKE[:20])) and shown.endswith("".join(UNLIKE[-40:]))
    assert UNLIKE[1299] + error + UNLIKE[1300] in shown


def test_rows_alike_are_worth_the_same() -> None:
    text = "".join([*UNLIKE[:2000], *ALIKE])
    scores, shown = scored(text)
    rows = [row for row in ALIKE[100:-200] if row not in shown]
    values = Values(scores).of([Span(text.index(row), text.index(row) + len(row)) for row in rows])

    assert len(rows) > 500
    assert len(set(values.tolist())) == 1 and values[0] > 0


@settings(max_examples=10)
@given(st.lists(st.sampled_from([UNLIKE[5] * 30, ALIKE[3] * 300, "f(a);" * 3000, "a b. " * 2000, "\n" * 3000, "不要。" * 5000, "|a|b|\n" * 2000]), max_size=4))
def test_any_mixture_stays_within_the_limit(parts: list[str]) -> None:
    text = "".join(parts)
    scores, shown = scored(text)

    assert len(shown) <= 1.01 * SCORED
    assert not len(scores.stops) or scores.stops.max() <= len(text)
