"""What a provider's refusal means: one table from status and body to a `Failure`.

Whether another attempt of the same call may help is decided here too; what follows from a failure that
stays is not: that is the summary's own table.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

import regex

from elision.compaction.compact.error_text import error_text
from elision.compaction.compact.overflow import overflow
from elision.compaction.summary.types import Failure

LONGEST_WAIT = 24 * 3600.0  # seconds; what a provider asks for beyond this is a day
_WORDS = 240  # characters of its words that are told
# Nobody is to wait for money or for a new key.
_QUOTA = regex.compile(
    r"insufficient[_ ](?:quota|balance|credit|fund)|exceeded your current quota|credit balance|billing[_ ]hard[_ ]limit"
    r"|payment required",
    regex.IGNORECASE,
)
_FILTERED = regex.compile(
    r"content[_ ]filter|content[_ ]policy|content management policy|responsible_?ai|usage polic|moderation|invalid_prompt",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt that brought no reply.

    Attributes:
        failure: What went wrong.
        detail: In the provider's words.
        retry_after: Seconds it asks to wait, None if it does not say.
        again: Whether the same call may succeed in a while.
    """

    failure: Failure
    detail: str
    retry_after: float | None = None
    again: bool = False


def from_status(status: int, headers: Mapping[str, str], body: bytes, now: float) -> Failed:
    """What an answer other than 200 means.

    Args:
        status: Its status.
        headers: Its headers, by names in small letters.
        body: Its body, or the beginning.
        now: Seconds since 1970, for waits that are given as a date.
    """
    failed = _named(status, body.decode("utf-8", "replace"), asked_wait(headers, now))
    forbidden = headers.get("x-should-retry", "").lower() == "false"
    return replace(failed, again=failed.again and not forbidden)


def from_error(error: Mapping[str, Any] | str) -> Failed:
    """What an error object under status 200 means; its code may be the status it should have had."""
    told = json.dumps({"error": error}, ensure_ascii=False)
    return _named(error_text(told).status or 500, told, None)


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a provider asks to wait: a number of them, of thousandths, or a date; None if it does not ask."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        else:
            seconds = float(headers["retry-after"])
    except KeyError:
        return None
    except ValueError:
        try:
            seconds = parsedate_to_datetime(headers["retry-after"]).timestamp() - now
        except (KeyError, ValueError, OverflowError):
            return None
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT)


def _named(status: int, body: str, wait: float | None) -> Failed:
    told = error_text(body).text
    detail = f"status {status}: {_plain(told)}"
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(told)):
        return Failed(Failure.RATE_LIMIT, f"{detail} (used up, no wait helps)")
    if status in (400, 403, 422, 451) and _FILTERED.search(told):
        return Failed(Failure.REFUSED, detail)
    if overflow(status, body):
        return Failed(Failure.OVERFLOW, detail)
    if status in (401, 403, 404, 407):  # a wrong key, or a model that is not there for this key
        return Failed(Failure.AUTH, detail)
    if status == 429:
        return Failed(Failure.RATE_LIMIT, detail, wait, again=True)
    if status in (408, 409, 425) or status >= 500:
        return Failed(Failure.UNAVAILABLE, detail, wait, again=status not in (501, 505))
    if status < 400:
        return Failed(Failure.MALFORMED, f"{detail} (it leads elsewhere, where nothing is sent)")
    return Failed(
        Failure.UNAVAILABLE, detail
    )  # the request is none for this model: asked again it is no other


def _plain(told: str) -> str:
    """The words in one line, without the tags of a page."""
    lines = dict.fromkeys(regex.sub(r"<[^<>]*+>", " ", told).split("\n"))
    shown = " ".join(" ".join(lines).split())[:_WORDS]
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in shown)
