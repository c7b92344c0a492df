"""What can go wrong at the edges. Exit codes are in cli.py, status codes in problems.py.

ElisionError (elision.model.errors)
├── BadInput           the input is not a text that can be read
├── BadOutput          there is nowhere to write the output
├── UnknownHandle      there is no original under this handle, or no longer
├── BadSelection       a handle, a range of lines or a pattern makes no sense
├── BadSettings        an ELISION_* variable or a flag of `serve` makes no sense
├── AddressUnavailable the port is in use, or the host is not ours
├── SelfTestFailed     the installation does not shorten what it must
├── MissingExtra       the command needs packages that are not installed
├── ServiceRefused     a running service did not do what it was asked for, or there is none
└── RequestError       a request cannot be answered
    ├── MalformedBody      the body is not JSON
    ├── BodyTooLarge       the body is over the limit
    ├── UnsupportedBody    the body is of another media type, or packed
    ├── InvalidFields      the body is JSON, but not what the route takes
    ├── NotReducible       what may not be shortened is over the limit by itself
    ├── UnknownContextWindow no limit is given, and the model's window is not known
    ├── UnknownPolicy      no policy has this name
    ├── BundleNotAllowed   this caller may not choose that bundle
    ├── BundleUnusable     the bundle cannot be loaded; the one before stays
    ├── SessionsNotKept    the service was told to keep nothing
    ├── SwapInProgress     another bundle is being loaded
    ├── Overloaded         too many requests are waiting
    └── NotReady           the scorer is loading, or could not be loaded
"""

from collections.abc import Sequence
from dataclasses import dataclass

from elision.model.errors import ElisionError


class BadInput(ElisionError):
    """The input is not a text that can be read."""


class BadOutput(ElisionError):
    """There is nowhere to write the output."""


class UnknownHandle(ElisionError):
    """There is no original under this handle, or no longer."""


class BadSelection(ElisionError):
    """A handle, a range of lines or a pattern makes no sense."""


class BadSettings(ElisionError):
    """An ELISION_* variable or a flag of `serve` makes no sense."""


class AddressUnavailable(ElisionError):
    """The port is in use, or the host is not ours."""


class SelfTestFailed(ElisionError):
    """The installation does not shorten what it must."""


class MissingExtra(ElisionError):
    """The command needs packages that are not installed."""


class ServiceRefused(ElisionError):
    """A running service did not do what it was asked for, or there is none."""


class RequestError(ElisionError):
    """A request cannot be answered."""


class MalformedBody(RequestError):
    """The body is not JSON."""


class BodyTooLarge(RequestError):
    """The body is over the limit."""


class UnsupportedBody(RequestError):
    """The body is of another media type, or packed."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field; ``pointer`` is a JSON pointer as a URI fragment (RFC 6901)."""

    pointer: str
    detail: str


class InvalidFields(RequestError):
    """The body is JSON, but not what the route takes; ``errors`` says where and why."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__("; ".join(f"{error.pointer}: {error.detail}" for error in errors))
        self.errors = tuple(errors)


class NotReducible(RequestError):
    """What may not be shortened is over the limit by itself."""


class UnknownContextWindow(RequestError):
    """No limit is given, and the model's window is not known."""


class UnknownPolicy(RequestError):
    """No policy has this name."""


class BundleNotAllowed(RequestError):
    """This caller may not choose that bundle."""


class BundleUnusable(RequestError):
    """The bundle cannot be loaded; the one before stays."""


class SessionsNotKept(RequestError):
    """The service was told to keep nothing."""


class SwapInProgress(RequestError):
    """Another bundle is being loaded."""


class Overloaded(RequestError):
    """Too many requests are waiting."""


class NotReady(RequestError):
    """The scorer is loading, or could not be loaded."""
