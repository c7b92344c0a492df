"""Where a writer sits, what it takes, and how long one waits for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import regex

from elision.serving.errors import BadInput

Pricing = Callable[[str, int, int], float]
"""Dollars for a model, its input tokens and its output tokens; 0 where nobody knows."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def free(model: str, input_tokens: int, output_tokens: int) -> float:
    """The price of what has no known price."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call may take and how often it is tried.

    Attributes:
        timeout: Seconds of one attempt, from the name's look-up to the reply's last byte.
        deadline: Seconds of all attempts of a call and the waits between them; a call may leave less.
        connect: Seconds until a connection stands.
        retries: Attempts after the first.
        backoff: Most seconds before the second attempt; twice as many before each further one. What a
            provider asks for goes first.
        reply_bytes: Longest reply that is read.
    """

    timeout: float = 120.0
    deadline: float = 300.0
    connect: float = 10.0
    retries: int = 2
    backoff: float = 1.0
    reply_bytes: int = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model behind one address.

    Attributes:
        provider: Which API it speaks: ``openai`` or ``anthropic``.
        model: Its name there.
        base_url: Where the API begins.
        key: Its key; empty for none. Stands in no repr.
        window: Tokens of input and output together.
        max_output: Most tokens it may write, whatever a call asks for; None, no limit.
        headers: Further headers of each request, such as a gateway's. Stand in no repr.
        patience: How long one waits.

    Raises:
        BadInput: If the address or the key cannot be one.
    """

    provider: str
    model: str
    base_url: str
    key: str = field(default="", repr=False)
    window: int = 128_000
    max_output: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    patience: Patience = Patience()

    def __post_init__(self) -> None:
        _check_url(self.base_url)
        # A client that cannot send such a key as a header quotes it in its error.
        if not all("!" <= letter <= "~" for letter in self.key):
            raise BadInput(f"the key of {self.name} has blanks or letters that no key has")
        for name, value in (("window", self.window), ("max_output", self.max_output)):
            if value is not None and value < 1:
                raise BadInput(f"{name} of {self.name} is {value}, must be positive")

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine, where no proxy leads."""
        return urlsplit(self.base_url).hostname in _LOOPBACK

    def hide(self, text: str) -> str:
        """The text without the key and the values of the headers, plain or as a JSON text may spell them."""
        secrets = sorted({self.key, *self.headers.values()} - {""}, key=len, reverse=True)
        return regex.sub("|".join(map(_spelled, secrets)), "***", text) if secrets else text


def _spelled(secret: str) -> str:
    """A pattern of a secret whose letters may be escaped, in JSON inside of JSON too."""
    return r"\\{0,4}".join(
        rf"(?:{regex.escape(letter, literal_spaces=True)}|u(?i:{ord(letter):04x}))" for letter in secret
    )


def _check_url(url: str) -> None:
    """The address is written into logs and errors: there must be no secret in it."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise BadInput("the address of a writer is no URL") from None
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise BadInput(
            "the address of a writer has a name, a password or a query in it: keys come from variables"
        )
    if not good or not url.isascii() or any(letter.isspace() for letter in url):
        raise BadInput(f"{url[:100]!r} is not an address such as http://127.0.0.1:8080/v1")
