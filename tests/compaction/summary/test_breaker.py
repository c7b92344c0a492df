"""A writer that fails again and again is left alone for a while."""

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st
from scripted_writer import Clock

from elision.compaction.summary.breaker import Breaker


def broken(clock: Clock, times: int = 3) -> Breaker:
    breaker = Breaker(clock, failures=3, cooldown=100)
    for _ in range(times):
        breaker.failed("t", "w")
    return breaker


def test_it_opens_after_so_many_failures_in_a_row() -> None:
    assert broken(Clock(), 2).allows("t", "w") and not broken(Clock(), 3).allows("t", "w")


def test_a_success_starts_the_count_again() -> None:
    breaker = broken(Clock(), 2)
    breaker.succeeded("t", "w")
    breaker.failed("t", "w")

    assert breaker.allows("t", "w")


def test_other_tenants_and_writers_are_not_touched() -> None:
    breaker = broken(Clock())

    assert breaker.allows("other", "w") and breaker.allows("t", "other")


def test_who_is_forced_is_let_through() -> None:
    assert broken(Clock()).allows("t", "w", forced=True)


def test_after_the_cooldown_one_call_is_let_through() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now = 100

    assert breaker.allows("t", "w") and not breaker.allows("t", "w")


def test_the_one_call_decides() -> None:
    clock = Clock()
    fails, works, tells_nothing = broken(clock), broken(clock), broken(clock)
    clock.now = 100
    assert all(breaker.allows("t", "w") for breaker in (fails, works, tells_nothing))
    fails.failed("t", "w")
    works.succeeded("t", "w")
    tells_nothing.released("t", "w")

    assert not fails.allows("t", "w") and works.allows("t", "w") and tells_nothing.allows("t", "w")


def test_a_call_that_never_reports_does_not_keep_it_shut() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now = 100
    breaker.allows("t", "w")
    clock.now = 200

    assert breaker.allows("t", "w")


def test_none_failures_never_open_it() -> None:
    breaker = Breaker(Clock(), failures=0)
    for _ in range(50):
        breaker.failed("t", "w")

    assert breaker.allows("t", "w")


def test_threads_that_ask_together_get_one_call() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now = 100
    with ThreadPoolExecutor(8) as pool:
        allowed = list(pool.map(lambda _: breaker.allows("t", "w"), range(200)))

    assert sum(allowed) == 1


@given(st.lists(st.sampled_from(["fail", "work", "later"]), max_size=40))
def test_it_is_open_only_after_three_failures_in_a_row(story: list[str]) -> None:
    clock = Clock()
    breaker, row = Breaker(clock, failures=3, cooldown=10), 0
    for what in story:
        if what == "later":
            clock.now += 3
        elif breaker.allows("t", "w"):
            (breaker.failed if what == "fail" else breaker.succeeded)("t", "w")
            row = row + 1 if what == "fail" else 0
        else:
            assert row >= 3
