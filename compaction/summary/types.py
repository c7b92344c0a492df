"""What is asked of the one who writes a summary, and what comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from elision.model.errors import ElisionError


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a summary.

    Attributes:
        heading: Its heading, as it is written.
        ask: What it should hold, as the writer is told.
        optional: Whether a summary without it is complete.
    """

    heading: str
    ask: str
    optional: bool = False


class Finish(StrEnum):
    """Why a writer stopped."""

    STOP = "stop"
    LENGTH = "length"  # at its cap: cut off, not finished
    REFUSAL = "refusal"
    TOOL_CALL = "tool_call"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class SummaryCall:
    """One call of the one who writes.

    Attributes:
        system: Who it is and what it may not do.
        prompt: The fenced transcript and the task behind it.
        max_tokens: Tokens it may write.
        seconds: How long the answer is of use, retries and waits included; None for any time.
    """

    system: str
    prompt: str
    max_tokens: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class SummaryReply:
    """What came back of one call.

    Attributes:
        text: The words, as they came; empty if there were none.
        finish: Why it stopped.
        input_tokens: As the provider counted them, 0 where it does not say.
        output_tokens: Likewise.
        cost: In dollars, 0 where it is not known.
    """

    text: str
    finish: Finish = Finish.STOP
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


class Failure(StrEnum):
    """Everything that can go wrong with a summary; what follows from each stands in `summary.failures`."""

    EMPTY = "empty"
    CAPPED = "capped"
    REFUSED = "refused"
    TOOL_CALL = "tool_call"
    MALFORMED = "malformed"
    INFLATED = "inflated"
    MISSING_SECTION = "missing_section"
    INVENTED_IDENTIFIER = "invented_identifier"
    STALE = "stale"
    OVERFLOW = "overflow"
    AUTH = "auth"
    RATE_LIMIT = "rate_limit"
    TIMEOUT = "timeout"
    NETWORK = "network"
    UNAVAILABLE = "unavailable"  # the provider says it is its own fault, or that it is busy


class SummaryFailed(ElisionError):
    """A writer did not answer.

    Attributes:
        failure: What went wrong.
        retry_after: Seconds the provider asks to wait, None if it does not say.
    """

    def __init__(self, failure: Failure, detail: str, retry_after: float | None = None) -> None:
        super().__init__(f"{failure}: {detail}")
        self.failure, self.detail, self.retry_after = failure, detail, retry_after


class Summariser(Protocol):
    """One who writes: a model behind some provider. Thread-safe."""

    @property
    def name(self) -> str:
        """How receipts and logs call it, such as ``anthropic/claude-haiku-5.5``."""

    @property
    def window(self) -> int:
        """Tokens of input and output together that it takes."""

    def __call__(self, call: SummaryCall) -> SummaryReply:
        """Write.

        Raises:
            SummaryFailed: If nothing came back in the call's seconds; after its own retries where the
                provider allows some and there is time for them.
        """


@dataclass(frozen=True, slots=True)
class Source:
    """One message of what is summarised, as the writer sees it.

    Attributes:
        id: How statements cite it, such as ``m12``.
        speaker: ``user``, ``assistant``, ``tool`` or ``system``.
        text: What it says, calls and results told in words; secrets replaced by placeholders.
        trusted: Whether a person or the system said it; what tools and files say is not.
        tool: Of a result the tool's name.
        index: Index of the message in the conversation.
    """

    id: str
    speaker: str
    text: str
    trusted: bool
    tool: str = ""
    index: int = -1


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try, for the receipt.

    Attributes:
        by: Name of the summariser, or ``extractive``.
        failure: What went wrong, None if it was taken.
        detail: In a sentence.
        input_tokens, output_tokens, cost, seconds: What it took.
    """

    by: str
    failure: Failure | None
    detail: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary that may be used.

    Attributes:
        text: Its sections, without any frame; placeholders of secrets put back where asked.
        by: Who wrote it; ``extractive`` if nobody did.
        cut: Statements, identifiers, numbers and paths that were taken out because the source has none such.
        attempts: Every try, failed ones included, in order.
    """

    text: str
    by: str
    cut: Sequence[str] = ()
    attempts: Sequence[Attempt] = ()
