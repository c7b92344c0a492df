"""What a run of questions may cost: money, tokens, or both, and never more.

A request is let go only if it could be paid for were it as dear as it can be: a token is at least
one byte of UTF-8, and the answer has a limit. What it really used is charged when it comes back.
"""

import asyncio
from dataclasses import dataclass

from elision.training.errors import BadConfig

WRAPPING = 256  # tokens that a chat template and its own opening words may add to a request


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent, and what tokens cost.

    Attributes:
        cost: Most money, in the currency of the prices; None, no limit.
        tokens: Most tokens, questions and answers together; None, no limit.
        price_in: Of a million tokens of question.
        price_out: Of a million tokens of answer.
    """

    cost: float | None = None
    tokens: int | None = None
    price_in: float | None = None
    price_out: float | None = None

    def __post_init__(self) -> None:
        if self.cost is not None and (self.price_in is None or self.price_out is None):
            raise BadConfig("a cap on cost needs the prices of tokens in and out, per million")
        for name in ("cost", "tokens", "price_in", "price_out"):
            if (value := getattr(self, name)) is not None and value < 0:
                raise BadConfig(f"{name} of the teacher is {value}, must not be negative")

    def price(self, tokens: "Tokens") -> float:
        return (tokens.asked * (self.price_in or 0) + tokens.answered * (self.price_out or 0)) / 1e6

    def covers(self, tokens: "Tokens") -> bool:
        within = self.tokens is None or tokens.asked + tokens.answered <= self.tokens
        return within and (self.cost is None or self.price(tokens) <= self.cost)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of questions and of answers."""

    asked: int = 0
    answered: int = 0

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(self.asked + other.asked, self.answered + other.answered)

    def __sub__(self, other: "Tokens") -> "Tokens":
        return Tokens(self.asked - other.asked, self.answered - other.answered)


def most(text: str, answer_tokens: int) -> Tokens:
    """The most tokens that a request with this text can use."""
    return Tokens(len(text.encode("utf-8", "replace")) + WRAPPING, answer_tokens)


class Purse:
    """What was spent, and what requests under way may still need.

    Attributes:
        budget: What may be spent.
        spent: Tokens used; of a request that ended without saying so, the most it can have used.
        guessed: Requests of the latter kind.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.spent = Tokens()
        self.guessed = 0
        self._held = Tokens()
        self._settled = asyncio.Condition()

    async def hold(self, tokens: Tokens) -> bool:
        """Set tokens aside; waits for what is under way where that may free them, False if they cannot be paid."""
        async with self._settled:
            while not self.budget.covers(self.spent + self._held + tokens):
                if self._held == Tokens():
                    return False
                await self._settled.wait()
            self._held += tokens
            return True

    async def settle(self, held: Tokens, used: Tokens | None) -> None:
        """Charge what was used instead of what was held; None where nobody said, then all of it."""
        async with self._settled:
            self._held -= held
            self.spent += held if used is None else used
            self.guessed += used is None
            self._settled.notify_all()
