"""Have one writer write once: what it reads is made to fit its window, in parts where it has to be.

Nothing with a secret in it goes to the writer, and nothing it raises gets out but `SummaryFailed`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from elision.compaction.policies.telling import Summary
from elision.compaction.summary.fit import fitted, ladder
from elision.compaction.summary.prompt import FULL, TERSE, Words, merge_prompt, prompt
from elision.compaction.summary.readable import readable
from elision.compaction.summary.types import (
    Failure,
    Source,
    Summariser,
    SummaryCall,
    SummaryFailed,
    SummaryReply,
)
from elision.compaction.types import TokenCounter

MOST_PARTS = 24  # so many calls at most for the parts of one history
# What a writer is given to read after it said that it was too much, as a share of its window; the last
# one reads everything, in small parts.
_SHARES = (1.0, 0.7, 0.5, 0.25)
_OUTPUT_SHARE = 3  # of a small window at most a third is for what it writes
_REFITS = 4
_SMALL = 2000  # tokens of a window that has no room for the task told at length


@dataclass(slots=True)
class Tally:
    """What calls took together."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def add(self, reply: SummaryReply) -> None:
        """Count what one call took."""
        self.input_tokens += reply.input_tokens
        self.output_tokens += reply.output_tokens
        self.cost += reply.cost


@dataclass(frozen=True, slots=True)
class Desk:
    """One writer with what it reads; secrets are hidden in all of it.

    Attributes:
        writer: Who writes.
        sources: What it reads.
        summary: How the policy wants it.
        prior: The earlier summary, to be brought up to date.
        focus: What the caller wants looked at.
        language: To write in, None for that of the conversation.
        counter: Counts what the writer reads.
        left: Seconds in which an answer has to be there; None for any time.
        tally: What the calls took.
    """

    writer: Summariser
    sources: Sequence[Source]
    summary: Summary
    prior: str
    focus: str
    language: str | None
    counter: TokenCounter
    left: Callable[[], float | None]
    tally: Tally = field(default_factory=Tally)

    @property
    def allowed(self) -> Summary:
        """The summary's settings, with as many tokens as this writer has room for."""
        most = max(1, self.writer.window // _OUTPUT_SHARE)
        return self.summary.model_copy(update={"max_tokens": min(self.summary.max_tokens, most)})

    @property
    def _words(self) -> Words:
        return TERSE if self.writer.window < _SMALL else FULL

    def write(self, shrunk: int, note: str) -> SummaryReply:
        """Have the whole written.

        Args:
            shrunk: How often the writer said that it was too much.
            note: What it is told besides, behind everything else.

        Raises:
            SummaryFailed: If nothing came back, or a part of it cannot be read.
        """
        share = _SHARES[min(shrunk, len(_SHARES) - 1)]
        clipped = 0 < shrunk < len(_SHARES) - 1
        sources = ladder(self.sources, share) if clipped else self.sources
        whole = self._noted(
            prompt(sources, self.allowed, self.prior, self.focus, self.language, self._words), note
        )
        if self._fits(whole, share):
            return self._ask(whole)
        parts = self._parts(sources, share)
        if len(parts) == 1:
            raise SummaryFailed(
                Failure.OVERFLOW, f"a window of {self.writer.window} tokens has no room for the notes so far"
            )
        partials = [self._readable(self._ask(part)) for part in parts]
        return self._merged(partials, self.prior, note)

    def look_again(self, text: str, note: str) -> SummaryReply | None:
        """Have what was left out added to what was written; None where there is no room to ask.

        Raises:
            SummaryFailed: If nothing came back.
        """
        call = self._noted(
            prompt(self.sources, self.allowed, text, self.focus, self.language, self._words), note
        )
        return self._ask(call) if self._fits(call, 1.0) else None

    def _parts(self, sources: Sequence[Source], share: float) -> list[SummaryCall]:
        """Calls for consecutive parts, each of which fits."""
        empty = prompt([], self.allowed, "", self.focus, self.language, self._words)
        room = self._room(share) - self._size(empty)
        for _ in range(_REFITS):
            if room <= 0:
                break
            parts = fitted(sources, room, self.counter)
            if len(parts) > MOST_PARTS:
                parts = fitted(ladder(sources, MOST_PARTS / len(parts)), room, self.counter)
            calls = [prompt(part, self.allowed, "", self.focus, self.language, self._words) for part in parts]
            if calls and len(calls) <= MOST_PARTS and all(self._fits(call, share) for call in calls):
                return calls
            room = room * 3 // 4
        raise SummaryFailed(
            Failure.OVERFLOW, f"a window of {self.writer.window} tokens is too small for this history"
        )

    def _merged(self, partials: Sequence[str], prior: str, note: str) -> SummaryReply:
        """One summary of those of parts, in halves where they do not fit together."""
        call = self._noted(
            merge_prompt(partials, self.allowed, prior, self.focus, self.language, self._words), note
        )
        if self._fits(call, 1.0):
            return self._ask(call)
        if len(partials) <= 2:
            raise SummaryFailed(
                Failure.OVERFLOW, f"summaries of parts do not fit {self.writer.window} tokens"
            )
        middle = len(partials) // 2
        halves = [self._half(partials[:middle]), self._half(partials[middle:])]
        return self._merged(halves, prior, note)

    def _half(self, partials: Sequence[str]) -> str:
        return partials[0] if len(partials) == 1 else self._readable(self._merged(partials, "", ""))

    def _readable(self, reply: SummaryReply) -> str:
        read = readable(reply, self.allowed.max_tokens)
        if read.failure:
            raise SummaryFailed(read.failure, f"in a part of the history: {read.detail}")
        return read.text

    def _ask(self, call: SummaryCall) -> SummaryReply:
        left = self.left()
        if left is not None and left <= 0:
            raise SummaryFailed(Failure.TIMEOUT, "no time is left")
        self.tally.calls += 1
        try:
            reply = self.writer(replace(call, seconds=left))
        except SummaryFailed:
            raise
        except Exception as error:  # whatever a writer does, history has to survive it
            raise SummaryFailed(Failure.UNAVAILABLE, f"it raised {type(error).__name__}") from error
        if not isinstance(reply, SummaryReply) or not isinstance(reply.text, str):
            raise SummaryFailed(Failure.MALFORMED, f"it answered with {type(reply).__name__}")
        self.tally.add(reply)
        return reply

    def _noted(self, call: SummaryCall, note: str) -> SummaryCall:
        return replace(call, prompt=f"{call.prompt}\n\n{note}") if note else call

    def _fits(self, call: SummaryCall, share: float) -> bool:
        return self._size(call) <= self._room(share)

    def _room(self, share: float) -> int:
        return int((self.writer.window - self.allowed.max_tokens) * share)

    def _size(self, call: SummaryCall) -> int:
        return self.counter.count(call.system) + self.counter.count(call.prompt)
