"""What a caller of the compaction room can get wrong.

ElisionError (elision.model.errors)
├── BadBudget          the budget is not one: both or neither given, zero, negative, above 1
├── BadPin             a pin pattern is not a regular expression
├── UnknownEncoding    no such token encoding here
├── PinTimeout         a pin pattern takes too long on this text
└── DeadlineExceeded   the caller's time ran out before the text was scored
"""

from elision.model.errors import ElisionError


class BadBudget(ElisionError):
    """The budget is not one: both or neither given, zero, negative, above 1."""


class BadPin(ElisionError):
    """A pin pattern is not a regular expression."""


class UnknownEncoding(ElisionError):
    """No such token encoding here."""


class PinTimeout(ElisionError):
    """A pin pattern takes too long on this text."""


class DeadlineExceeded(ElisionError):
    """The caller's time ran out before the text was scored."""
