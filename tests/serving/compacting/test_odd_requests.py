"""Requests that are allowed and that nobody expects: texts that cannot be encoded, secrets that must not come back."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from compact_calls import SECRETS, notes, post, session, session_in
from compactions import Fixed
from session_service import Session, service

from elision.compaction.conversation import Format

WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
SETS = ["select.tail_min=300", "select.tail_max=400", "reduce.compress=none"]


class _Unasked:
    """A scorer that is never asked: what is compacted here needs no classifier."""

    bundle, runner = "none@0", "python"

    def score(self, text: str, query: str = "", tick: Any = None) -> Any:
        raise AssertionError("nobody asks for scores")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with service(_Unasked(), Fixed(notes()), bundle=tmp_path_factory.mktemp("none")) as client:
        yield client


def secrets_in(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


@pytest.mark.parametrize("route", ["/v1/plan", "/v1/compact"])
@pytest.mark.parametrize("field", ["focus", "session_id", "model"])
def test_half_of_a_character_in_any_text_is_no_mistake_of_ours(
    client: httpx.Client, route: str, field: str
) -> None:
    odd = json.dumps({field: "a\ud83d b", "set": SETS, "context_window": 3000})[1:]
    raw = f'{{"body":{session_in(Format.OPENAI_CHAT)},{odd}'.encode()
    answer = client.post(route, content=raw, headers={"content-type": "application/json"})

    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    "setting", ["summary.focus=\ud83d", "compose.prefix=\ud83d", 'name="\ud83d"', "\ud83d=1"]
)
def test_half_of_a_character_in_a_policy_is_said_to_be_wrong(client: httpx.Client, setting: str) -> None:
    fields = json.dumps({"set": [setting], "context_window": 3000})[1:]
    raw = f'{{"body":{session_in(Format.OPENAI_CHAT)},{fields}'.encode()
    answer = client.post("/v1/compact", content=raw, headers={"content-type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (422, "bad_policy")


@pytest.mark.parametrize("wire", WIRES)
def test_with_redaction_no_answer_and_no_original_has_a_secret(client: httpx.Client, wire: Format) -> None:
    asked = {"redact": True, "format": wire.value, "set": SETS}
    plan = post(client, "/v1/plan", session_in(wire), **asked, cause="request")
    done = post(client, "/v1/compact", session_in(wire), **asked)
    left = post(
        client, "/v1/compact", session_in(wire), **asked | {"cause": "check", "context_window": 10**6}
    )
    original = client.get(f"/v1/expand/{done.json()['handle']}")

    assert done.json()["decision"] == "compact" and left.json()["decision"] == "leave"
    assert [one.status_code for one in (plan, done, left, original)] == [200] * 4
    assert not [secrets_in(one.text) for one in (plan, done, left, original) if secrets_in(one.text)]


def test_with_redaction_a_session_s_view_and_history_have_no_secret(client: httpx.Client) -> None:
    own = Session(client, "redacted")
    own.tell(session())
    done = own.compact(redact=True, set=SETS)

    assert done.json()["ending"] == "compacted"
    assert not any(secrets_in(text) for text in (done.text, own.get("view").text, own.get("history").text))
    # What it was told stands in its log as it was told, so that its sender is known again.
    assert own.tell(session()).json()["appended"] == []
