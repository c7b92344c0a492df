"""What a case came to, in words that no wire format and no service of its own knows.

A body is the neutral input of a case: ``messages`` (with ``system``, ``tools``), ``input``, or ``texts``.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Body = Mapping[str, Any]


@dataclass(frozen=True)
class Failure:
    """A refused request: the cases' word for the kind of error, and everything the answer said."""

    type: str
    said: str

    def __str__(self) -> str:
        return f"{self.type}: {self.said[:300]}"


@dataclass(frozen=True)
class Run:
    """One request and its answer.

    Attributes:
        asked: The neutral request of this run.
        given: What went in.
        answered: What came out; None if the request failed or only counted.
        fields: The answer's other fields: ``changed``, ``target_met``, ``tokens`` ...
        raw: The bytes of ``given`` and ``answered``, where bytes matter.
    """

    asked: Mapping[str, Any]
    given: Body
    answered: Body | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    failure: Failure | None = None
    seconds: float = 0.0
    raw: tuple[bytes, bytes] | None = None

    @property
    def output(self) -> Body:
        """What came out; a run that has nothing to show breaks whatever asks for it."""
        assert self.failure is None, f"the request failed with {self.failure}"
        assert self.answered is not None, "the answer holds no output"
        return self.answered


@dataclass(frozen=True)
class Outcome:
    """Everything that happened in one case.

    Attributes:
        runs: Every request, in order; what a `must` line says holds for each.
        serial: The same requests one after the other, where ``runs`` were parallel.
        plain: The run to compare a count with.
        final: The history after later messages were put behind the output.
        appended: Those messages.
        restored: What came back from the store: after one restore, after two ...
        prompts: The messages of each request to the summariser.
        health: Seconds that each health answer took.
        shapes: The same content in several formats.
    """

    runs: Sequence[Run]
    serial: Sequence[Run] = ()
    plain: Run | None = None
    final: Body | None = None
    appended: Sequence[Any] = ()
    restored: Sequence[Body] = ()
    prompts: Sequence[Sequence[Mapping[str, Any]]] = ()
    health: Sequence[float] = ()
    shapes: Mapping[str, Run] = field(default_factory=dict)


def same(left: object, right: object) -> bool:
    """Whether two JSON values are equal; unlike in Python, 1 is neither true nor 1.0."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def same_bytes(left: object, right: object) -> bool:
    """Whether two values are written alike, the order of their keys included."""
    return json.dumps(left) == json.dumps(right)
