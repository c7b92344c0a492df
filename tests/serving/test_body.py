"""The envelope of a request: its options are read, and what it carries stays as it is spelled."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from elision.serving.body import read_envelope
from elision.serving.errors import InvalidFields, MalformedBody

DEEP = "[" * 50_000 + "]" * 50_000


def envelope(body: bytes, *kept: str) -> tuple[dict[str, Any], str]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    request = Request({"type": "http", "headers": [(b"content-type", b"application/json")]}, receive)
    return asyncio.run(read_envelope(request, 10**6, *kept))


@pytest.mark.parametrize(
    "spelled",
    ['"\\u00e9 \\ud83d"', "1e400", "9" * 5000, '[1.0 ,{"a":1, "a":2}]', DEEP, '{"x": "]}"}'],
    ids=["escapes", "huge", "digits", "odd", "deep", "brackets"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32-be"])
def test_what_is_carried_stays_as_it_is_spelled(spelled: str, encoding: str) -> None:
    body = f' {{"a": {{"b": [1.5, null]}},\n"body" : {spelled} , "c": "é"}} '.encode(encoding)

    assert envelope(body, "body") == ({"a": {"b": [1.5, None]}, "c": "é"}, spelled)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f'{{"body": [], "a": {DEEP}}}', "nested too deeply"),
        (f'{{"body": [], "a": {"9" * 5000}}}', "too many digits"),
        ('{"body": [1, NaN]}', "not JSON at line 1, column 14"),
        ('{"body": [1],\n "a": -Infinity}', "not JSON at line 2, column 7"),
        ('{"body": [1,]}', "not JSON at line 1, column 13"),
        ('{"body": [1],}', "not JSON at line 1, column 14"),
        ('{"body": [1]} x', "not JSON at line 1, column 15"),
        ('{"body": "a\tb"}', "not JSON at line 1, column 12"),
        (f'{{"body": {DEEP[:-1]}}}', "not JSON"),
        ("", "not JSON"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(body: str, why: str) -> None:
    with pytest.raises(MalformedBody, match=why):
        envelope(body.encode(), "body")


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("[1]", "#"),
        ("3", "#"),
        ("{}", "#/body"),
        ('{"body": 1, "messages": 2}', "#/body"),
        ('{"body": 1, "b\\u006fdy": 1}', "#/body"),
        ('{"body": 1, "a": 1, "a": 2}', "#/a"),
    ],
)
def test_a_member_that_is_missing_or_there_twice_is_named(body: str, where: str) -> None:
    with pytest.raises(InvalidFields) as refused:
        envelope(body.encode(), "body", "messages")

    assert [error.pointer for error in refused.value.errors] == [where]
