from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.prices.bills import CacheBill, CallBill, Loss, cache_bill, call_bill, loss_bill
from elision.compaction.prices.price import Cliff, Price, Tier, cost
from elision.compaction.prices.situation import Situation

R = 100_000


def price(read: float, write: float, **others: object) -> Price:
    """A model of 5 and 25 dollars with one lifetime of five minutes."""
    plain = Price("model", 5.0, 25.0, (Tier(300, write),), read)
    return replace(plain, **others)  # type: ignore[arg-type]


def warm(read: float = 0.1, write: float = 1.25, **others: object) -> Situation:
    """All that was ever sent is in the cache."""
    return Situation(price(read, write, **others))


def edit(situation: Situation, removed: int, kept: int, prefix: int = 0, **others: float) -> CacheBill:
    """Take ``removed`` tokens out behind a prefix and in front of ``kept`` ones."""
    after = prefix + kept
    return cache_bill(situation, after + removed, after, prefix, **others)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("read", "write", "quarter", "same", "double"),
    [
        (0.50, 1.0, 0.25, 1, 2),
        (0.25, 1.0, 0.75, 3, 6),
        (0.10, 1.0, 2.25, 9, 18),
        (0.10, 1.25, 2.875, 11.5, 23),
        (0.10, 2.0, 4.75, 19, 38),
        (0.05, 1.25, 6, 24, 48),
        (0.05, 2.5, 12.25, 49, 98),
        (0.025, 1.25, 12.25, 49, 98),
        (0.02, 1.0, 12.25, 49, 98),
    ],
)
@pytest.mark.parametrize("prefix", [0, 7_000])
def test_an_edit_of_a_warm_cache_pays_after_as_many_turns_as_the_table_says(
    read: float, write: float, quarter: float, same: float, double: float, prefix: int
) -> None:
    found = [edit(warm(read, write), R, kept, prefix).break_even_turns for kept in (R // 4, R, 2 * R)]

    assert found == pytest.approx([quarter, same, double])


@pytest.mark.parametrize(
    ("read", "write", "turns"), [(0.1, 1.25, 4.4), (0.05, 1.25, 7.9), (0.025, 1.25, 14.8)]
)
def test_a_whole_history_summarised_by_its_reader_pays_as_worked_out(
    read: float, write: float, turns: float
) -> None:
    situation = warm(read, write)
    call = call_bill(situation.reader, 150_000, 3_000, cached_tokens=150_000)
    bill = cache_bill(situation, 150_000, 23_000, 0, call_dollars=call.dollars)

    assert (bill.saved, bill.rewritten) == (127_000, 23_000)
    assert round(bill.break_even_turns or 0, 1) == turns


def test_with_a_cold_cache_an_edit_saves_at_once() -> None:
    situation = replace(warm(), idle_seconds=301)
    bill = edit(situation, R, R)

    assert bill.cold
    assert bill.break_even_turns == 0
    assert bill.dollars_now == pytest.approx(-1.25 * R * 5e-6)
    assert bill.dollars_per_turn == pytest.approx(0.1 * R * 5e-6)


def test_with_a_cold_cache_only_the_summary_has_to_be_paid() -> None:
    situation = replace(warm(), cached_tokens=0)
    bill = edit(situation, R, R, call_dollars=1.25 * R * 5e-6 + 3 * 0.1 * R * 5e-6)

    assert bill.break_even_turns == pytest.approx(3)


def test_what_was_never_sent_is_shortened_for_nothing() -> None:
    bill = cache_bill(warm(), 60_000, 40_000, 30_000, newest=30_000)

    assert not bill.cold
    assert (bill.warm, bill.lost) == (30_000, 0)
    assert bill.break_even_turns == 0
    assert bill.dollars_now == pytest.approx(-1.25 * 20_000 * 5e-6)


def test_an_edit_behind_the_last_cache_mark_loses_nothing() -> None:
    situation = replace(warm(), cached_tokens=50_000)

    assert edit(situation, R, R, prefix=50_000).lost == 0
    assert edit(situation, R, R, prefix=49_000).lost == 1_000


@pytest.mark.parametrize(
    ("clock", "idle", "answer", "cold"),
    [
        ("response", None, 0, False),
        ("response", 300, 900, False),
        ("response", 301, 0, True),
        ("request", 200, 100, False),
        ("request", 200, 101, True),
    ],
)
def test_a_cache_is_cold_when_its_lifetime_is_over(
    clock: str, idle: float | None, answer: float, cold: bool
) -> None:
    situation = replace(warm(clock=clock), idle_seconds=idle, answer_seconds=answer)

    assert edit(situation, R, R).cold is cold


def test_a_longer_lifetime_keeps_a_cache_warm_and_is_dearer_to_write() -> None:
    tiers = (Tier(300, 1.25), Tier(3600, 2.0))
    situation = replace(warm(tiers=tiers), idle_seconds=1_000, ttl=3600)
    bill = edit(situation, R, R)

    assert not bill.cold
    assert bill.break_even_turns == pytest.approx(19)


def test_requests_that_carry_no_marks_where_marks_are_wanted_are_not_cached() -> None:
    bill = edit(replace(warm(), caching=False), R, R)

    assert bill.cold
    assert bill.dollars_now == pytest.approx(-R * 5e-6)
    assert bill.dollars_per_turn == pytest.approx(R * 5e-6)


def test_a_request_made_too_short_to_be_cached_may_cost_more_than_the_long_one() -> None:
    bill = cache_bill(warm(minimum=4096), 10_000, 4_000, 3_000)

    assert bill.uncached
    assert bill.warm == 0
    assert bill.dollars_uncached == pytest.approx(0.9 * 4_000 * 5e-6)
    assert bill.dollars_per_turn < 0
    assert bill.break_even_turns is None


def test_a_request_that_never_was_cached_is_not_made_worse_by_being_short() -> None:
    bill = cache_bill(warm(minimum=4096), 4_000, 2_000, 1_000)

    assert not bill.uncached
    assert bill.break_even_turns == 0


def test_a_beginning_too_short_to_be_cached_is_sent_anew() -> None:
    assert edit(warm(minimum=4096), R, R, prefix=4_000).warm == 0
    assert edit(warm(minimum=4096), R, R, prefix=5_000).warm == 5_000


def test_coming_back_under_a_cliff_saves_on_every_token() -> None:
    cliffs = (Cliff(100_000, 5, 5),)
    dear, plain = edit(warm(cliffs=cliffs), 30_000, 90_000), edit(warm(), 30_000, 90_000)

    assert dear.cliffs == cliffs
    assert dear.dollars_per_turn == pytest.approx(0.1 * (5 * 120_000 - 90_000) * 5e-6)
    assert (dear.break_even_turns or 0) < (plain.break_even_turns or 0) / 4


def test_above_a_cliff_before_and_after_nothing_is_crossed() -> None:
    bill = edit(warm(cliffs=(Cliff(10_000, 2, 2),)), R, R)

    assert bill.cliffs == ()
    assert bill.break_even_turns == pytest.approx(11.5)


def test_under_a_cliff_what_the_reader_writes_is_cheaper_too() -> None:
    situation = replace(warm(cliffs=(Cliff(100_000, 1, 2),)), output_tokens=1_000)

    saved = edit(situation, 30_000, 90_000).dollars_per_turn - edit(warm(), 30_000, 90_000).dollars_per_turn
    assert saved == pytest.approx(1_000 * 25e-6)


@pytest.mark.parametrize("removed", [0, -5_000])
def test_an_edit_that_saves_nothing_never_pays(removed: int) -> None:
    assert edit(warm(), removed, R).break_even_turns is None


def test_where_tokens_are_free_a_paid_summary_never_pays() -> None:
    bill = edit(warm(input=0.0, output=0.0), R, R, call_dollars=0.01)

    assert bill.break_even_turns is None


def test_the_bill_of_a_model_nobody_knows_says_so() -> None:
    assert not edit(warm(known=False), R, R).known


def test_an_empty_request_has_a_bill() -> None:
    bill = cache_bill(warm(), 0, 0, 0)

    assert (bill.saved, bill.dollars_now, bill.break_even_turns) == (0, 0, None)


@pytest.mark.law
@given(
    removed=st.integers(1, 10**6),
    kept=st.integers(0, 10**6),
    prefix=st.integers(0, 10**6),
    read=st.floats(0.01, 1),
    write=st.floats(1, 3),
    call=st.floats(0, 10),
)
def test_the_turns_to_pay_are_those_of_the_closed_form(
    removed: int, kept: int, prefix: int, read: float, write: float, call: float
) -> None:
    bill = edit(warm(read, write), removed, kept, prefix, call_dollars=call)

    in_tokens = call / 5e-6
    assert bill.break_even_turns == pytest.approx(
        (kept * (write - read) + in_tokens) / (removed * read), rel=1e-6, abs=1e-6
    )


@pytest.mark.law
@given(
    removed=st.integers(1, 10**6),
    kept=st.integers(0, 10**6),
    cheap=st.floats(0.01, 1),
    dear=st.floats(0.01, 1),
)
def test_the_cheaper_reading_is_the_later_an_edit_of_a_warm_cache_pays(
    removed: int, kept: int, cheap: float, dear: float
) -> None:
    cheap, dear = sorted((cheap, dear))
    late, soon = edit(warm(cheap), removed, kept), edit(warm(dear), removed, kept)

    assert (late.break_even_turns or 0) >= (soon.break_even_turns or 0) - 1e-6


@pytest.mark.law
@given(
    before=st.integers(0, 10**6),
    after=st.integers(0, 10**6),
    prefix=st.integers(0, 10**6),
    cached=st.none() | st.integers(0, 2 * 10**6),
    newest=st.integers(0, 10**6),
    minimum=st.integers(0, 5_000),
)
def test_any_edit_has_a_bill_that_adds_up(
    before: int, after: int, prefix: int, cached: int | None, newest: int, minimum: int
) -> None:
    prefix = min(prefix, before, after)
    situation = replace(warm(minimum=minimum), cached_tokens=cached)
    bill = cache_bill(situation, before, after, prefix, newest=newest)

    assert bill.warm + bill.rewritten == after
    assert 0 <= bill.warm <= prefix
    assert 0 <= bill.lost <= before
    assert bill.break_even_turns is None or bill.break_even_turns >= 0


def test_losses_are_added_up_by_kind() -> None:
    bill = loss_bill(
        [
            Loss("user", 10),
            Loss("result:bash", 500, expandable=500),
            Loss("result:bash", 300),
            Loss("assistant", 10),
        ],
        mass_kept=0.9,
    )

    assert [loss.kind for loss in bill.kinds] == ["result:bash", "assistant", "user"]
    assert bill.kinds[0] == Loss("result:bash", 800, expandable=500, spans=2)
    assert (bill.tokens, bill.expandable, bill.gone) == (820, 500, 320)


def test_losing_nothing_is_a_bill_too() -> None:
    assert loss_bill([]).tokens == 0


def test_a_call_that_the_cache_does_not_serve_pays_for_all_it_reads() -> None:
    marked = price(0.1, 1.25, automatic=False)

    assert call_bill(marked, 10_000, 1_000).dollars == pytest.approx(
        cost(marked, 10_000, output_tokens=1_000)
    )


def test_where_all_that_is_sent_is_cached_a_call_pays_for_the_writing() -> None:
    assert call_bill(price(0.1, 1.25), 10_000, 0).dollars == pytest.approx(1.25 * 10_000 * 5e-6)
    assert call_bill(price(0.1, 1.25, minimum=20_000), 10_000, 0).dollars == pytest.approx(10_000 * 5e-6)


def test_calls_add_up() -> None:
    one = call_bill(price(0.1, 1.0), 10_000, 1_000, cached_tokens=5_000)

    both = one + one
    assert (both.calls, both.input_tokens, both.output_tokens) == (2, 20_000, 2_000)
    assert both.cached_share == 0.5
    assert both.dollars == pytest.approx(2 * one.dollars)
    assert one + CallBill() == one


def test_no_call_has_no_cached_share() -> None:
    assert CallBill().cached_share == 0
