"""What workers tell in any order comes to the runner once, and in an order that it can use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.serving.batch.engines.ray_account import Account, Ended, Failed, Heard
from elision.serving.batch.errors import WorkerDied
from elision.serving.batch.events import Kept, Read, Unread


@given(st.integers(0, 6), st.sampled_from(["", "it is damaged"]), st.data())
def test_a_source_is_told_of_once_and_after_all_its_portions(
    portions: int, reason: str, data: st.DataObject
) -> None:
    told: list[Heard] = [*(Kept(3, number + 2, 10) for number in range(portions)), Ended(3, portions, reason)]
    again = data.draw(st.lists(st.sampled_from(told)))
    heard = data.draw(st.permutations([*told, *again]))
    events = list(Account({3: frozenset({0, 1})}).events(heard))

    assert events[-1] == (Unread(3, reason) if reason else Read(3, portions + 2))
    assert sorted(event.number for event in events[:-1] if isinstance(event, Kept)) == [
        n + 2 for n in range(portions)
    ]
    assert len(events) == portions + 1


def test_what_is_missing_is_not_told_of_as_read() -> None:
    account = Account({})

    assert list(account.events([Ended(0, 2), Kept(0, 1, 10)])) == [Kept(0, 1, 10)]
    assert account.told == set()


def test_a_failure_ends_the_run_and_says_that_it_can_go_on() -> None:
    with pytest.raises(WorkerDied, match="disk full; what is done stays, --resume goes on"):
        list(Account({}).events([Failed("disk full")]))
    with pytest.raises(RuntimeError, match="Traceback"):
        list(Account({}).events([Failed("n7", "Traceback ...")]))
