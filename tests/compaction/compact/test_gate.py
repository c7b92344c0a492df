"""What keeps a compaction from being tried or used."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.compact.gate import (
    TOO_LITTLE,
    Past,
    Recent,
    may_carry_out,
    may_try,
    may_use,
    reduce_only,
)
from elision.compaction.compact.trigger import FORCED, Reason
from elision.compaction.policies.timing import Gate

GOOD = Past(1000, 500)
POOR = Past(1000, 980)
FAILED = Past(1000, 1000, failed=True)
WEAK = Past(1000, 1000, failed=True, weak=True)
STUCK = Past(1000, 1000, failed=True, reason=Reason.OVERFLOW)
GATE = Gate(min_progress=0.1)


def tried(
    gate: Gate,
    *past: Past,
    reason: Reason = Reason.TOKENS,
    messages: int = 5,
    tokens: int = 1000,
    now: float = 0,
) -> str:
    return may_try(gate, reason, messages, tokens, Recent(past), now)


def test_the_first_one_is_tried() -> None:
    assert tried(GATE) == ""


@pytest.mark.parametrize("reason", [Reason.TOKENS, Reason.REQUEST, Reason.OVERFLOW])
def test_with_nothing_to_go_nothing_is_tried(reason: Reason) -> None:
    assert tried(GATE, reason=reason, messages=0) == "min_messages"


def test_after_some_that_saved_little_no_more_is_tried() -> None:
    assert tried(GATE, POOR, POOR) == ""
    assert tried(GATE, POOR, POOR, POOR) == "stalled"
    assert tried(GATE, POOR, POOR, GOOD, POOR) == ""
    assert tried(Gate(min_progress=0.1, stalled=0), *[POOR] * 9) == ""


def test_one_that_saved_nothing_stalls_whatever_progress_is_asked() -> None:
    assert (
        tried(Gate(stalled=1), Past(1000, 1000)) == "stalled"
        and tried(Gate(stalled=1), Past(1000, 999)) == ""
    )


@pytest.mark.parametrize(
    ("reason", "why"), [(Reason.WINDOW, "stalled"), (Reason.OVERFLOW, ""), (Reason.REQUEST, "")]
)
def test_a_full_window_is_no_way_out_of_a_stall_but_being_asked_is(reason: Reason, why: str) -> None:
    assert tried(GATE, POOR, POOR, POOR, reason=reason) == why


def test_after_some_failures_only_what_is_forced_is_tried() -> None:
    assert tried(GATE, FAILED, FAILED) == ""
    assert tried(GATE, FAILED, FAILED, FAILED) == "breaker"
    assert tried(GATE, FAILED, FAILED, GOOD, FAILED) == ""
    assert [tried(GATE, FAILED, FAILED, FAILED, reason=reason) for reason in sorted(FORCED)] == [""] * 4
    assert tried(Gate(breaker=0), *[FAILED] * 9) == ""


def test_forced_failures_in_a_row_come_to_an_end() -> None:
    assert tried(GATE, STUCK, STUCK, reason=Reason.OVERFLOW) == ""
    assert tried(GATE, STUCK, STUCK, STUCK, reason=Reason.OVERFLOW) == "attempts"
    assert tried(GATE, STUCK, STUCK, STUCK, reason=Reason.REQUEST) == ""
    assert tried(GATE, STUCK, STUCK, GOOD, STUCK, reason=Reason.OVERFLOW) == ""


@pytest.mark.parametrize("reason", sorted(FORCED - {Reason.REQUEST}))
@pytest.mark.parametrize("attempts", [1, 3])
def test_what_is_due_again_at_once_did_not_help(reason: Reason, attempts: int) -> None:
    """Each left less, and its request was refused all the same; what grew in between was not."""
    past = [Past(1000 - 100 * n, 900 - 100 * n, reason=reason) for n in range(attempts)]
    left, gate = past[-1].after, Gate(attempts=attempts)

    assert tried(gate, *past, reason=reason, tokens=left) == "attempts"
    assert tried(gate, *past[1:], reason=reason, tokens=left) == ""
    assert tried(gate, *past, reason=reason, tokens=left + 1) == ""
    assert tried(gate, *past, reason=Reason.REQUEST, tokens=left) == ""
    assert tried(Gate(attempts=0), *past, reason=reason, tokens=left) == ""


def test_an_overflow_behind_a_compaction_that_was_due_for_another_reason_is_tried() -> None:
    for reason in set(Reason) - {Reason.OVERFLOW}:
        assert (
            tried(Gate(attempts=1), Past(1000, 500, reason=reason), reason=Reason.OVERFLOW, tokens=500) == ""
        )


@pytest.mark.parametrize("past", [POOR, FAILED, STUCK])
def test_after_a_while_one_more_is_tried(past: Past) -> None:
    last = Past(past.before, past.after, past.failed, reason=past.reason, at=100.0)

    assert tried(GATE, past, past, last, now=699.0) != "" and tried(GATE, past, past, last, now=700.0) == ""
    assert tried(Gate(retry_after=0, min_progress=0.1), past, past, last, now=1e9) != ""


def test_one_does_not_follow_at_once_on_another() -> None:
    gate = Gate(cooldown=60)

    assert (
        tried(gate, Past(1000, 500, at=10.0), now=69.0) == "cooldown"
        and tried(gate, Past(1000, 500, at=10.0), now=70.0) == ""
    )
    assert tried(gate, Past(1000, 500, at=10.0), reason=Reason.WINDOW, now=11.0) == ""


def test_a_request_has_to_grow_before_it_is_compacted_again() -> None:
    gate = Gate(hysteresis=200)

    assert tried(gate, GOOD, tokens=699) == "hysteresis" and tried(gate, GOOD, tokens=700) == ""
    assert tried(gate, GOOD, tokens=600, reason=Reason.OVERFLOW) == "" and tried(Gate(), GOOD, tokens=1) == ""


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (1000, "saves_nothing"),
        (1500, "saves_nothing"),
        (990, "min_savings"),
        (950, "min_progress"),
        (900, ""),
        (0, ""),
    ],
)
def test_a_result_must_be_worth_it(after: int, why: str) -> None:
    assert may_use(Gate(min_savings=20, min_progress=0.1), Reason.TOKENS, 1000, after) == why


@pytest.mark.parametrize("reason", sorted(FORCED))
def test_what_is_forced_is_used_if_it_saves_anything(reason: Reason) -> None:
    gate = Gate(min_savings=500, min_progress=0.5)

    assert may_use(gate, reason, 1000, 999) == "" and may_use(gate, reason, 1000, 1000) == "saves_nothing"


@pytest.mark.parametrize(
    ("gone", "tokens", "events"),
    [(50, "", ""), (10, "", ""), (9, "", "min_progress"), (0, "", "min_progress")],
)
def test_progress_is_of_tokens_or_of_events(gone: int, tokens: str, events: str) -> None:
    """A hundred events of 1,000 tokens, 800 of which stay whatever is written."""

    def carried_out(gate: Gate, reason: Reason = Reason.TOKENS, least: int = 800) -> str:
        return may_carry_out(gate, reason, 1000, least, 100, gone)

    assert carried_out(Gate(min_progress=0.1)) == tokens
    assert carried_out(Gate(min_progress=0.1, progress="events")) == events
    assert carried_out(Gate(min_progress=0.1), least=950) == "min_progress"
    assert carried_out(Gate(min_progress=0.1, progress="events"), least=950) == events
    assert {carried_out(Gate(min_progress=0.9, progress="events"), reason) for reason in FORCED} == {""}


def test_a_result_is_not_asked_for_tokens_where_progress_is_of_events() -> None:
    assert may_use(Gate(min_progress=0.5, progress="events"), Reason.MESSAGES, 1000, 999) == ""
    assert may_use(Gate(min_progress=0.5, progress="events"), Reason.MESSAGES, 1000, 1000) in TOO_LITTLE


@pytest.mark.parametrize("past", [POOR, WEAK])
def test_what_was_not_used_for_it_saved_too_little_stalls_like_what_was(past: Past) -> None:
    assert tried(Gate(min_progress=0.1, stalled=1, breaker=0), past) == "stalled"
    assert tried(Gate(min_progress=0.1, stalled=2, breaker=0), past) == ""
    assert tried(Gate(min_progress=0.1, stalled=1, breaker=0), past, GOOD) == ""
    assert tried(Gate(min_progress=0.1, stalled=1, breaker=0), FAILED) == ""


def test_after_an_inflated_summary_a_latched_policy_only_reduces() -> None:
    latched = Gate(latch_inflated=True)
    inflated = Past(1000, 1000, failed=True, inflated=True)

    assert reduce_only(latched, Reason.TOKENS, Recent([GOOD, inflated, FAILED]))
    assert not reduce_only(latched, Reason.REQUEST, Recent([inflated]))
    assert not reduce_only(latched, Reason.TOKENS, Recent([inflated, GOOD]))
    assert not reduce_only(latched, Reason.TOKENS, Recent()) and not reduce_only(
        Gate(), Reason.TOKENS, Recent([inflated])
    )


@pytest.mark.law
@given(
    st.builds(
        Gate,
        stalled=st.integers(0, 3),
        breaker=st.integers(0, 3),
        attempts=st.integers(0, 3),
        min_progress=st.floats(0, 0.9),
    ),
    st.lists(
        st.builds(
            Past,
            st.integers(0, 99),
            st.integers(0, 99),
            st.booleans(),
            st.booleans(),
            st.sampled_from(Reason),
            weak=st.booleans(),
        )
    ),
)
def test_a_person_is_never_refused(gate: Gate, past: list[Past]) -> None:
    assert tried(gate, *past, reason=Reason.REQUEST) == ""
