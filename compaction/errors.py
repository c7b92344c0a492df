"""What a caller of the compaction room can get wrong.

ElisionError (elision.model.errors)
├── BadBudget          the budget is not one: both or neither given, zero, negative, above 1
├── BudgetTooSmall     what may not be lost of a history needs more tokens than there are: says how many
├── BadPin             a pin pattern is not a regular expression
├── BadTime            a bound of a log's times is none: says what can be given
├── BadLevel           a severity that no logger has
├── BadAround          the pattern of the records to look around is none, or takes too long
├── UnknownEncoding    no such token encoding here
├── BadPolicy          a policy makes no sense: says which setting and why
├── NotJson            a text that should be JSON is not
├── UnknownFormat      a body is in none of the wire formats, or not in the one it was said to be in
├── BadConversation    a body breaks its format: where, and what was expected
├── StoreUnavailable   the store cannot be read or written; says why
├── PinTimeout         a pin pattern takes too long on this text
├── RedactionFailed    secrets were to be replaced and something went wrong: the text is not given back
└── DeadlineExceeded   the caller's time ran out before the text was scored
"""

from elision.model.errors import ElisionError


class BadBudget(ElisionError):
    """The budget is not one: both or neither given, zero, negative, above 1."""


class BudgetTooSmall(ElisionError):
    """What may not be lost of a history needs more tokens than there are.

    Attributes:
        needed: Tokens it needs.
        room: Tokens there are.
    """

    def __init__(self, needed: int, room: int) -> None:
        super().__init__(f"what may not be lost needs {needed} tokens, there is room for {room}")
        self.needed, self.room = needed, room


class BadPin(ElisionError):
    """A pin pattern is not a regular expression."""


class BadTime(ElisionError):
    """A bound of a log's times is none: says what can be given."""


class BadLevel(ElisionError):
    """A severity that no logger has."""


class BadAround(ElisionError):
    """The pattern of the records to look around is none, or takes too long."""


class UnknownEncoding(ElisionError):
    """No such token encoding here."""


class BadPolicy(ElisionError):
    """A policy makes no sense: says which setting and why."""


class NotJson(ElisionError):
    """A text that should be JSON is not.

    Attributes:
        at: The character that is wrong.
    """

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


class UnknownFormat(ElisionError):
    """A body is in none of the wire formats, or not in the one it was said to be in."""


class BadConversation(ElisionError):
    """A body breaks its format.

    Attributes:
        pointer: JSON pointer of what is wrong.
    """

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(f"{pointer or 'the body'}: {detail}")
        self.pointer, self.detail = pointer, detail


class StoreUnavailable(ElisionError):
    """The store cannot be read or written; says why."""


class PinTimeout(ElisionError):
    """A pin pattern takes too long on this text."""


class RedactionFailed(ElisionError):
    """Secrets were to be replaced and something went wrong: the text is not given back."""


class DeadlineExceeded(ElisionError):
    """The caller's time ran out before the text was scored."""
