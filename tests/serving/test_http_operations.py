"""What an operator relies on: health, metrics, the description of the API, log lines."""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from elision.model import scorer as real
from elision.model.errors import BundleCorrupt
from elision.serving.schemas import CompressText

if TYPE_CHECKING:
    from tests.serving.conftest import Ran, WordScorer

Serve = Callable[..., httpx.Client]

ROUTE = "/v1/compress/text"
COMPACTING = {"/v1/plan", "/v1/compact", "/v1/sessions/{session}/events"}
BODIES = {"/v1/compress", "/v1/compress/messages", "/v1/count", "/v1/validate", *COMPACTING}
SESSION = {"", "/compact", "/fork", "/history", "/replay", "/rollback", "/undo", "/view"}


def figures(client: httpx.Client) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {(s.name, *s.labels.values()): s.value for family in families for s in family.samples}


def test_a_loaded_service_is_alive_and_ready(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready", "bundle": "words@0", "runner": "python"}


def test_a_loading_service_is_alive_but_not_ready(
    serve: Serve, scorer: "WordScorer", monkeypatch: pytest.MonkeyPatch, eventually: Callable[..., None]
) -> None:
    loaded = threading.Event()
    monkeypatch.setattr(real, "load_scorer", lambda path: loaded.wait(10) and scorer)
    client = serve(None)

    assert client.get("/healthz").status_code == 200
    for response in (client.get("/readyz"), client.post(ROUTE, json={"text": "a"})):
        assert response.status_code == 503
        assert response.json()["code"] == "not_ready"
        assert response.json()["detail"] == "the scorer is loading"

    loaded.set()
    eventually(lambda: client.get("/readyz").status_code == 200)
    assert client.post(ROUTE, json={"text": "a"}).status_code == 200


def test_a_scorer_that_cannot_be_loaded_is_said(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, eventually: Callable[..., None]
) -> None:
    def broken(path: Path | None) -> None:
        raise BundleCorrupt("encoder.onnx is not what the manifest says")

    monkeypatch.setattr(real, "load_scorer", broken)
    client = serve(None)
    eventually(lambda: "loading" not in client.get("/readyz").text)

    assert (
        client.get("/readyz")
        .json()["detail"]
        .endswith("could not be loaded: encoder.onnx is not what the manifest says")
    )
    assert client.get("/healthz").status_code == 200


def test_metrics_count_requests_texts_and_tokens(serve: Serve, scorer: "WordScorer", log_text: str) -> None:
    client = serve(scorer)
    answer = client.post(ROUTE, json={"text": log_text}).json()
    client.post(ROUTE, json={"text": "a short one"})
    client.post(ROUTE, json={})
    client.get("/some/path?id=1")

    found = figures(client)

    assert found["elision_requests_total", ROUTE, "200"] == 2
    assert found["elision_requests_total", ROUTE, "422"] == 1
    assert found["elision_requests_total", "other", "404"] == 1
    assert found["elision_request_duration_seconds_count", ROUTE] == 3
    assert found["elision_texts_total", ""] == 1
    assert found["elision_texts_total", "below_floor"] == 1
    assert found["elision_tokens_before_total",] == answer["tokens_before"] + 3
    assert found["elision_tokens_after_total",] == answer["tokens_after"] + 3
    assert found["elision_requests_running",] == 0
    assert any(key[0] == "elision_build_info" and "words@0" in key for key in found)


def test_two_apps_count_apart(serve: Serve, scorer: "WordScorer") -> None:
    one, other = serve(scorer), serve(scorer)
    one.post(ROUTE, json={"text": "a short one"})

    assert ("elision_texts_total", "below_floor") not in figures(other)


def test_the_description_names_every_route_and_field(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()

    operations = {"/healthz", "/readyz", "/metrics", "/v1/models/use", "/v1/policies", "/v1/sessions"}
    sessions = {f"/v1/sessions/{{session}}{end}" for end in SESSION}
    handles = {"/v1/expand/{handle}", "/v1/retrieve/{handle}", "/v1/policies/{name}"}
    assert set(described["paths"]) == {ROUTE, *BODIES, *handles, *operations, *sessions}
    post = described["paths"][ROUTE]["post"]
    fields = post["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert set(fields) == set(CompressText.model_fields)
    assert set(post["responses"]) == {"200", "400", "413", "415", "422", "503"}
    assert list(post["responses"]["422"]["content"]) == ["application/problem+json"]


def test_the_description_refers_to_nothing_that_is_not_there(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()

    found = list(references(described))
    assert found
    for reference in found:
        assert reference.startswith("#/")
        part = described
        for step in reference.removeprefix("#/").split("/"):
            part = part[step]


def references(part: Any) -> Iterator[str]:
    """Every ``$ref`` of a document."""
    if isinstance(part, dict):
        yield from [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        part = list(part.values())
    if isinstance(part, list):
        for item in part:
            yield from references(item)


def test_the_service_does_what_its_description_says(client: httpx.Client) -> None:
    """schemathesis: valid requests are taken, others refused, answers are as described."""
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    schema = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
    for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):
        for operation in schema.get_all_operations():
            if operation.ok().body or not mode.is_negative:
                does_what_it_says(operation.ok(), mode, str(client.base_url))


def does_what_it_says(operation: Any, mode: Any, base_url: str) -> None:
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    # What a provider's body holds is told by the provider, and what a session has by its log.
    elsewhere = operation.path in BODIES or operation.path.startswith("/v1/sessions/")
    apart = [positive_data_acceptance] if elsewhere else []

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=40,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Any) -> None:
        case.call_and_validate(base_url=base_url, excluded_checks=apart)

    check()


@pytest.fixture
def lines(
    serve: Serve, scorer: "WordScorer", capfd: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Any]]:
    """Log lines that one request leaves."""
    client = serve(scorer, log_level="info", log_format="json")

    def after(**request: Any) -> list[dict[str, Any]]:
        capfd.readouterr()
        client.post(ROUTE, headers={"x-request-id": "r-1"}, **request)
        client.get("/healthz")
        return [json.loads(line) for line in capfd.readouterr().err.splitlines()]

    yield after


def test_a_request_leaves_one_line_and_a_probe_none(lines: Callable[..., Any]) -> None:
    (line,) = lines(json={"text": "a"})

    assert line["event"] == "request" and line["level"] == "info"
    assert (line["method"], line["route"], line["status"]) == ("POST", ROUTE, 200)
    assert line["request_id"] == "r-1"
    assert line["seconds"] >= 0 and line["timestamp"]


def test_no_line_ever_holds_the_text(lines: Callable[..., Any], scorer: "WordScorer", log_text: str) -> None:
    def crash() -> None:
        raise KeyError(scorer.seen[-1])

    scorer.before = crash

    crashed, answered = lines(json={"text": log_text + "sesame", "query": "sesame", "pins": ["sesame"]})

    assert crashed["error"] == "KeyError" and "in crash" in crashed["exception"]
    assert crashed["request_id"] == answered["request_id"] == "r-1"
    assert "sesame" not in json.dumps([crashed, answered])
    assert "sesame" not in json.dumps(lines(json={"sesame": "sesame"}))


def test_the_loggers_of_others_are_left_alone(client: httpx.Client) -> None:
    assert not any(type(handler) is logging.StreamHandler for handler in logging.getLogger().handlers)


def test_torch_is_never_imported_to_serve(cold: Callable[..., "Ran"]) -> None:
    code = """
import sys
from elision.serving import cli
from elision.serving.app import create_app
from elision.serving.settings import Settings
from elision.model.scorer import load_scorer
from elision.model.errors import BundleError
try:
    scorer = load_scorer(None)
except BundleError as error:
    print("skip", error)
    raise SystemExit
create_app(Settings(), scorer)
scorer.score("one line\\nand another\\n")
print(sorted({"torch", "transformers"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-Ic", code], capture_output=True, text=True)

    if done.stdout.startswith("skip"):
        pytest.skip(f"no bundle here: {done.stdout}")
    assert done.stdout == "[]\n", done.stderr
