"""What is drawn is whole groups, and a pooled figure of a draw is the figure of what was drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.training.evaluation.metrics import Pool, auc
from elision.training.evaluation.resampling import draw, interval

ITEMS = st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.sampled_from("abc")), min_size=1, max_size=30)


def test_the_items_of_a_group_are_drawn_together() -> None:
    draws = draw(["a", "a", "a", "b"], draws=200)

    means = set(np.round(draws.means(np.array([0.0, 0.0, 1.0, 1.0])), 6).tolist())

    assert means <= {round(1 / 3, 6), 1.0, 0.5}  # twice a, twice b, one of each


def test_a_draw_without_the_items_has_no_mean() -> None:
    draws = draw(["a", "b"], draws=100)
    only = draws.means(np.array([0.25]), np.array([1]))

    assert np.isnan(only).any()
    assert interval(only) == (0.25, 0.25)


@given(ITEMS)
def test_the_auc_of_a_draw_is_that_of_the_items_repeated_as_drawn(items: list[tuple[int, bool, str]]) -> None:
    values, positive = np.array([float(v) for v, _, _ in items]), np.array([p for _, p, _ in items])
    draws = draw([group for _, _, group in items], draws=5)
    fast = draws.aucs(Pool(values, positive, np.arange(len(items))))

    for number, drawn in enumerate(draws.drawn):
        chosen = np.concatenate([np.flatnonzero(draws.place == group) for group in drawn])
        slow = auc(values[chosen], positive[chosen])
        assert np.isnan(fast[number]) if slow is None else fast[number] == pytest.approx(slow)


def test_the_same_seed_draws_the_same() -> None:
    one, two = draw(list("abcd"), 50, seed=3), draw(list("abcd"), 50, seed=3)

    assert (one.drawn == two.drawn).all()
