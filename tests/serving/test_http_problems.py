"""Bad requests: each its status, a problem document, the fields at fault, and a request id."""

import json
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from elision.serving.schemas import Problem

if TYPE_CHECKING:
    from tests.serving.conftest import WordScorer

Serve = Callable[..., httpx.Client]

ROUTE = "/v1/compress/text"
JSON = {"content-type": "application/json"}


def problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check the form of a problem and return it."""
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert (found["status"], found["code"], found["type"]) == (status, code, "about:blank")
    assert found["detail"] and found["title"]
    assert found["request_id"] == response.headers["x-request-id"]
    assert Problem.model_validate(found, strict=True, extra="forbid")
    return found


@pytest.mark.parametrize(
    ("body", "pointer", "detail"),
    [
        ({}, "#", "exactly one of text and texts"),
        ({"text": "a", "texts": ["b"]}, "#", "exactly one of text and texts"),
        (
            {"text": "a", "keep_ratio": 0.5, "target_tokens": 5},
            "#",
            "at most one of keep_ratio and target_tokens",
        ),
        ({"text": 1}, "#/text", "must be a string"),
        ({"texts": "a"}, "#/texts", "valid list"),
        ({"texts": ["a", None]}, "#/texts/1", "must be a string"),
        ({"text": "a", "query": ["b"]}, "#/query", "must be a string"),
        ({"text": "a", "keep_ratio": 0}, "#/keep_ratio", "greater than 0"),
        ({"text": "a", "keep_ratio": 1.5}, "#/keep_ratio", "less than or equal to 1"),
        ({"text": "a", "keep_ratio": "0.5"}, "#/keep_ratio", "valid number"),
        ({"text": "a", "keep_ratio": True}, "#/keep_ratio", "valid number"),
        ({"text": "a", "target_tokens": 0}, "#/target_tokens", "greater than or equal to 1"),
        ({"text": "a", "target_tokens": 10.5}, "#/target_tokens", "valid integer"),
        ({"text": "a", "target_tokens": 10**300}, "#/target_tokens", "less than or equal to"),
        ({"text": "a", "floor_tokens": -1}, "#/floor_tokens", "greater than or equal to 0"),
        ({"text": "a", "pins": "a"}, "#/pins", "valid list"),
        ({"text": "a", "pins": ["ok", "("]}, "#/pins/1", "("),
        ({"text": "a", "pins": ["a" * 1001]}, "#/pins/0", "at most 1000 characters"),
        ({"text": "a", "ratio": 0.5}, "#/ratio", "not permitted"),
        ({"text": "a", "a/b~c": 0.5}, "#/a~1b~0c", "not permitted"),
        ([], "#", "must be an object"),
        ("text", "#", "must be an object"),
        (None, "#", "must be an object"),
    ],
)
def test_a_wrong_field_is_422_and_named(
    client: httpx.Client, body: object, pointer: str, detail: str
) -> None:
    found = problem(client.post(ROUTE, content=json.dumps(body), headers=JSON), 422, "invalid_fields")

    assert [error["pointer"] for error in found["errors"]] == [pointer]
    assert detail in found["errors"][0]["detail"]


def test_all_wrong_fields_are_named_at_once(client: httpx.Client) -> None:
    found = problem(client.post(ROUTE, json={"text": 1, "keep_ratio": 2, "x": 3}), 422, "invalid_fields")

    assert {error["pointer"] for error in found["errors"]} == {"#/text", "#/keep_ratio", "#/x"}


def test_a_name_given_twice_is_422(client: httpx.Client) -> None:
    response = client.post(ROUTE, content=b'{"text": "a", "text": "b"}', headers=JSON)

    assert problem(response, 422, "invalid_fields")["errors"] == [
        {"pointer": "#/text", "detail": "is given twice"}
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"text",
        b'{"text": "a"',
        b'{"text": "a"} {}',
        b'{"text": "\xff"}',
        b'{"text": "a", "keep_ratio": NaN}',
        b'{"text": "a", "keep_ratio": -Infinity}',
        b'{"text": "a", "target_tokens": ' + b"9" * 5000 + b"}",
        b"[" * 50_000,
        b'{"text": "a\nb"}',
    ],
)
def test_what_is_not_json_is_400(client: httpx.Client, body: bytes) -> None:
    problem(client.post(ROUTE, content=body, headers=JSON), 400, "malformed_body")


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {},
        JSON | {"content-encoding": "gzip"},
    ],
)
def test_what_is_not_called_plain_json_is_415(client: httpx.Client, headers: dict[str, str]) -> None:
    problem(client.post(ROUTE, content=b'{"text": "a"}', headers=headers), 415, "unsupported_body")


def test_a_charset_is_no_reason_to_refuse(client: httpx.Client) -> None:
    headers = {"content-type": "Application/JSON; charset=utf-8", "content-encoding": "identity"}

    assert client.post(ROUTE, content=b'{"text": "a"}', headers=headers).status_code == 200


@pytest.mark.parametrize("size", [100_001, 350_000, 5_000_000])
def test_a_body_over_the_limit_is_413(client: httpx.Client, size: int) -> None:
    response = client.post(ROUTE, content=b" " * size, headers=JSON)

    assert "the limit is 100000" in problem(response, 413, "body_too_large")["detail"]


def test_a_body_of_unknown_length_is_counted_as_it_comes(client: httpx.Client) -> None:
    def chunks() -> Any:
        yield b'{"text": "'
        for _ in range(11):
            yield b"a" * 10_000
        yield b'"}'

    problem(client.post(ROUTE, content=chunks(), headers=JSON), 413, "body_too_large")


def test_a_client_that_asks_first_need_not_send(client: httpx.Client) -> None:
    with socket.create_connection(
        (client.base_url.host, client.base_url.port or 0), timeout=10
    ) as connection:
        connection.sendall(
            f"POST {ROUTE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            "Expect: 100-continue\r\nContent-Length: 100001\r\n\r\n".encode()
        )

        assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_a_client_that_leaves_is_no_error_of_ours(
    serve: Serve, scorer: "WordScorer", eventually: Callable[..., None], capfd: pytest.CaptureFixture[str]
) -> None:
    client = serve(scorer)
    head = f"POST {ROUTE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
    with socket.create_connection((client.base_url.host, client.base_url.port or 0)) as connection:
        connection.sendall(head.encode() + b"{")
    eventually(lambda: 'status="499"' in client.get("/metrics").text)

    assert capfd.readouterr().err == ""


def test_a_body_at_the_limit_is_taken(client: httpx.Client) -> None:
    body = b'{"text": "' + b"a" * (100_000 - 12) + b'"}'

    assert client.post(ROUTE, content=body, headers=JSON).status_code == 200


def test_an_unknown_path_is_404(client: httpx.Client) -> None:
    problem(client.get("/v1/nowhere"), 404, "not_found")
    problem(client.get("/v1/compress/text/"), 404, "not_found")


def test_a_wrong_method_is_405_and_names_the_right_one(client: httpx.Client) -> None:
    response = client.get(ROUTE)

    problem(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


class FadingScorer:
    """Knows its name only once, so that what asks again crashes."""

    runner = "none"
    score = None

    def __init__(self) -> None:
        self.names = ["fading@0"]

    @property
    def bundle(self) -> str:
        return self.names.pop()


def test_a_crash_of_the_service_is_a_problem_too(serve: Serve) -> None:
    client = serve(FadingScorer())

    problem(client.get("/readyz"), 500, "internal_error")
    problem(client.post(ROUTE, json={"text": "a" * 5000}), 500, "internal_error")
    assert client.get("/healthz").status_code == 200


def test_the_request_id_of_the_caller_comes_back(client: httpx.Client) -> None:
    given = {"x-request-id": "trace-01:ab.C_d"}

    assert client.get("/healthz", headers=given).headers["x-request-id"] == "trace-01:ab.C_d"
    assert client.get("/nowhere", headers=given).json()["request_id"] == "trace-01:ab.C_d"


@pytest.mark.parametrize("given", ["", "a b", "ü", "x" * 129, 'x"y', "<script>"])
def test_an_odd_request_id_is_replaced(client: httpx.Client, given: str) -> None:
    found = client.get("/healthz", headers={b"x-request-id": given.encode()}).headers["x-request-id"]

    assert found != given and len(found) == 32


def test_two_requests_have_two_ids(client: httpx.Client) -> None:
    ids = {client.get("/healthz").headers["x-request-id"] for _ in range(3)}

    assert len(ids) == 3
