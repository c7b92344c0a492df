"""A writer of summaries that answers from a script, and what it is asked to summarise."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from elision.compaction.policies.telling import SectionTable
from elision.compaction.policies.telling import Summary as Settings
from elision.compaction.summary.order import SummaryOrder
from elision.compaction.summary.types import Source, SummaryCall, SummaryReply
from elision.compaction.tokens import counter

SETTINGS = Settings(
    sections=(
        SectionTable(heading="Goal", ask="What the user wants."),
        SectionTable(heading="Files", ask="What was read or changed."),
        SectionTable(heading="Next step", ask="What comes next.", optional=True),
    ),
    check=True,
    max_tokens=800,
)
SOURCES = (
    Source("m0", "system", "You work in a repository of Python code.", True, index=0),
    Source("m1", "user", "Fix the timeout in src/app.py. Never touch prod.yaml.", True, index=1),
    Source("m2", "assistant", "I will read src/app.py first.\nread(path='src/app.py')", True, index=2),
    Source(
        "m3", "tool", "def fetch(url, timeout=30):\n    return get(url, timeout)\n" * 20, False, "read", 3
    ),
    Source("m4", "assistant", "The timeout of 30 is passed on wrongly. I change fetch.", True, index=4),
    Source("m5", "tool", "12 passed, 1 failed in 3.5 s: tests/test_app.py", False, "shell", 5),
)
GOOD = (
    "## Goal\n- Fix the timeout in src/app.py [m1]\n- Never touch prod.yaml [m1]\n\n"
    "## Files\n- src/app.py was read [m2]\n\n## Next step\n- Change fetch [m4]"
)


def order(sources: Iterable[Source] = SOURCES, settings: Settings = SETTINGS, **changed: Any) -> SummaryOrder:
    """What is to be summarised; the fields not given are those of an ordinary order."""
    plain = SummaryOrder(
        sources=tuple(sources),
        summary=settings,
        pins=(),
        prior="",
        focus="",
        replaced_tokens=700,
        frame_tokens=20,
        room_tokens=0,
        counter=counter(),
    )
    return replace(plain, **changed)


@dataclass
class Script:
    """A writer that gives the answers it was handed, the last one again and again, and keeps what it was asked.

    An answer is a text, a reply, an exception to raise, or a function of the call.
    """

    answers: list[Any]
    name: str = "fake/writer"
    window: int = 8_000
    calls: list[SummaryCall] = field(default_factory=list)

    def __call__(self, call: SummaryCall) -> SummaryReply:
        self.calls.append(call)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = answer(call)
        if isinstance(answer, BaseException):
            raise answer
        return (
            SummaryReply(answer, input_tokens=100, output_tokens=20, cost=0.01)
            if isinstance(answer, str)
            else answer
        )


def script(
    *answers: "str | SummaryReply | Exception | Callable[[SummaryCall], Any]", **fields: Any
) -> Script:
    """A writer that gives these answers."""
    return Script(list(answers), **fields)


@dataclass
class Clock:
    """A clock that only sleeping moves."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
