from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.prices.bills import Bills, CallBill, Loss, LossBill, cache_bill, call_bill, loss_bill
from elision.compaction.prices.price import Cliff, Price, Tier
from elision.compaction.prices.situation import Force, Situation
from elision.compaction.prices.verdict import Decision, Ground, decide, explain

PRICE = Price("model", 5.0, 25.0, (Tier(300, 1.25),), 0.1)
DEAR = replace(PRICE, cliffs=(Cliff(100_000, 5, 5),))


def billed(
    situation: Situation, before: int, after: int, prefix: int = 0, call: CallBill | None = None
) -> Bills:
    """The bills of a plan that loses nothing we would look at here."""
    call = call or CallBill()
    cache = cache_bill(situation, before, after, prefix, call_dollars=call.dollars)
    return Bills(LossBill(), call, cache)


def test_an_edit_that_pays_later_than_the_session_lasts_is_left() -> None:
    situation = Situation(PRICE, turns_left=4)
    verdict = decide(billed(situation, 200_000, 100_000), situation)

    assert (verdict.decision, verdict.reason) == (Decision.LEAVE, Ground.PAYS_TOO_LATE)
    assert verdict.detail == "pays after 11.5 turns, 4 expected; the cache is warm (5 min)"


def test_an_edit_that_pays_in_time_is_made() -> None:
    situation = Situation(PRICE, turns_left=12)
    verdict = decide(billed(situation, 200_000, 100_000), situation)

    assert (verdict.decision, verdict.reason) == (Decision.COMPACT, Ground.PRICE)


def test_a_plan_that_takes_no_message_away_reduces() -> None:
    situation = Situation(PRICE, idle_seconds=1_000)
    verdict = decide(billed(situation, 200_000, 100_000), situation, compacts=False)

    assert verdict.decision is Decision.REDUCE
    assert verdict.detail == "pays at once, 10 expected; the cache is cold"


@pytest.mark.parametrize("force", Force)
def test_what_has_to_be_done_is_done_at_any_price(force: Force) -> None:
    situation = Situation(PRICE, turns_left=0, forced=force)
    verdict = decide(billed(situation, 200_000, 199_000), situation)

    assert verdict.decision is Decision.COMPACT
    assert verdict.reason == force.value


@pytest.mark.parametrize("force", [None, *Force])
def test_a_plan_that_saves_nothing_is_left_whatever_forces_it(force: Force | None) -> None:
    situation = Situation(PRICE, forced=force)
    verdict = decide(billed(situation, 1_000, 1_200), situation, must_pay=False)

    assert (verdict.decision, verdict.reason) == (Decision.LEAVE, Ground.NOTHING_SAVED)
    assert verdict.detail == "nothing saved: 1,000 tokens before, 1,200 after"


def test_a_policy_that_does_not_ask_what_it_costs_goes_by_its_trigger() -> None:
    situation = Situation(PRICE, turns_left=0)
    verdict = decide(billed(situation, 200_000, 199_000), situation, must_pay=False)

    assert (verdict.decision, verdict.reason) == (Decision.COMPACT, Ground.TRIGGER)


def test_the_cliff_is_named_where_one_is_avoided() -> None:
    situation = Situation(DEAR)
    verdict = decide(billed(situation, 110_000, 90_000), situation)

    assert (verdict.decision, verdict.reason) == (Decision.COMPACT, Ground.CLIFF)
    assert "under the price cliff at 100,000 tokens" in verdict.detail


def test_a_request_too_short_to_be_cached_afterwards_is_left() -> None:
    situation = Situation(replace(PRICE, minimum=4096))
    verdict = decide(billed(situation, 10_000, 4_000, 3_000), situation)

    assert (verdict.decision, verdict.reason) == (Decision.LEAVE, Ground.NEVER_PAYS)


PLANS = {
    "before": st.integers(0, 10**6),
    "after": st.integers(0, 10**6),
    "prefix": st.integers(0, 10**6),
    "cached": st.none() | st.integers(0, 10**6),
    "price": st.sampled_from([PRICE, DEAR, replace(PRICE, minimum=4096), replace(PRICE, input=0.0)]),
    "call": st.sampled_from([0, 1_000, 100_000]),
}


def plan(
    before: int, after: int, prefix: int, cached: int | None, price: Price, call: int
) -> tuple[Bills, Situation]:
    situation = Situation(price, price, cached_tokens=cached)
    called = call_bill(price, call, call // 50) if call else CallBill()
    return billed(situation, before, after, min(prefix, before, after), called), situation


@pytest.mark.law
@given(**PLANS, few=st.integers(0, 200), more=st.integers(0, 200))
def test_more_turns_never_turn_a_plan_that_is_made_into_one_that_is_left(
    before: int, after: int, prefix: int, cached: int | None, price: Price, call: int, few: int, more: int
) -> None:
    bills, situation = plan(before, after, prefix, cached, price, call)
    soon = decide(bills, replace(situation, turns_left=few))
    late = decide(bills, replace(situation, turns_left=few + more))

    assert soon.decision is Decision.LEAVE or late.decision is soon.decision


@pytest.mark.law
@given(**PLANS, turns=st.integers(0, 200))
def test_a_plan_whose_benefit_is_below_its_price_is_left(
    before: int, after: int, prefix: int, cached: int | None, price: Price, call: int, turns: int
) -> None:
    bills, situation = plan(before, after, prefix, cached, price, call)
    benefit = bills.cache.dollars_per_turn * turns
    pays = bills.cache.dollars_now + bills.call.dollars

    verdict = decide(bills, replace(situation, turns_left=turns))
    assert verdict.decision is Decision.LEAVE or benefit >= pays - 1e-9


@pytest.mark.law
@given(**PLANS)
def test_any_bills_can_be_told(
    before: int, after: int, prefix: int, cached: int | None, price: Price, call: int
) -> None:
    bills, _ = plan(before, after, prefix, cached, price, call)

    lines = explain(bills)
    assert {line.split(":")[0] for line in lines} == {"loss", "call", "cache"}
    assert not any("\n" in line for line in lines)


def test_the_bills_are_told_in_plain_lines() -> None:
    situation = Situation(PRICE, PRICE)
    call = call_bill(PRICE, 150_000, 3_000, cached_tokens=150_000)
    cache = cache_bill(situation, 150_000, 24_000, 0, call_dollars=call.dollars)
    loss = loss_bill(
        [Loss("result:bash", 100_000, 100_000, spans=40), Loss("assistant", 30_000, spans=20)], mass_kept=0.93
    )

    assert explain(Bills(loss, call, cache)) == [
        "loss: 130,000 tokens (result:bash 100,000 in 40, assistant 30,000 in 20)",
        "loss: 100,000 tokens come back by handle, 30,000 are gone",
        "loss: 93% of what the classifier values stays",
        "call: 1 call, 150,000 tokens in (100% cached), 3,000 out, $0.1500",
        "cache: warm (5 min); 0 tokens stay in it, 24,000 are sent anew",
        "cache: $0.0750 more this turn, $0.0630 less each later turn; pays after 4.6 turns",
    ]


def test_what_a_reader_of_the_bills_has_to_know_is_said() -> None:
    unknown = replace(DEAR, known=False, minimum=99_000)
    cache = cache_bill(Situation(unknown), 120_000, 90_000, 0)

    lines = explain(Bills(LossBill(), CallBill(), cache))
    assert lines[:2] == ["loss: nothing", "call: none"]
    assert lines[-3:] == [
        "cache: back under 100,000 tokens, above which a request costs 5x input, 5x output",
        "cache: 90,000 tokens are too few to be cached, which costs $0.4050 each later turn",
        "cache: the model's price is not known; the dollars are a stand-in",
    ]


@pytest.mark.parametrize(("tokens", "said"), [(1, "less than $0.0001"), (1_000, "$0.0050"), (10**6, "$5.00")])
def test_small_amounts_are_told_so_that_they_can_be_seen(tokens: int, said: str) -> None:
    call = CallBill(1, tokens, 0, 0, tokens * 5e-6)
    bills = Bills(LossBill(), call, cache_bill(Situation(PRICE), 0, 0, 0))

    assert explain(bills)[1].endswith(said)
