"""What follows from every failure: one test a row, with a writer that fails so."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from scripted_writer import GOOD, Clock, Script, order, script

from elision.compaction.summary.breaker import Breaker
from elision.compaction.summary.chain import EXTRACTIVE, summarise
from elision.compaction.summary.failures import FAILURES, LONGEST_WAIT, How, Next, wait_before_retry
from elision.compaction.summary.order import KeptHistory
from elision.compaction.summary.types import (
    Failure,
    Finish,
    Summary,
    SummaryCall,
    SummaryFailed,
    SummaryReply,
)

INVENTED = GOOD.replace("src/app.py", "lib/other.py").replace("prod.yaml", "dev.toml")
BAD: dict[Failure, Any] = {
    Failure.EMPTY: "",
    Failure.CAPPED: SummaryReply(GOOD, Finish.LENGTH),
    Failure.REFUSED: "I'm sorry, but I can't help with that.",
    Failure.TOOL_CALL: SummaryReply("", Finish.TOOL_CALL),
    Failure.MALFORMED: "It went well.",
    Failure.INFLATED: GOOD + "\n- " + " ".join(f"{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600)),
    Failure.MISSING_SECTION: "## Goal\n- Fix the timeout [m1]",
    Failure.INVENTED_IDENTIFIER: INVENTED,
    **{
        failure: SummaryFailed(failure, "as the script says")
        for failure in (
            Failure.OVERFLOW,
            Failure.AUTH,
            Failure.RATE_LIMIT,
            Failure.TIMEOUT,
            Failure.NETWORK,
            Failure.UNAVAILABLE,
        )
    },
}


def run(
    *writers: Script, breaker: Breaker | None = None, **changed: Any
) -> tuple[Summary | KeptHistory, Clock]:
    clock = Clock()
    deadline = changed.pop("deadline", None)
    outcome = summarise(
        order(**changed), writers, clock=clock, sleep=clock.sleep, deadline=deadline, breaker=breaker
    )
    return outcome, clock


def failures(outcome: Summary | KeptHistory) -> Sequence[Failure | None]:
    return [attempt.failure for attempt in outcome.attempts]


def test_every_failure_has_a_row() -> None:
    assert set(FAILURES) == set(Failure) and set(BAD) | {Failure.STALE} == set(Failure)
    assert all(
        then.told and (then.how is not How.REASONS or then.hint or not then.tries)
        for then in FAILURES.values()
    )


@pytest.mark.parametrize("failure", BAD)
def test_a_writer_that_fails_so_is_tried_as_often_as_the_table_says(failure: Failure) -> None:
    writer = script(BAD[failure])
    outcome, _ = run(writer)
    # Whoever names no time to wait is not asked again where only a named one is waited for.
    tries = 1 + (FAILURES[failure].tries if FAILURES[failure].wait is not None else 0)

    assert list(failures(outcome)) == [failure] * tries + [None] and len(writer.calls) == tries
    assert isinstance(outcome, Summary) and outcome.by == EXTRACTIVE


@pytest.mark.parametrize("failure", BAD)
def test_the_next_writer_is_asked_then(failure: Failure) -> None:
    outcome, _ = run(script(BAD[failure]), script(GOOD, name="second"))

    assert isinstance(outcome, Summary) and (outcome.by, outcome.text) == ("second", GOOD)


@pytest.mark.parametrize("failure", [failure for failure in BAD if FAILURES[failure].tries])
def test_another_try_may_succeed(failure: Failure) -> None:
    bad = (
        BAD[failure] if FAILURES[failure].wait is not None else SummaryFailed(failure, "busy", retry_after=1)
    )
    outcome, _ = run(script(bad, GOOD))

    assert (
        isinstance(outcome, Summary)
        and outcome.by == "fake/writer"
        and list(failures(outcome)) == [failure, None]
    )


@pytest.mark.parametrize(
    "failure", [failure for failure in BAD if FAILURES[failure].tries and FAILURES[failure].hint]
)
def test_the_second_try_is_told_why(failure: Failure) -> None:
    writer = script(BAD[failure], GOOD)
    run(writer)

    assert (
        FAILURES[failure].hint in writer.calls[1].prompt
        and FAILURES[failure].hint not in writer.calls[0].prompt
    )


def test_it_is_told_which_names_and_sections() -> None:
    writer = script(INVENTED, BAD[Failure.MISSING_SECTION])
    run(writer)
    lacking = script(BAD[Failure.MISSING_SECTION])
    run(lacking)

    assert "lib/other.py" in writer.calls[1].prompt and "lacked: Files" in lacking.calls[1].prompt


@pytest.mark.parametrize("failure", BAD)
def test_the_breaker_counts_what_is_the_writers_fault(failure: Failure) -> None:
    breaker = Breaker(Clock(), failures=1)
    run(script(BAD[failure]), breaker=breaker)

    assert breaker.allows("", "fake/writer") != FAILURES[failure].counts


@pytest.mark.parametrize("failure", BAD)
def test_with_nothing_that_fits_history_is_kept_and_that_is_said(failure: Failure) -> None:
    outcome, _ = run(script(BAD[failure]), replaced_tokens=21)

    assert (
        isinstance(outcome, KeptHistory)
        and outcome.reason.startswith("History is unchanged")
        and outcome.attempts
    )


def test_a_history_that_changed_is_kept_and_nobody_else_asked() -> None:
    second = script(GOOD, name="second")
    outcome, _ = run(script(GOOD), second, still_current=lambda: False)

    assert isinstance(outcome, KeptHistory) and outcome.failure is Failure.STALE and not second.calls
    assert FAILURES[Failure.STALE].then is Next.KEEP and outcome.attempts[0].cost == 0.01


def test_a_writer_that_has_too_much_to_read_is_given_less() -> None:
    writer = script(BAD[Failure.OVERFLOW])
    run(writer)
    sizes = [len(call.prompt) for call in writer.calls]

    assert len(sizes) > 2 and sizes[1] < sizes[0] and sizes[2] < sizes[1]


@pytest.mark.parametrize(
    ("asked", "slept"), [(7.0, [7.0]), (None, [2.0]), (0.0, []), (LONGEST_WAIT + 1, None), (-1, None)]
)
def test_who_limits_is_waited_for_as_long_as_it_asks(asked: float | None, slept: list[float] | None) -> None:
    writer = script(SummaryFailed(Failure.RATE_LIMIT, "slow down", retry_after=asked), GOOD)
    outcome, clock = run(writer)

    assert clock.slept == (slept or []) and len(writer.calls) == (1 if slept is None else 2)
    assert isinstance(outcome, Summary)


def test_nobody_is_waited_for_past_the_deadline() -> None:
    writer = script(SummaryFailed(Failure.RATE_LIMIT, "slow down", retry_after=30), GOOD)
    outcome, clock = run(writer, deadline=20.0)

    assert not clock.slept and isinstance(outcome, Summary) and outcome.by == EXTRACTIVE


@pytest.mark.parametrize(
    ("deadline", "seconds"), [(None, [None] * 4), (50.0, [50.0, 30.0, 10.0]), (10.0, [10.0]), (0.0, [])]
)
def test_each_call_carries_the_seconds_that_are_left(
    deadline: float | None, seconds: Sequence[float | None]
) -> None:
    clock = Clock()

    def late(call: SummaryCall) -> Exception:
        clock.now += 20
        return SummaryFailed(Failure.NETWORK, "it came to nothing")

    writers = [script(late, name=f"w{n}") for n in range(4)]
    outcome = summarise(order(), writers, clock=clock, sleep=clock.sleep, deadline=deadline)

    assert [call.seconds for writer in writers for call in writer.calls] == seconds
    assert isinstance(outcome, Summary) and outcome.by == EXTRACTIVE


def test_each_part_and_each_second_try_carries_what_the_others_left() -> None:
    clock = Clock()

    def slow(call: SummaryCall) -> str:
        clock.now += 10
        return INVENTED

    writer = script(slow, window=1500)
    summarise(order(), [writer], clock=clock, sleep=clock.sleep, deadline=1000.0)

    assert len(writer.calls) > 1
    assert [call.seconds for call in writer.calls] == [1000.0 - 10 * n for n in range(len(writer.calls))]


def test_no_number_is_no_time_to_wait() -> None:
    assert wait_before_retry(Failure.RATE_LIMIT, float("nan")) is None
    assert wait_before_retry(Failure.RATE_LIMIT, float("inf")) is None


def test_a_storm_of_limits_ends() -> None:
    writers = [
        script(SummaryFailed(Failure.RATE_LIMIT, "429", retry_after=1), name=f"w{n}") for n in range(5)
    ]
    outcome, clock = run(*writers)

    assert (
        isinstance(outcome, Summary)
        and len(clock.slept) == 5
        and all(len(writer.calls) == 2 for writer in writers)
    )


@pytest.mark.parametrize(
    "error", [ValueError("x"), KeyError("x"), OSError(), RecursionError(), UnicodeError(), StopIteration()]
)
def test_whatever_it_raises_is_a_writer_that_is_not_available(error: Exception) -> None:
    outcome, _ = run(script(error))

    assert failures(outcome)[0] is Failure.UNAVAILABLE


def test_what_an_exception_says_is_told_to_nobody() -> None:
    outcome, _ = run(script(ValueError("key sk-12345")))

    assert "sk-12345" not in repr(outcome)


def _no_reply(_: SummaryCall) -> Any:
    return None


@pytest.mark.parametrize("answer", [_no_reply, lambda _: SummaryReply(None), lambda _: b"bytes"])  # type: ignore[arg-type]
def test_what_is_no_reply_is_malformed(answer: Callable[[SummaryCall], Any]) -> None:
    outcome, _ = run(script(answer))

    assert failures(outcome)[0] is Failure.MALFORMED
