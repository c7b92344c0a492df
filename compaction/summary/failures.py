"""What follows from every failure of a summary: one table.

A failure is tried again where telling the writer its mistake may help, or handed to the next stage where
it will not; in the end, history stays as it was, and the caller is told so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from elision.compaction.summary.types import Failure

LONGEST_WAIT = 60.0  # seconds; who asks for more is not waited for


class Next(StrEnum):
    """What is tried when a stage has no tries left."""

    STAGE = "stage"  # the next writer, in the end the summary by rule
    KEEP = "keep"  # nothing: history stays


class How(StrEnum):
    """What is different in another try."""

    REASONS = "reasons"  # the writer is told what was wrong
    SMALLER = "smaller"  # it is given less to read
    WAIT = "wait"  # nothing but the time


@dataclass(frozen=True, slots=True)
class Then:
    """What follows from a failure.

    Attributes:
        tries: How many further tries the same writer gets.
        how: What is different in them.
        then: What is tried after that.
        counts: Whether the breaker counts it, as the writer's fault.
        told: The sentence that the user reads.
        hint: What the writer is told besides the reasons.
        wait: Seconds before another try where the provider names none; None if only a named time is waited for.
    """

    tries: int
    how: How
    then: Next
    counts: bool
    told: str
    hint: str = ""
    wait: float | None = 0.0


_SHORTER = "Write the notes again, whole, in at most half as many words."

FAILURES: Mapping[Failure, Then] = MappingProxyType(
    {
        Failure.EMPTY: Then(
            1,
            How.REASONS,
            Next.STAGE,
            True,
            "the summary was empty",
            "Answer with the notes, and fill their sections.",
        ),
        Failure.CAPPED: Then(
            1, How.REASONS, Next.STAGE, True, "the summary was cut off before its end", _SHORTER
        ),
        Failure.REFUSED: Then(0, How.REASONS, Next.STAGE, True, "the model refused to write a summary"),
        Failure.TOOL_CALL: Then(
            1,
            How.REASONS,
            Next.STAGE,
            True,
            "the model called a tool instead of writing",
            "Call no tool. Answer in words.",
        ),
        Failure.MALFORMED: Then(
            1,
            How.REASONS,
            Next.STAGE,
            True,
            "the summary could not be read",
            "Keep to the form that was asked for.",
        ),
        Failure.INFLATED: Then(
            1, How.REASONS, Next.STAGE, False, "the summary was not smaller than what it replaces", _SHORTER
        ),
        Failure.MISSING_SECTION: Then(
            1,
            How.REASONS,
            Next.STAGE,
            True,
            "the summary lacked a section",
            "Write every section, under its own heading.",
        ),
        Failure.INVENTED_IDENTIFIER: Then(
            1,
            How.REASONS,
            Next.STAGE,
            True,
            "the summary held names or numbers that history does not have",
            "Use only names, paths and numbers that stand in the record, letter by letter.",
        ),
        Failure.STALE: Then(
            0, How.WAIT, Next.KEEP, False, "history changed while the summary was being written"
        ),
        Failure.OVERFLOW: Then(
            3, How.SMALLER, Next.STAGE, False, "history is too large for the model that summarises"
        ),
        Failure.AUTH: Then(
            0, How.WAIT, Next.STAGE, True, "the provider of the summary did not accept the key"
        ),
        Failure.RATE_LIMIT: Then(
            1,
            How.WAIT,
            Next.STAGE,
            True,
            "the provider of the summary limits how often it is asked",
            wait=2.0,
        ),
        Failure.TIMEOUT: Then(0, How.WAIT, Next.STAGE, True, "the summary took too long"),
        Failure.NETWORK: Then(
            0, How.WAIT, Next.STAGE, True, "the provider of the summary could not be reached"
        ),
        Failure.UNAVAILABLE: Then(
            1, How.WAIT, Next.STAGE, True, "the model that summarises was not available", wait=None
        ),
    }
)
assert set(FAILURES) == set(Failure)


def wait_before_retry(failure: Failure, retry_after: float | None) -> float | None:
    """Seconds to wait before the same writer is asked again; None if it is not worth waiting for."""
    wait = FAILURES[failure].wait if retry_after is None else retry_after
    return wait if wait is not None and 0 <= wait <= LONGEST_WAIT else None


def told(failure: Failure | None) -> str:
    """What the user is told when a failure left history as it was."""
    return f"History is unchanged: {FAILURES[failure].told if failure else 'there is nothing to summarise'}."
