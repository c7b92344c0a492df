"""`POST /v1/compress/text` on a real server: the same receipt as the command line's."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from elision.model.errors import BundleCorrupt
from elision.serving.schemas import CompressedText

if TYPE_CHECKING:
    from tests.serving.conftest import Ran, WordScorer

Rebuild = Callable[[str, dict[str, Any]], str]
Serve = Callable[..., httpx.Client]

ROUTE = "/v1/compress/text"


def until(event: threading.Event) -> Callable[[], None]:
    """What holds a scorer up until the event is set."""

    def wait() -> None:
        event.wait(10)

    return wait


def test_a_text_comes_back_shorter_with_its_receipt(
    client: httpx.Client, log_text: str, rebuilt: Rebuild
) -> None:
    response = client.post(ROUTE, json={"text": log_text, "keep_ratio": 0.33})

    answer = response.json()
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert answer["changed"] and "ERROR disk /dev/sda1 is full" in answer["text"]
    assert rebuilt(log_text, answer) == answer["text"]
    assert CompressedText.model_validate(answer, strict=True, extra="forbid")


def test_it_is_the_object_that_the_command_line_writes(
    client: httpx.Client, elision: Callable[..., "Ran"], log: object, log_text: str
) -> None:
    line = elision("compress", log, "--json", "--target-tokens", 300, "--query", "step", "--pin", "step 9 ")

    answer = client.post(
        ROUTE, json={"text": log_text, "target_tokens": 300, "query": "step", "pins": ["step 9 "]}
    )

    assert answer.json() == json.loads(line.out)


def test_texts_come_back_as_a_list_each_with_its_own_budget(client: httpx.Client, log_text: str) -> None:
    short = "nothing to do\n"

    answers = client.post(ROUTE, json={"texts": [log_text, short, ""], "keep_ratio": 0.4}).json()

    assert [answer["reason"] for answer in answers] == ["", "below_floor", "within_budget"]
    assert answers[0] == client.post(ROUTE, json={"text": log_text, "keep_ratio": 0.4}).json()
    assert client.post(ROUTE, json={"texts": []}).json() == []


def test_without_a_budget_half_is_kept(client: httpx.Client, log_text: str) -> None:
    plain = client.post(ROUTE, json={"text": log_text}).json()

    assert plain == client.post(ROUTE, json={"text": log_text, "keep_ratio": 0.5}).json()


def test_null_is_the_same_as_nothing(client: httpx.Client, log_text: str) -> None:
    nulls = dict.fromkeys(["texts", "query", "keep_ratio", "target_tokens", "model", "floor_tokens", "pins"])

    answer = client.post(ROUTE, json={"text": log_text, **nulls}).json()

    assert answer == client.post(ROUTE, json={"text": log_text}).json()


def test_the_tokens_of_the_reading_model_are_counted(client: httpx.Client, log_text: str) -> None:
    def counted(model: str) -> object:
        return client.post(ROUTE, json={"text": log_text, "model": model}).json()["token_counter"]

    assert counted("gpt-4-0613") == {"encoding": "cl100k_base", "exact": True}
    assert counted("claude-sonnet-4-5") == {"encoding": "o200k_base", "exact": False}


def test_the_floor_can_be_lowered_per_request(client: httpx.Client) -> None:
    asked = {"text": "one line\n" * 20, "keep_ratio": 0.5}

    assert client.post(ROUTE, json=asked).json()["reason"] == "below_floor"
    assert client.post(ROUTE, json=asked | {"floor_tokens": 0}).json()["changed"]


@pytest.mark.parametrize("form", ["escaped", "raw"])
@pytest.mark.parametrize("floor", [0, 10_000])
def test_lone_surrogates_neither_crash_nor_change(
    client: httpx.Client, log_text: str, rebuilt: Rebuild, form: str, floor: int
) -> None:
    text = "\ud800 " + log_text.replace("step 3 ", "step \udfff\ud83d 3 ") + "ERROR \udc00 👍"
    body = json.dumps(
        {"text": text, "query": "\ud800", "floor_tokens": floor}, ensure_ascii=form == "escaped"
    )

    response = client.post(
        ROUTE, content=body.encode("utf-8", "surrogatepass"), headers={"content-type": "application/json"}
    )

    assert response.status_code == 200
    assert response.content.isascii()
    answer = json.loads(response.content)
    assert rebuilt(text, answer) == answer["text"]
    assert answer["text"].endswith("ERROR \udc00 👍")


def test_many_at_once_get_each_their_own_answer(client: httpx.Client, log_text: str) -> None:
    texts = [log_text.replace("step", f"task{n}") for n in range(24)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda text: client.post(ROUTE, json={"text": text}).json(), texts))

    assert answers == client.post(ROUTE, json={"texts": texts}).json()
    assert all(f"task{n} " in answer["text"] for n, answer in enumerate(answers))


def test_the_server_answers_while_it_scores(serve: Serve, scorer: "WordScorer", log_text: str) -> None:
    go_on = threading.Event()
    scorer.before = until(go_on)
    client = serve(scorer)
    with ThreadPoolExecutor(1) as thread:
        slow = thread.submit(client.post, ROUTE, json={"text": log_text})
        assert client.get("/healthz").status_code == 200
        assert not slow.done()
        go_on.set()

        assert slow.result().json()["changed"]


def test_when_time_is_over_the_original_goes_back(serve: Serve, scorer: "WordScorer", log_text: str) -> None:
    scorer.before = lambda: time.sleep(0.2)
    client = serve(scorer, deadline_seconds=0.1)

    answer = client.post(ROUTE, json={"text": log_text}).json()

    assert (answer["text"], answer["changed"], answer["reason"]) == (log_text, False, "deadline")
    assert answer["tokens_before"] == answer["tokens_after"] > 300


def test_a_text_that_never_got_its_turn_comes_back_in_time(
    serve: Serve, scorer: "WordScorer", log_text: str
) -> None:
    """The first job holds the only thread beyond the deadline; the answer does not wait for it."""
    go_on = threading.Event()
    scorer.before = until(go_on)
    client = serve(scorer, deadline_seconds=0.2, workers=1)
    try:
        started = time.monotonic()
        answers = client.post(ROUTE, json={"texts": [log_text, log_text, log_text]}).json()

        assert time.monotonic() - started < 5
        assert [answer["reason"] for answer in answers] == ["deadline"] * 3
        assert {answer["text"] for answer in answers} == {log_text}
    finally:
        go_on.set()


def test_our_own_mistake_gives_the_original_back(serve: Serve, scorer: "WordScorer", log_text: str) -> None:
    scorer.before = lambda: [][0]

    response = serve(scorer).post(ROUTE, json={"texts": [log_text, "a short one"]})

    assert response.status_code == 200
    assert [answer["text"] for answer in response.json()] == [log_text, "a short one"]
    assert [answer["reason"] for answer in response.json()] == ["internal_error", "below_floor"]


def test_an_error_of_ours_while_scoring_gives_the_original_back(
    serve: Serve, scorer: "WordScorer", log_text: str
) -> None:
    def broken() -> None:
        raise BundleCorrupt("the model answers NaN")

    scorer.before = broken

    response = serve(scorer).post(ROUTE, json={"text": log_text})

    assert response.status_code == 200
    assert (response.json()["text"], response.json()["reason"]) == (log_text, "internal_error")


def test_a_panic_in_a_library_gives_the_original_back(
    serve: Serve, scorer: "WordScorer", log_text: str
) -> None:
    class PanicException(BaseException):
        """As pyo3 raises it: no Exception."""

    def panic() -> None:
        raise PanicException("called `Option::unwrap()` on a `None` value")

    scorer.before = panic

    assert serve(scorer).post(ROUTE, json={"text": log_text}).json()["reason"] == "internal_error"


def test_too_many_waiting_are_turned_away_at_once(
    serve: Serve, scorer: "WordScorer", log_text: str, eventually: Callable[..., None]
) -> None:
    go_on = threading.Event()
    scorer.before = until(go_on)
    client = serve(scorer, workers=1, queue_limit=1)
    with ThreadPoolExecutor(2) as threads:
        taken = [threads.submit(client.post, ROUTE, json={"text": log_text}) for _ in range(2)]
        eventually(lambda: "running 2.0" in client.get("/metrics").text)
        refused = client.post(ROUTE, json={"text": log_text})
        go_on.set()

        assert refused.status_code == 503
        assert refused.json()["code"] == "overloaded"
        assert int(refused.headers["retry-after"]) >= 1
        assert all(request.result().json()["changed"] for request in taken)


def test_a_body_on_its_way_takes_a_place_until_its_client_is_gone(
    serve: Serve, scorer: "WordScorer", eventually: Callable[..., None]
) -> None:
    client = serve(scorer, workers=1, queue_limit=0)
    with socket.create_connection((client.base_url.host, client.base_url.port or 0)) as slow:
        slow.sendall(
            f"POST {ROUTE} HTTP/1.1\r\nhost: a\r\n"
            'content-type: application/json\r\ncontent-length: 99\r\n\r\n{"text'.encode()
        )
        eventually(lambda: "running 1.0" in client.get("/metrics").text)

        assert client.post(ROUTE, json={"text": "a"}).json()["code"] == "overloaded"

    eventually(lambda: client.post(ROUTE, json={"text": "a"}).status_code == 200)


def test_the_time_of_a_request_runs_while_its_body_comes(
    serve: Serve, scorer: "WordScorer", log_text: str
) -> None:
    def slowly() -> Iterator[bytes]:
        body = json.dumps({"text": log_text}).encode()
        yield body[:50]
        time.sleep(0.4)
        yield body[50:]

    client = serve(scorer, deadline_seconds=0.2)
    answer = client.post(ROUTE, content=slowly(), headers={"content-type": "application/json"}).json()

    assert (answer["text"], answer["reason"]) == (log_text, "deadline")


def test_a_refused_request_gives_its_place_back(serve: Serve, scorer: "WordScorer") -> None:
    client = serve(scorer, workers=1, queue_limit=0)

    assert [client.post(ROUTE, json={}).status_code for _ in range(3)] == [422] * 3
    assert client.post(ROUTE, json={"text": "a"}).status_code == 200
