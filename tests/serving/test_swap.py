"""Another bundle in a running service: nothing is dropped, and each receipt names what scored it."""

import json
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
import pytest
from messages import call, result, told, user
from starlette.requests import Request
from tiny import write_tiny_bundle

from elision.compaction.conversation import Format
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Order
from elision.model import scorer as real
from elision.model.bundle import MODEL, load_bundle
from elision.model.scorer import load_scorer
from elision.model.types import Scores
from elision.serving.errors import BundleNotAllowed
from elision.serving.fail_open import Shortener
from elision.serving.swap import allowed, is_local

if TYPE_CHECKING:
    from tests.serving.conftest import Ran, WordScorer

Serve = Callable[..., httpx.Client]
USE, TEXT, MESSAGES = "/v1/models/use", "/v1/compress/text", "/v1/compress/messages"
DEADLINE = 10.0


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two bundles that think differently."""
    folder = tmp_path_factory.mktemp("bundles")
    return write_tiny_bundle(folder / "a"), write_tiny_bundle(folder / "b", seed=1)


@pytest.fixture
def started(serve: Serve, eventually: Callable[..., None]) -> Callable[..., httpx.Client]:
    def start(bundle: Path, **settings: Any) -> httpx.Client:
        client = serve(None, bundle=bundle, deadline_seconds=DEADLINE, **settings)
        eventually(lambda: client.get("/readyz").status_code == 200)
        return client

    return start


def log_of(number: int) -> str:
    """A log that no other number has, whose lines differ enough to be chosen from."""
    words = ["error", "warn", "info", "file", "test", "passed", "failed", "path", "not"]
    return "".join(f"{words[(n * n + number) % 9]} step {n} of run {number}: {words[n % 9]}\n" for n in range(40))


def swap(client: httpx.Client, bundle: Path | str) -> httpx.Response:
    return client.post(USE, json={"bundle": str(bundle)}, timeout=60)


def test_requests_during_swaps_are_all_answered_by_the_bundle_that_they_name(
    started: Callable[..., httpx.Client], pair: tuple[Path, Path]
) -> None:
    client = started(pair[0], store="none", workers=2)
    names = {load_bundle(path).identity: path for path in pair}
    over = threading.Event()

    def ask(first: int) -> Iterator[tuple[int, dict[str, Any], float]]:
        number = first
        while not over.is_set():
            began = time.monotonic()
            answer = client.post(TEXT, json={"text": log_of(number), "floor_tokens": 0})
            assert answer.status_code == 200
            yield number, answer.json(), time.monotonic() - began
            number += 4

    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(lambda first=first: list(ask(first))) for first in range(4)]  # type: ignore[misc]
        try:
            for turn in range(6):
                assert swap(client, pair[(turn + 1) % 2]).status_code == 200
                time.sleep(0.1)
        finally:
            over.set()
        answers = [answer for future in asked for answer in future.result()]

    assert {answer["bundle"] for _, answer, _ in answers} == set(names)
    assert max(seconds for _, _, seconds in answers) < DEADLINE
    by = {name: Shortener(load_scorer(path), counter("o200k_base"), failed=_raise) for name, path in names.items()}
    order, differ = Order(Budget.asked(None, None, 0)), 0
    for number, answer, _ in answers:
        expected = {name: shortener.shorten(log_of(number), order).text for name, shortener in by.items()}
        assert answer["text"] == expected[answer["bundle"]] and answer["reason"] == ""
        differ += len(set(expected.values())) == 2
    assert differ > len(answers) / 2


def _raise(error: BaseException) -> None:
    raise error


def test_what_was_decided_is_replayed_and_what_is_new_goes_to_the_new_bundle(
    started: Callable[..., httpx.Client], pair: tuple[Path, Path]
) -> None:
    client = started(pair[0])
    before = client.post(TEXT, json={"text": log_of(1), "floor_tokens": 0}).json()
    swap(client, pair[1])
    after = client.post(TEXT, json={"text": log_of(1), "floor_tokens": 0}).json()
    fresh = client.post(TEXT, json={"text": log_of(2), "floor_tokens": 0}).json()

    assert after == before and before["bundle"] == load_bundle(pair[0]).identity
    assert fresh["bundle"] == load_bundle(pair[1]).identity


def test_a_store_on_disk_replays_under_another_bundle_after_a_restart(
    started: Callable[..., httpx.Client], pair: tuple[Path, Path], tmp_path: Path
) -> None:
    store = str(tmp_path / "store.sqlite")
    before = started(pair[0], store=store).post(TEXT, json={"text": log_of(1), "floor_tokens": 0}).json()

    assert started(pair[1], store=store).post(TEXT, json={"text": log_of(1), "floor_tokens": 0}).json() == before


def test_the_prefix_of_a_conversation_holds_over_a_swap(
    started: Callable[..., httpx.Client], pair: tuple[Path, Path]
) -> None:
    client = started(pair[0])
    story = [user("find the fault"), call("c1", "bash", {"command": "make"}), result("c1", log_of(1))]
    longer = [*story, call("c2", "bash", {"command": "test"}), result("c2", log_of(2))]

    def ask(messages: list[dict[str, Any]]) -> dict[str, Any]:
        body = json.loads(told(messages, Format.OPENAI_CHAT))
        answer = client.post(MESSAGES, json={"body": body, "keep_ratio": 0.5, "floor_tokens": 0})
        return dict(answer.raise_for_status().json())

    before = ask(story)
    swap(client, pair[1])
    after = ask(longer)

    assert after["body"]["messages"][:3] == before["body"]["messages"]
    scored = [leaf["bundle"] for leaf in after["leaves"] if leaf["changed"]]
    assert scored == [load_bundle(path).identity for path in pair]
    assert after["bundle"] == load_bundle(pair[1]).identity


def test_the_bundle_in_use_is_shown_and_only_that(
    started: Callable[..., httpx.Client], pair: tuple[Path, Path]
) -> None:
    client = started(pair[0])
    first, second = (load_bundle(path).identity for path in pair)
    assert client.get(USE).json()["bundle"] == client.get("/readyz").json()["bundle"] == first

    answer = swap(client, pair[1]).json()

    assert answer == client.get(USE).json() and answer["bundle"] == second
    metrics = client.get("/metrics").text
    assert second in metrics and first not in metrics


def test_a_bundle_that_cannot_be_used_leaves_the_one_before(
    serve: Serve, scorer: "WordScorer", pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(scorer)
    broken = shutil.copytree(pair[0], tmp_path / "broken")
    (broken / MODEL).write_bytes(b"nonsense")

    def refused(bundle: Path) -> str:
        answer = swap(client, bundle)
        assert (answer.status_code, answer.json()["code"]) == (409, "bundle_unusable")
        assert client.get("/readyz").json()["bundle"] == "words@0"
        assert answer.json()["detail"].endswith("; words@0 stays in use")
        return str(answer.json()["detail"])

    assert "no bundle at" in refused(tmp_path / "missing")
    assert "model.onnx: SHA-256" in refused(broken)
    assert "too long" in refused(tmp_path / ("x" * 300))
    for values, why in ((np.nan, "its scores are no keep values"), (None, "it loads, but cannot score")):
        monkeypatch.setattr(real, "load_scorer", lambda path, values=values: Odd(values))
        assert why in refused(pair[0])


class Odd:
    bundle = runner = "odd"

    def __init__(self, value: float | None) -> None:
        self.value = value

    def score(self, text: str, query: str = "") -> Scores:
        if self.value is None:
            raise OverflowError("too much")
        return Scores(np.array([0]), np.array([1]), np.array([self.value], np.float32))


def test_two_swaps_at_once_are_one_too_many(
    serve: Serve, scorer: "WordScorer", pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, log_text: str
) -> None:
    client, loading, go_on = serve(scorer), threading.Event(), threading.Event()

    def slow(path: Path) -> Any:
        loading.set()
        assert go_on.wait(20)
        return load_scorer(path)

    monkeypatch.setattr(real, "load_scorer", slow)
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(swap, client, pair[0])
        assert loading.wait(20)
        second = swap(client, pair[1])
        meanwhile = client.post(TEXT, json={"text": log_text})
        go_on.set()

        assert first.result().status_code == 200
    assert (second.status_code, second.json()["code"]) == (409, "swap_in_progress")
    assert meanwhile.json()["bundle"] == "words@0"


def caller(address: str = "127.0.0.1", **headers: str) -> Request:
    named = {"host": "localhost:8377", **headers}
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
    return Request({"type": "http", "client": (address, 5000), "headers": raw})


def test_a_program_on_this_machine_is_told_from_a_proxy_and_a_page() -> None:
    assert is_local(caller()) and is_local(caller("::1", host="[::1]:8377")) and is_local(caller(host="127.0.0.1"))
    assert not is_local(caller("10.0.0.7"))
    assert not is_local(caller(x_forwarded_for="10.0.0.7")) and not is_local(caller(forwarded="for=10.0.0.7"))
    assert not is_local(caller(host="rebound.example:8377"))


def test_from_elsewhere_only_what_ships_or_lies_under_the_folder_can_be_used(tmp_path: Path) -> None:
    folder, remote = tmp_path / "bundles", caller("10.0.0.7")
    folder.mkdir()
    (folder / "out").symlink_to(tmp_path)
    shipped = load_bundle()

    assert allowed(shipped.path.name, remote, None) == shipped.path
    assert allowed("mine", remote, folder) == folder / "mine"
    assert allowed(str(folder / "mine"), remote, folder) == folder / "mine"
    assert allowed("/anywhere", caller(), None) == Path("/anywhere")
    for named in ("/etc", "../secret", "out/secret", str(tmp_path), f"{folder}/../secret", "", "\0", "\ud800"):
        with pytest.raises(BundleNotAllowed):
            allowed(named, remote, folder)
    with pytest.raises(BundleNotAllowed, match="a path must be absolute"):
        allowed("mine", caller(), None)


def test_a_caller_behind_a_proxy_cannot_make_the_service_read_a_path(
    serve: Serve, scorer: "WordScorer", pair: tuple[Path, Path]
) -> None:
    client, far = serve(scorer, bundle_folder=pair[0]), {"x-forwarded-for": "203.0.113.9"}
    refused = client.post(USE, json={"bundle": str(pair[1])}, headers=far)
    taken = client.post(USE, json={"bundle": str(pair[0])}, headers=far)

    assert (refused.status_code, refused.json()["code"]) == (403, "bundle_not_allowed")
    assert "ELISION_BUNDLE_FOLDER" in refused.json()["detail"]
    assert taken.status_code == 200


def test_the_command_swaps_in_a_service_and_says_what_it_refuses(
    elision: Callable[..., "Ran"], serve: Serve, scorer: "WordScorer", pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(scorer)
    url = str(client.base_url)
    monkeypatch.chdir(pair[0].parent)
    done = elision("models", "use", "a", "--service", url)
    refused = elision("models", "use", "no such", "--service", url)
    nobody = elision("models", "use", "a", "--service", "http://127.0.0.1:9")

    assert (done.code, done.out) == (0, f"{load_bundle(pair[0]).identity}\tin use: at {url}\n")
    assert (refused.code, refused.err.count("\n")) == (2, 1) and "403: no bundle named 'no such' ships" in refused.err
    assert (nobody.code, nobody.err.count("\n")) == (2, 1) and "refused" in nobody.err
    assert elision("models", "use", "a", "--service", "ftp://x").code == 2


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no SIGHUP on this system")
def test_on_sighup_a_service_follows_the_choice(
    spawn: Callable[..., Any],
    elision: Callable[..., "Ran"],
    pair: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    eventually: Callable[..., None],
) -> None:
    monkeypatch.setenv("ELISION_BUNDLE_FILE", str(tmp_path / "choice"))
    first, second = (load_bundle(path).identity for path in pair)
    assert elision("models", "use", pair[0]).code == 0
    server = spawn("serve", "--port", 0, real=True)
    url = server.stdout.readline().split()[2].decode().removesuffix(TEXT)

    def used() -> str:
        return str(httpx.get(f"{url}/readyz").json()["bundle"])

    assert used() == first
    assert elision("models", "use", pair[1]).code == 0
    assert used() == first
    server.send_signal(signal.SIGHUP)
    eventually(lambda: used() == second)
    (tmp_path / "choice").write_text("/no/such/bundle")
    server.send_signal(signal.SIGHUP)
    assert b"stays in use" in next(line for line in iter(server.stderr.readline, b"") if b"not swapped" in line)
    assert used() == second
