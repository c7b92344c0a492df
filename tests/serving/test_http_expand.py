"""`GET /v1/expand/{handle}`: the caller's own originals, and nobody else's."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.requests import HTTPConnection

from elision.compaction.compress import untouched
from elision.compaction.store import handle_of
from elision.compaction.tokens import counter
from elision.compaction.types import Budget
from elision.serving.stores.sqlite import SqliteStores
from elision.serving.stores.types import Limits
from elision.serving.tenants import tenant_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.serving.conftest import WordScorer

TEXT = "one\r\ntwo\nthree \ud800"
HANDLE = handle_of(TEXT)
KEY = {"authorization": "Bearer sk-mine"}


def tenant(**headers: str) -> str:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return tenant_of(HTTPConnection({"type": "http", "headers": raw}))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.sqlite"


@pytest.fixture
def ask(
    serve: "Callable[..., httpx.Client]", scorer: "WordScorer", path: Path
) -> "Iterator[Callable[..., httpx.Response]]":
    """Ask a service whose store holds one text of the caller with the key above."""
    stores = SqliteStores(path, Limits(1e6, 10**6))
    outcome = untouched(TEXT, Budget(keep_ratio=0.5), scorer=scorer, counter=counter(), reason="test")
    stores.scope(tenant(**KEY), "s").remember("k", TEXT, outcome)
    client = serve(scorer, store=str(path))
    yield lambda handle=HANDLE, headers=KEY, **query: client.get(f"/v1/expand/{handle}", headers=headers, params=query)
    stores.close()


@pytest.mark.parametrize(
    ("query", "text"),
    [({}, TEXT), ({"lines": "1-2"}, "one\r\ntwo\n"), ({"grep": "^t"}, "2:two\n3:three \ud800")],
)
def test_an_original_comes_back_whole_or_in_part(
    ask: "Callable[..., httpx.Response]", query: dict[str, str], text: str
) -> None:
    answer: dict[str, Any] = ask(**query).json()

    assert answer == {"handle": HANDLE, "text": text, "lines_total": 3, "tokens": counter().count(text)}


def test_without_the_key_it_is_as_if_it_were_not_there(ask: "Callable[..., httpx.Response]") -> None:
    for response in (ask(headers={}), ask(headers={"x-api-key": "another"}), ask(handle="0" * 24)):
        assert (response.status_code, response.json()["code"]) == (404, "unknown_handle")
        assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("query", [{"lines": "3-1"}, {"lines": "9"}, {"grep": "("}, {"lines": "1", "grep": "a"}])
def test_a_bad_query_is_422(ask: "Callable[..., httpx.Response]", query: dict[str, str]) -> None:
    response = ask(**query)

    assert (response.status_code, response.json()["code"]) == (422, "bad_selection")


def test_what_is_no_handle_is_422(ask: "Callable[..., httpx.Response]") -> None:
    assert ask(handle="abc").status_code == 422


def test_a_broken_store_is_503_with_the_reason(ask: "Callable[..., httpx.Response]", path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\0" * path.stat().st_size)
    path.with_name(path.name + "-wal").write_bytes(b"")

    response = ask()

    assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")
    assert str(path) in response.json()["detail"]


def test_a_tenant_is_a_hash_of_the_callers_key() -> None:
    named = [tenant(**{header: "k"}) for header in ("authorization", "x-api-key", "x-goog-api-key")]

    assert tenant() == tenant(authorization="") == ""
    assert len(set(named)) == 1 and len(named[0]) == 64
    assert tenant(authorization="k") != tenant(authorization="l")
