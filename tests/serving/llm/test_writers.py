"""A writer sends what it should and nothing else, from any thread, until it is closed."""

import logging
import os
import subprocess
import sys
import threading
import traceback
from dataclasses import replace
from typing import Any

import pytest
from fake_llm import (
    ANTHROPIC,
    INPUT,
    OPENAI,
    OUTPUT,
    Raw,
    Rules,
    Say,
    fake_llm,
)
from llm_writers import BOTH, CALL, FAST, SECRET, reply, writer

from elision.compaction.summary.types import Failure, Finish, SummaryCall, SummaryFailed, SummaryReply
from elision.serving.llm.endpoint import Endpoint
from elision.serving.llm.open import open_writers


@BOTH
def test_a_reply_comes_back_with_its_finish_and_tokens(api: str) -> None:
    got, llm = reply(api, Say("We fixed login. Жёлтый 登录 🙂"))

    assert got == SummaryReply("We fixed login. Жёлтый 登录 🙂", Finish.STOP, INPUT, OUTPUT, 0.0)
    (seen,) = llm.seen
    assert seen.api == api and seen.body["max_tokens"] == 500 and SECRET in seen.headers["authorization"]


@BOTH
def test_a_reply_of_another_content_type_is_read_if_it_is_one(api: str) -> None:
    body = b'{"choices": [{"message": {"content": "fine"}}], "content": [{"type": "text", "text": "fine"}]}'

    assert reply(api, Raw(body, content_type="text/plain"))[0].text == "fine"


def test_a_model_that_wants_the_newer_name_of_the_limit_gets_it_from_then_on() -> None:
    with fake_llm(rules=Rules(new_room=True)) as llm, writer(OPENAI, llm.url) as asked:
        asked(CALL)
        asked(CALL)

    assert ["max_completion_tokens" in seen.body for seen in llm.seen] == [False, True, True]


@BOTH
def test_a_call_never_asks_for_more_than_the_endpoint_allows(api: str) -> None:
    with fake_llm() as llm, writer(api, llm.url, max_output=64) as asked:
        asked(CALL)
        asked(replace(CALL, max_tokens=10))

    assert [seen.body["max_tokens"] for seen in llm.seen] == [64, 10]


@BOTH
def test_halves_of_surrogates_neither_leave_nor_come_in(api: str) -> None:
    body = rb'{"choices": [{"message": {"content": "a\ud83d"}}], "content": [{"type": "text", "text": "a\ud83d"}]}'
    with fake_llm(Raw(body)) as llm, writer(api, llm.url) as asked:
        got = asked(SummaryCall("", "x\udc80 \ud83d\ude42", 5))

    assert got.text == "a\N{REPLACEMENT CHARACTER}"
    assert llm.seen[0].body["messages"][-1]["content"] == "x\N{REPLACEMENT CHARACTER} 🙂"


@BOTH
def test_what_it_costs_is_counted_by_the_price_handed_in(api: str) -> None:
    with fake_llm() as llm:
        base_url = f"{llm.url}/v1" if api == OPENAI else llm.url
        spec = Endpoint(api, "dear", base_url)
        (asked,) = open_writers(
            [spec], lambda model, tokens_in, tokens_out: len(model) + tokens_in + tokens_out / 100
        )
        with asked:
            assert asked(CALL).cost == pytest.approx(4 + INPUT + OUTPUT / 100)


@BOTH
def test_a_key_stands_nowhere_but_in_its_header(api: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        fake_llm(rules=Rules(key="sk-another")) as llm,
        writer(api, llm.url, headers={"x-gate": "gate-pass"}) as asked,
    ):
        with pytest.raises(SummaryFailed) as failed:
            asked(CALL)
        shown = [
            repr(asked),
            repr(asked.endpoint),
            asked.name,
            str(failed.value),
            repr(failed.value),
            caplog.text,
        ]
        shown += traceback.format_exception(failed.value)

    # The server says the key back in its error, as some do.
    assert failed.value.failure is Failure.AUTH and "Incorrect API key" in str(failed.value)
    assert not any(secret in text for text in shown for secret in (SECRET, "gate-pass"))
    assert failed.value.__cause__ is None and failed.value.__context__ is None
    assert llm.seen[0].headers["x-gate"] == "gate-pass"


ENVIRONMENT = {
    "OPENAI_API_KEY": "sk-leak",
    "OPENAI_ADMIN_KEY": "sk-leak",
    "OPENAI_ORG_ID": "org-leak",
    "OPENAI_PROJECT_ID": "proj-leak",
    "OPENAI_BASE_URL": "http://leak.invalid/v1",
    "OPENAI_CUSTOM_HEADERS": "X-Custom: leak\nAuthorization: Bearer leak\nUser-Agent: leak\nContent-Type: leak",
    "ANTHROPIC_API_KEY": "sk-leak",
    "ANTHROPIC_AUTH_TOKEN": "leak",
    "ANTHROPIC_BASE_URL": "http://leak.invalid",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Custom: leak\nAuthorization: Bearer leak\nanthropic-version: leak",
    "HTTP_PROXY": "http://leak.invalid:1",
    "ALL_PROXY": "http://leak.invalid:1",
}


@BOTH
@pytest.mark.parametrize("key", [SECRET, ""])
def test_nothing_of_the_environment_leaves(api: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with fake_llm() as llm:
        (asked,) = open_writers([Endpoint(api, "fake", f"{llm.url}/v1" if api == OPENAI else llm.url, key)])
        with asked:
            asked(CALL)

    (seen,) = llm.seen
    assert "leak" not in seen.everything
    expected = {
        "host",
        "connection",
        "content-length",
        "content-type",
        "accept",
        "accept-encoding",
        "user-agent",
    }
    expected |= {"authorization"} if key else set()
    expected |= {"anthropic-version"} if api == ANTHROPIC else set()
    assert set(seen.headers) == expected


@BOTH
def test_many_threads_may_ask_one_writer(api: str) -> None:
    replies: list[str] = []
    with fake_llm(lambda request, before: request["messages"][-1]["content"][::-1]) as llm:
        with writer(api, llm.url) as asked:
            threads = [
                threading.Thread(target=lambda n=n: replies.append(asked(SummaryCall("", f"n{n}", 5)).text))
                for n in range(8)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    assert sorted(replies) == [f"{n}n" for n in range(8)]


@BOTH
def test_closing_frees_who_waits_and_ends_the_thread(api: str) -> None:
    before = set(threading.enumerate())
    errors: list[SummaryFailed] = []
    arrived = threading.Event()

    def script(request: Any, before: int) -> Say:
        arrived.set()
        return Say(silent=True)

    with fake_llm(script) as llm:
        asked = writer(api, llm.url, replace(FAST, timeout=60, deadline=60))

        def ask() -> None:
            try:
                asked(CALL)
            except SummaryFailed as error:
                errors.append(error)

        waiting = threading.Thread(target=ask)
        waiting.start()
        assert arrived.wait(30)
        asked.close()
        asked.close()
        waiting.join(30)

        assert not waiting.is_alive() and [error.failure for error in errors] == [Failure.NETWORK]
        with pytest.raises(SummaryFailed):
            asked(CALL)
        assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "elision-llm"]
    writer(api, "http://127.0.0.1:1").close()  # one that never was asked


def test_a_writer_may_be_called_from_within_an_event_loop() -> None:
    import asyncio

    async def ask() -> str:
        return asked(CALL).text

    with fake_llm() as llm, writer(OPENAI, llm.url) as asked:
        assert asyncio.run(ask())


def test_the_sdks_are_loaded_only_when_they_are_asked() -> None:
    code = (
        "import sys; from elision.serving.llm.open import *; open_writers(parse_writers('openai:x@http://h/v1', {}));"
        "print({'openai', 'anthropic', 'httpx2'} & set(sys.modules))"
    )

    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )

    assert out.stdout.strip() == "set()"


def test_the_version_behind_anthropics_address_does_no_harm() -> None:
    with fake_llm() as llm:
        (asked,) = open_writers([Endpoint(ANTHROPIC, "fake", f"{llm.url}/v1/")])
        with asked:
            assert asked(CALL).text
