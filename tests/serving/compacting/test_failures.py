"""The table of failures, a row a test: real writers before a server that does it over real HTTP, behind the real service.

Whatever a provider does, the answer is a valid history in which nothing is lost, and it says what happened.
"""

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest
from compact_calls import KEY, SECRETS, body_in, holds, notes, post, session_in
from compactions import small
from fake_llm import ANTHROPIC, OPENAI, TROUBLES, Act, Behaviour, Refuse, Say, closed_port, fake_llm
from messages import assistant, told, user
from session_service import SHORT_TAIL, quiet

from elision.compaction.compact.types import CompactedHistory
from elision.compaction.conversation import Format
from elision.compaction.summary.sections import sections
from elision.compaction.summary.types import Failure
from elision.serving.compacting.schemas import PlanCompaction
from elision.serving.service import Service

Serve = Callable[..., httpx.Client]
SENTINEL = "ELISION_TEST_WRITER_KEY"
_WAYS = itertools.permutations("slowly quickly badly gladly oddly plainly loudly".split(), 4)
# No line of it twice, or it would read as one that cannot stop.
LONG = "\n\n".join(
    "\n".join(
        [f"## {section.heading}", *(f"- It went on {' '.join(way)}" for way in itertools.islice(_WAYS, 60))]
    )
    for section in sections(small("elision").summary)
)
# What happens, the failure it is, and how often the writer is asked.
ROWS: dict[str, tuple[Act, Failure, int]] = {
    "slow drip": (TROUBLES["slow drip"], Failure.TIMEOUT, 1),
    "slow drip of headers": (TROUBLES["slow drip of headers"], Failure.TIMEOUT, 1),
    "silence": (TROUBLES["silence"], Failure.TIMEOUT, 1),
    "reset": (TROUBLES["reset"], Failure.NETWORK, 1),
    "cut connection": (TROUBLES["cut connection"], Failure.NETWORK, 1),
    "cut before the body": (TROUBLES["cut before the body"], Failure.NETWORK, 1),
    "429 storm": (TROUBLES["429 storm"], Failure.RATE_LIMIT, 2),
    "429 for an hour": (TROUBLES["429 for an hour"], Failure.RATE_LIMIT, 1),
    "401": (TROUBLES["401"], Failure.AUTH, 1),
    "403": (TROUBLES["403"], Failure.AUTH, 1),
    "404": (TROUBLES["404"], Failure.AUTH, 1),
    "overflow": (TROUBLES["overflow"], Failure.OVERFLOW, 4),
    "request too large": (TROUBLES["request too large"], Failure.OVERFLOW, 4),
    "500": (TROUBLES["500"], Failure.UNAVAILABLE, 1),
    "503": (TROUBLES["503"], Failure.UNAVAILABLE, 1),
    "529": (TROUBLES["529"], Failure.UNAVAILABLE, 1),
    "page under 502": (TROUBLES["page under 502"], Failure.UNAVAILABLE, 1),
    "400": (TROUBLES["400"], Failure.UNAVAILABLE, 1),
    "page under 200": (TROUBLES["page under 200"], Failure.MALFORMED, 2),
    "empty body": (TROUBLES["empty body"], Failure.MALFORMED, 2),
    "garbage UTF-8": (TROUBLES["garbage UTF-8"], Failure.MALFORMED, 2),
    "half a JSON": (TROUBLES["half a JSON"], Failure.MALFORMED, 2),
    "other shape": (TROUBLES["other shape"], Failure.MALFORMED, 2),
    "deep JSON": (TROUBLES["deep JSON"], Failure.MALFORMED, 2),
    "10 MB reply": (TROUBLES["10 MB reply"], Failure.MALFORMED, 2),
    "endless reply": (TROUBLES["endless reply"], Failure.MALFORMED, 2),
    "null content": (TROUBLES["null content"], Failure.EMPTY, 2),
    "blank": (Say(" \n\t"), Failure.EMPTY, 2),
    "sections that say nothing": (Say(notes("(none)")), Failure.EMPTY, 2),
    "tool call": (TROUBLES["tool call"], Failure.TOOL_CALL, 2),
    "a tool call in words": (Say('{"name": "bash", "arguments": {"command": "ls"}}'), Failure.TOOL_CALL, 2),
    "refusal": (TROUBLES["refusal"], Failure.REFUSED, 1),
    "a refusal in words": (Say("I'm sorry, but I can't help with that."), Failure.REFUSED, 1),
    "length": (TROUBLES["length"], Failure.CAPPED, 2),
    "no headings": (Say("The agent did some things."), Failure.MALFORMED, 2),
    "the same again and again": (Say("so " * 3000), Failure.MALFORMED, 2),
    "a missing section": (Say("## Current step\n- The importer is being checked"), Failure.MISSING_SECTION, 2),
    "invented names": (Say(notes("Patch 77fe91ab2c went into /etc/zz/y.conf [m3]")), Failure.INVENTED_IDENTIFIER, 2),
    "larger than what it replaces": (Say(LONG), Failure.INFLATED, 2),
}  # fmt: skip


# What holds up a writer that is patient.
HOLDING: dict[str, Act] = {
    "slow drip": TROUBLES["slow drip"],
    "slow drip of headers": TROUBLES["slow drip of headers"],
    "silence": TROUBLES["silence"],
    "limited for a while": Refuse(429, headers={"retry-after": "30"}),
    "busy for a while": Refuse(503, headers={"retry-after": "30"}),
}
PATIENT = "openai:fake@{}/v1 window=30000 timeout=100 deadline=300"


def writer(url: str, api: str = OPENAI, name: str = "fake", timeout: float = 5.0) -> str:
    """How a writer is set: one attempt a call, for what is tried again is the chain's business here."""
    at = f"{url}/v1" if api == OPENAI else url
    return f"{api}:{name}@{at} window=30000 retries=0 timeout={timeout} key={SENTINEL}"


@pytest.fixture
def compacted(serve: Serve, scorer: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Compact a session with a writer whose provider behaves so; the answer, and what the provider saw."""
    monkeypatch.setenv(SENTINEL, KEY)

    def run(
        behaviour: Behaviour, api: str = OPENAI, format: Format = Format.OPENAI_CHAT, timeout: float = 5.0
    ) -> Any:
        with fake_llm(behaviour) as llm:
            client = serve(scorer, writers=writer(llm.url, api, timeout=timeout))
            raw = session_in(format)
            answer = post(client, "/v1/compact", raw, format=format.value)
            return answer, raw, llm.seen

    return run


@pytest.mark.parametrize("row", ROWS)
def test_whatever_a_provider_does_nothing_is_lost_and_it_is_said(
    compacted: Callable[..., Any], row: str
) -> None:
    act, failure, asked = ROWS[row]
    api = ANTHROPIC if len(row) % 2 else OPENAI
    if row in ("no choices", "null content"):
        api = OPENAI
    timed = failure is Failure.TIMEOUT
    answer, raw, seen = compacted(act, api, timeout=0.2 if timed else 5.0)
    report = answer.json()
    tried = [(one["by"], one["failure"]) for one in report["attempts"]]

    holds(answer, raw, Format.OPENAI_CHAT)
    assert tried == [(f"{api}/fake", failure)] * asked + [("extractive", None)]
    assert all(one["detail"] for one in report["attempts"][:-1])
    assert (report["decision"], report["summary_by"]) == ("compact", "extractive")
    # On a busy machine the time may be over before the request is there.
    assert len(seen) == asked or timed
    assert not any(secret in one.everything for secret in SECRETS for one in seen)
    assert KEY not in answer.text


@pytest.mark.parametrize(
    "format", [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
)
@pytest.mark.parametrize("api", [OPENAI, ANTHROPIC])
def test_a_good_summary_goes_back_with_pins_and_without_secrets(
    compacted: Callable[..., Any], api: str, format: Format
) -> None:
    answer, raw, seen = compacted(Say(notes()), api, format)
    report = answer.json()

    holds(answer, raw, format)
    assert (report["summary_by"], report["decision"], report["target_met"]) == (
        f"{api}/fake",
        "compact",
        True,
    )
    assert "The importer of step 3 is being checked [m7]" in report["summary"]
    assert seen and not any(secret in one.everything for secret in SECRETS for one in seen)
    assert any("[secret-" in one.everything for one in seen)


def test_a_secret_that_a_writer_repeats_by_its_placeholder_comes_back(compacted: Callable[..., Any]) -> None:
    def write(request: Any, before: int) -> str:
        text = json.dumps(request)
        at = text.index("[secret-")
        return notes(f"The token is {text[at : text.index(']', at) + 1]} [m1]")

    answer, raw, _ = compacted(write)

    holds(answer, raw, Format.OPENAI_CHAT)
    assert any(secret in answer.json()["summary"] for secret in SECRETS)


def test_the_next_writer_is_asked_where_one_fails(
    serve: Serve, scorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SENTINEL, KEY)
    raw = session_in(Format.ANTHROPIC)
    with fake_llm("503") as first, fake_llm(Say(notes())) as second:
        chain = f"{writer(first.url)}, {writer(second.url, ANTHROPIC, 'other')}"
        answer = post(serve(scorer, writers=chain), "/v1/compact", raw)

    holds(answer, raw, Format.ANTHROPIC)
    assert [(one["by"], one["failure"]) for one in answer.json()["attempts"]] == [
        ("openai/fake", "unavailable"),
        ("anthropic/other", None),
    ]


@pytest.mark.parametrize(
    "first", [Say("no headings"), Say(None), Say("half", "length"), Refuse(429, headers={"retry-after": "0"})]
)
def test_what_a_second_try_mends_is_mended(compacted: Callable[..., Any], first: Act) -> None:
    answer, raw, seen = compacted([first, Say(notes())])

    holds(answer, raw, Format.OPENAI_CHAT)
    assert answer.json()["summary_by"] == "openai/fake" and len(seen) == 2


def test_nobody_listening_is_a_failure_of_the_network(
    serve: Serve, scorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SENTINEL, KEY)
    raw = session_in(Format.OPENAI_RESPONSES)
    client = serve(scorer, writers=writer(f"http://127.0.0.1:{closed_port()}"))
    answer = post(client, "/v1/compact", raw)

    holds(answer, raw, Format.OPENAI_RESPONSES)
    assert [one["failure"] for one in answer.json()["attempts"]] == ["network", None]


def test_where_nothing_helps_history_is_as_it_was_and_it_is_said_why(
    serve: Serve, scorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A history so short that no summary of it is smaller."""
    monkeypatch.setenv(SENTINEL, KEY)
    raw = told(
        [user("Never touch prod.yaml."), assistant("I will not."), user("Go on."), assistant("Yes.")] * 2,
        Format.OPENAI_CHAT,
    )
    sets = ["select.tail_min=1", "select.tail_max=8", "summary.max_tokens=1", "gate.enough=none"]
    with fake_llm("401") as llm:
        client = serve(scorer, writers=writer(llm.url))
        answer = post(client, "/v1/compact", raw, set=sets, context_window=200)
    report = answer.json()

    assert body_in(answer) == raw
    assert (report["changed"], report["decision"], report["tokens_saved"]) == (False, "leave", 0)
    assert report["detail"] and report["summary"] == "" and report["handle"] is None


@pytest.mark.parametrize("act", HOLDING.values(), ids=HOLDING)
def test_however_patient_a_writer_is_an_answer_comes_in_the_time_for_a_summary(
    serve: Serve, scorer: Any, act: Act
) -> None:
    raw = session_in(Format.OPENAI_CHAT)
    with fake_llm(act) as llm:
        client = serve(scorer, writers=PATIENT.format(llm.url), summary_seconds=1.0)
        began = time.monotonic()
        answer = post(client, "/v1/compact", raw)
        took = time.monotonic() - began

    holds(answer, raw, Format.OPENAI_CHAT)
    assert answer.json()["summary_by"] == "extractive" and took < 10


@pytest.mark.parametrize("act", HOLDING.values(), ids=HOLDING)
def test_who_closes_does_not_wait_for_a_writer_and_who_waits_is_answered(scorer: Any, act: Act) -> None:
    raw = session_in(Format.OPENAI_CHAT)

    async def closed(url: str, seen: Sequence[Any]) -> tuple[CompactedHistory, float]:
        service = Service(quiet(writers=PATIENT.format(url)), scorer)
        asked = PlanCompaction.model_validate(SHORT_TAIL)
        job = await service.compactions.job(raw, asked, "t")
        waiting = asyncio.ensure_future(service.compactions.run(job))
        while not seen:
            await asyncio.sleep(0.01)
        began = time.monotonic()
        service.close()
        return await waiting, time.monotonic() - began

    with fake_llm(act) as llm:
        compacted, took = asyncio.run(closed(llm.url, llm.seen))

    assert compacted.changed and took < 10
    assert [(one.by, one.failure) for one in compacted.attempts] == [
        ("openai/fake", Failure.NETWORK),
        ("extractive", None),
    ]
