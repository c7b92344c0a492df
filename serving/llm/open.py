"""Who writes, from a line of text: ``openai:qwen3@http://127.0.0.1:8080/v1 window=32768, anthropic:claude-haiku-5.5``.

Writers stand in the order in which they are asked, with commas between them. Each is ``API:MODEL``, then
``@URL`` where it is not the provider itself, then settings. A key never stands in the text: ``key=NAME``
names the variable that holds it. The provider's own key goes to the provider alone.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import regex

from elision.compaction.prices.lookup import price_of
from elision.compaction.prices.price import cost
from elision.serving.errors import BadInput
from elision.serving.llm import anthropic, openai_chat
from elision.serving.llm.anthropic import AnthropicWriter
from elision.serving.llm.endpoint import Endpoint, Patience, Pricing, free
from elision.serving.llm.openai_chat import OpenAIWriter
from elision.serving.llm.writer import Writer

WriterSpec = Endpoint
UNKNOWN_WINDOW = 32_768
"""Of a model of which nobody says what it takes; one too large shows as an overflow, which is dealt with."""

_WRITERS: dict[str, type[Writer]] = {"openai": OpenAIWriter, "anthropic": AnthropicWriter}
_HOMES = {
    "openai": (openai_chat.BASE_URL, "OPENAI_API_KEY", 128_000),
    "anthropic": (anthropic.BASE_URL, "ANTHROPIC_API_KEY", 200_000),
}
_KNOWN = "key, window, max_output, timeout, deadline, retries"
_AT = regex.compile(r"@(?=https?://)")
_LIKE_AN_ADDRESS = regex.compile(r"@(?:localhost$|[^@]*[:/.])")  # no model of the two providers is so called
_URLS = "behind @ it begins with http:// or https://"


def parse_writers(
    text: str, env: Mapping[str, str], window_of: Callable[[str], int | None] = lambda model: None
) -> tuple[WriterSpec, ...]:
    """The writers that a text names, in its order; none for an empty text.

    Args:
        text: Such as stands at the top of this file.
        env: Variables, by name; only the named ones are looked at.
        window_of: Tokens that a model takes, where it is known; ``window=`` goes first.

    Raises:
        BadInput: If the text makes no sense, or a variable that should hold a key is not set.
    """
    return tuple(_writer(entry.split(), env, window_of) for entry in text.split(",") if entry.strip())


def open_writers(specs: Sequence[WriterSpec], price: Pricing = free) -> list[Writer]:
    """The writers, ready to be asked; they connect at their first call. Who opens them closes them."""
    return [_WRITERS[spec.provider](spec, price) for spec in specs]


def list_price(model: str, input_tokens: int, output_tokens: int) -> float:
    """Dollars by the list of prices, 0 for a model that is not on it."""
    price = price_of(model)
    return cost(price, input_tokens, output_tokens=output_tokens) if price.known else 0.0


def _writer(
    words: Sequence[str], env: Mapping[str, str], window_of: Callable[[str], int | None]
) -> WriterSpec:
    who = words[0]
    provider, _, rest = who.partition(":")
    if provider not in _WRITERS:
        raise BadInput(
            f"{_shown(provider)} is no writer: it begins with {' or '.join(f'{name}:' for name in _WRITERS)}"
        )
    model, *urls = _AT.split(rest)
    if not model or len(urls) > 1:
        raise BadInput(f"a writer of {provider} is not {provider}:MODEL or {provider}:MODEL@URL")
    if not urls and _LIKE_AN_ADDRESS.search(model):
        # The history would go to the provider, which is not who was meant; there may be a password in it.
        raise BadInput(f"the address of a writer of {provider} is no URL: {_URLS}")
    settings = _settings(words[1:], model)
    home, variable, window = _HOMES[provider]
    return Endpoint(
        provider=provider,
        model=model,
        base_url=urls[0] if urls else home,
        key=_key(settings.get("key", "" if urls else variable), model, env),
        window=_count(settings, "window", model) or window_of(model) or (UNKNOWN_WINDOW if urls else window),
        max_output=_count(settings, "max_output", model),
        patience=_patience(settings, model),
    )


def _settings(words: Sequence[str], model: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not value or name not in _KNOWN.split(", "):
            raise BadInput(
                f"{_shown(name)} of writer {model} is no setting: known are {_KNOWN}, each as name=value"
            )
        if name in settings:
            raise BadInput(f"{name} of writer {model} is set twice")
        settings[name] = value
    return settings


def _key(variable: str, model: str, env: Mapping[str, str]) -> str:
    if not variable:
        return ""
    if not regex.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*+", variable) or not env.get(variable, "").strip():
        # Who writes the key itself here is not to find it in a log.
        known = variable if variable.isupper() and len(variable) <= 40 else "the variable that key= names"
        hint = f"; if there is an address, {_URLS}" if "@" in model else ""
        raise BadInput(f"writer {model} has no key: {known} is not set{hint}")
    return env[variable].strip()


def _patience(settings: Mapping[str, str], model: str) -> Patience:
    known = Patience()
    timeout = _seconds(settings, "timeout", model) or known.timeout
    deadline = _seconds(settings, "deadline", model) or max(known.deadline, 2 * timeout)
    retries = settings.get("retries", str(known.retries))
    if not (retries.isascii() and retries.isdigit() and len(retries) <= 2 and int(retries) <= 20):
        raise BadInput(f"retries={_shown(retries)} of writer {model} is not a number from 0 to 20")
    return Patience(timeout=timeout, deadline=deadline, retries=int(retries))


def _count(settings: Mapping[str, str], name: str, model: str) -> int | None:
    value = settings.get(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) <= 9 and int(value)):
        raise BadInput(f"{name}={_shown(value)} of writer {model} is not a number of tokens")
    return int(value)


def _seconds(settings: Mapping[str, str], name: str, model: str) -> float | None:
    value = settings.get(name)
    try:
        seconds = float(value) if value is not None else None
    except ValueError:
        seconds = math.nan
    if seconds is not None and not 0 < seconds <= 3600:
        raise BadInput(
            f"{name}={_shown(value or '')} of writer {model} is not a number of seconds, at most 3600"
        )
    return seconds


def _shown(word: str) -> str:
    return repr(word if len(word) <= 60 else f"{word[:60]}...")
