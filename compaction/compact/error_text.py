"""What an error says of itself.

Errors come as JSON, as JSON inside the words of another error, as events of a stream, or as plain words.
Some quote the request that they refuse; so only what stands under the names that errors use is read.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_LONGEST_BODY = 1 << 20
_LONGEST_TEXT = 4000  # characters; a longer one quotes the request
_MOST = 16
_DEEPEST = 8
_SAID_IN = frozenset(
    {
        "message",
        "msg",
        "error",
        "errors",
        "code",
        "type",
        "detail",
        "details",
        "raw",
        "reason",
        "status",
        "title",
    }
    | {
        "description",
        "error_message",
        "error_type",
        "error_code",
        "__type",
        "cause",
        "body",
        "response",
        "metadata",
    }
    | {"innererror", "data"}
)
_LIMITS = {"n_ctx": "limit", "n_prompt_tokens": "had"}  # llama.cpp


@dataclass(frozen=True, slots=True)
class ErrorText:
    """What an error says.

    Attributes:
        text: Its words, a line each.
        codes: What may be a code or a type, in small letters.
        status: Of the response, where the error says it.
        numbers: ``limit`` and ``had``, where they are members.
    """

    text: str
    codes: frozenset[str]
    status: int | None
    numbers: dict[str, int]


def error_text(body: str) -> ErrorText:
    """Read an error; of what cannot be read its beginning."""
    said = list(_walk(_json_in(body), 0))
    texts = [value[:_LONGEST_TEXT] for _, value in said if isinstance(value, str)][:_MOST]
    whole = [(key, value) for key, value in said if isinstance(value, int) and not isinstance(value, bool)]
    return ErrorText(
        text="\n".join(texts) if any(text.strip() for text in texts) else body[:_LONGEST_TEXT],
        codes=frozenset(text.strip().lower() for text in texts),
        status=next(
            (value for key, value in whole if key in ("code", "status") and 400 <= value < 600), None
        ),
        numbers={_LIMITS[key]: value for key, value in whole if key in _LIMITS},
    )


def _walk(value: Any, depth: int, key: str = "error") -> Iterator[tuple[str, Any]]:
    """What stands under the names that errors use, with the name; JSON in strings is read too."""
    if depth > _DEEPEST or value is None:
        return
    if isinstance(value, dict):
        for name, below in value.items():
            if name in _SAID_IN or name in _LIMITS:
                yield from _walk(below, depth + 1, name)
    elif isinstance(value, list):
        for below in value[:_MOST]:
            yield from _walk(below, depth + 1, key)
    elif isinstance(value, str) and (inner := _json_in(value)) is not None:
        yield key, value[: value.find("{")]
        yield from _walk(inner, depth + 1, key)
    else:
        yield key, value


def _json_in(text: str) -> Any:
    """The object in a text: all of it, or what stands in words or in an event of a stream."""
    start, stop = text.find("{"), text.rfind("}")
    if start < 0 or stop < start or stop - start > _LONGEST_BODY:
        return None
    try:
        return json.loads(text[start : stop + 1])
    except (ValueError, RecursionError):
        return None
