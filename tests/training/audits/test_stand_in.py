"""The stand-in must be as strict as a model: the same each time, and changed by the query."""

import numpy as np

from elision.training.audits.stand_in import StandIn


def test_values_are_the_same_each_time_and_change_with_the_query() -> None:
    one, again, other = (StandIn().score("worker 12 failed", query) for query in ("q", "q", "p"))

    assert np.array_equal(one.values, again.values)
    assert not np.array_equal(one.values, other.values)
    assert ((one.values >= 0) & (one.values <= 1)).all()


def test_a_piece_is_worth_the_same_wherever_it_stands() -> None:
    alone, among = StandIn().score("failed"), StandIn().score("worker failed")

    assert alone.values[-1] == among.values[-1]
