"""The nouns of the compaction room; one word, one meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import regex

from elision.compaction.errors import BadBudget
from elision.model.types import IntArray, Span


class Kind(StrEnum):
    """What a line is, and so how finely it may be cut."""

    PROSE = "prose"  # sentences, then words
    LOG = "log"  # the line, then words
    CODE = "code"  # from here on: whole or gone
    DIFF = "diff"
    TABLE = "table"
    TRACE = "trace"
    JSON = "json"
    BLANK = "blank"
    MARKER = "marker"  # of what went before the text came to us, or at an earlier step


DEFAULT_KEEP_RATIO = 0.5
DIVISIBLE = frozenset({Kind.PROSE, Kind.LOG})


@dataclass(frozen=True, slots=True)
class Passage:
    """What is chosen before any word is: a row, a sentence of a prose line, a stretch of an overlong one.

    A row is a line, or lines that stay or go together. Passages partition a text. The first passage
    of a row holds its indentation, the last one its line end, and each sentence the white space after it.

    Attributes:
        span: Where it stands.
        row: Index of its row, from 0.
        kind: What the row is; of several lines, what the first is.
        continues: Whether it goes on with the sentence of the passage before.
        head: Index of the passage without which this one may not stay, such as the file header of a
            hunk; -1 where there is none.
        whole: Whether no word may leave it, though its kind would allow that.
    """

    span: Span
    row: int
    kind: Kind
    continues: bool = False
    head: int = -1
    whole: bool = False

    @property
    def divisible(self) -> bool:
        """Whether single words may go."""
        return self.kind in DIVISIBLE and not self.whole


@dataclass(frozen=True, slots=True, order=True)
class Pin:
    """A stretch that must stay, and why."""

    span: Span
    reason: str


@dataclass(frozen=True, slots=True, order=True)
class Drop:
    """A stretch that went, what stands in its place, and why."""

    span: Span
    replacement: str
    reason: str


@dataclass(frozen=True, slots=True)
class Budget:
    """How many reader tokens a text may keep; exactly one of the two is given.

    Raises:
        BadBudget: If both or neither are given, or the one given makes no sense.
    """

    keep_ratio: float | None = None
    target_tokens: int | None = None
    floor_tokens: int = 200

    def __post_init__(self) -> None:
        if (self.keep_ratio is None) == (self.target_tokens is None):
            raise BadBudget("give exactly one of keep_ratio and target_tokens")
        if self.keep_ratio is not None and not 0 < self.keep_ratio <= 1:
            raise BadBudget(f"keep_ratio is {self.keep_ratio}, must be above 0 and at most 1")
        if self.target_tokens is not None and self.target_tokens <= 0:
            raise BadBudget(f"target_tokens is {self.target_tokens}, must be at least 1")
        if self.floor_tokens < 0:
            raise BadBudget(f"floor_tokens is {self.floor_tokens}, must not be negative")

    @classmethod
    def asked(cls, keep_ratio: float | None, target_tokens: int | None, floor_tokens: int) -> "Budget":
        """The budget that a caller asks for; half where neither a ratio nor a target is given."""
        neither = keep_ratio is None and target_tokens is None
        return cls(DEFAULT_KEEP_RATIO if neither else keep_ratio, target_tokens, floor_tokens)

    def target(self, tokens: int) -> int:
        """Tokens allowed for a text of ``tokens`` tokens."""
        if self.target_tokens is not None:
            return self.target_tokens
        assert self.keep_ratio is not None
        return max(1, int(self.keep_ratio * tokens))


def meets(tokens: int, target: int) -> bool:
    """Whether an output of ``tokens`` meets its target: a little over counts as met."""
    return tokens <= target + max(0.03 * target, 8)


class TokenCounter(Protocol):
    """Counts what the reading model is billed for."""

    @property
    def encoding(self) -> str: ...

    @property
    def exact(self) -> bool:
        """Whether the reader's own tokeniser counts, or a stand-in."""

    def count(self, text: str) -> int:
        """Number of tokens of ``text``."""

    def prefix(self, text: str) -> IntArray:
        """Tokens that start before each character: shape ``(len(text) + 1,)``, rising from 0.

        ``prefix[stop] - prefix[start]`` prices a stretch as it stands in this text.
        """


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted of one text.

    Attributes:
        budget: What it may keep.
        query: What the reader was after; may be empty.
        asked: Whether the query is the reader's own question, so that its words count.
        pins: Patterns whose matches must stay.
        fold_only: Whether only that may go whose loss loses nothing: no model.
        clean: Whether control characters go, whatever the budget.
        redact: Whether secrets are replaced, whatever the budget.
        clip: Whether what choosing cannot bring under the target is clipped to its ends.
    """

    budget: Budget
    query: str = ""
    asked: bool = False
    pins: Sequence["regex.Pattern[str]"] = ()
    fold_only: bool = False
    clean: bool = False
    redact: bool = False
    clip: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was done to one text.

    Replacing every dropped span of the input by its replacement gives the output exactly.

    Attributes:
        tokens_before: Reader tokens of the input.
        tokens_after: Reader tokens of the output, markers included; never more than before.
        target_tokens: Reader tokens that were allowed.
        target_met: ``tokens_after <= target + max(3 %, 8)``.
        changed: Whether the output differs from the input.
        reason: Why nothing (more) was done, such as ``json`` or ``below_floor``; empty otherwise.
        dropped: What went, in text order, not overlapping.
        pinned: What had to stay, in text order.
        bundle: Weights that scored the text.
        runner: What computed the scores.
        encoding: Token encoding of the counts.
        exact: Whether that is the reader's own encoding.
    """

    tokens_before: int
    tokens_after: int
    target_tokens: int
    target_met: bool
    changed: bool
    reason: str
    dropped: tuple[Drop, ...]
    pinned: tuple[Pin, ...]
    bundle: str
    runner: str
    encoding: str
    exact: bool


@dataclass(frozen=True, slots=True)
class Compressed:
    """The shortened text and its receipt."""

    text: str
    receipt: Receipt
