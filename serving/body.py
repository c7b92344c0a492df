"""A request's body: at most so many bytes, JSON, and nothing in it lost or doubled.

The standard parser is used because it takes lone surrogates and gives them back.
"""

import asyncio
import json
from typing import Any, NoReturn

from starlette.requests import Request

from elision.compaction.errors import NotJson
from elision.compaction.raw_json import parse as parse_raw
from elision.compaction.sessions.outline import members as scanned_members
from elision.model.types import Span
from elision.serving.errors import BodyTooLarge, FieldError, InvalidFields, MalformedBody, UnsupportedBody


async def read_json(request: Request, limit: int) -> Any:
    """The body as JSON.

    Raises:
        UnsupportedBody: If it is not called JSON, or is compressed.
        BodyTooLarge: If it is longer than ``limit``, whatever its Content-Length says.
        MalformedBody: If it is not JSON.
        InvalidFields: If an object has one name twice.
    """
    _check_media_type(request)
    return parse(await _read(request, limit))


async def read_envelope(request: Request, limit: int, *kept: str) -> tuple[dict[str, Any], str]:
    """An object of which one member is carried as it is spelled: the others, and that member's text.

    Args:
        limit: Bytes the body may have.
        kept: Names that member can have; exactly one of them is there.

    Raises:
        UnsupportedBody, BodyTooLarge, MalformedBody, InvalidFields: As `read_json`.
    """
    options, _, text = await read_either(request, limit, *kept)
    return options, text


async def read_either(request: Request, limit: int, *kept: str) -> tuple[dict[str, Any], str, str]:
    """As `read_envelope`, with the name that the member has before its text."""
    _check_media_type(request)
    return await asyncio.to_thread(_split, await _read(request, limit), kept)


def _split(body: bytearray, kept: tuple[str, ...]) -> tuple[dict[str, Any], str, str]:
    text = _decoded(body)
    members = _members(text)
    _unique([(name, None) for name, _ in members])
    found = [(name, span) for name, span in members if name in kept]
    if len(found) != 1:
        why = f"give exactly one of {' and '.join(kept)}" if len(kept) > 1 else "Field required"
        raise InvalidFields([FieldError(f"#/{kept[0]}", why)])
    try:
        options = {name: json.loads(span.of(text)) for name, span in members if name not in kept}
    except (RecursionError, ValueError):
        raise MalformedBody("an option is nested too deeply or holds a number with too many digits") from None
    name, span = found[0]
    return options, name, span.of(text)


def _members(text: str) -> tuple[tuple[str, Span], ...]:
    """The names of an object and where their values stand; read whole where a scan does not tell them."""
    scanned = scanned_members(text)
    if scanned is not None:
        return scanned
    try:
        node = parse_raw(text)
    except NotJson as error:
        raise MalformedBody(f"the body is {error}") from None
    if not isinstance(node.value, dict):
        raise InvalidFields([FieldError("#", "must be an object")])
    return tuple((name, member.span) for name, member in node.members)


def parse(body: bytes | bytearray) -> Any:
    """JSON in UTF-8, -16 or -32 to Python."""
    try:
        return json.loads(body, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError:
        raise MalformedBody("the body is nested too deeply") from None
    except ValueError as error:
        raise MalformedBody(f"the body is not JSON: {error}") from None


def _check_media_type(request: Request) -> None:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise UnsupportedBody(f"the body is {media_type or 'of no type'}, send application/json")
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if packed != "identity":
        raise UnsupportedBody(f"the body is packed with {packed}, send it plain")


def _decoded(body: bytearray) -> str:
    try:
        return body.decode(json.detect_encoding(body))
    except UnicodeDecodeError as error:
        raise MalformedBody(f"the body is not text: {error}") from None


async def _read(request: Request, limit: int) -> bytearray:
    """The body, or an error once more than ``limit`` bytes came.

    Some more is read and thrown away, so that a client that sends before it reads gets to
    see the answer instead of a reset connection.
    """
    body, seen = bytearray(), 0
    declared = int(request.headers.get("content-length", 0))
    too_large = BodyTooLarge(f"the body has {max(declared, limit + 1)} bytes or more, the limit is {limit}")
    if declared > limit and "expect" in request.headers:  # it waits for our word before it sends
        raise too_large
    async for chunk in request.stream():
        seen += len(chunk)
        if max(seen, declared) <= limit:
            body += chunk
        elif seen > 4 * limit:
            break
    if max(seen, declared) > limit:
        raise too_large
    return body


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise InvalidFields([FieldError(f"#/{twice}", "is given twice")])
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")
