"""Whatever a provider does over HTTP, a writer gives a reply or one named failure, in bounded time and memory."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from fake_llm import (
    ANTHROPIC,
    INPUT,
    OPENAI,
    TROUBLES,
    Act,
    Raw,
    Refuse,
    Rules,
    Say,
    closed_port,
    fake_llm,
)
from llm_writers import BOTH, CALL, FAST, HASTY, failure, reply, writer

from elision.compaction.summary.types import Failure, Finish, SummaryFailed, SummaryReply
from elision.serving.llm.endpoint import Endpoint, Patience
from elision.serving.llm.open import open_writers

# What happens, the failure it is, and how often it is asked: only what may pass is asked again.
FAILURES = {
    "slow drip": (Failure.TIMEOUT, 1),
    "slow drip of headers": (Failure.TIMEOUT, 1),
    "silence": (Failure.TIMEOUT, 1),
    "reset": (Failure.NETWORK, 3),
    "cut connection": (Failure.NETWORK, 3),
    "cut before the body": (Failure.NETWORK, 3),
    "429 storm": (Failure.RATE_LIMIT, 3),
    "429 for an hour": (Failure.RATE_LIMIT, 1),
    "429 without a word": (Failure.RATE_LIMIT, 3),
    "quota used up": (Failure.RATE_LIMIT, 1),
    "401": (Failure.AUTH, 1),
    "403": (Failure.AUTH, 1),
    "404": (Failure.AUTH, 1),
    "400": (Failure.UNAVAILABLE, 1),
    "overflow": (Failure.OVERFLOW, 1),
    "request too large": (Failure.OVERFLOW, 1),
    "500": (Failure.UNAVAILABLE, 3),
    "503": (Failure.UNAVAILABLE, 3),
    "529": (Failure.UNAVAILABLE, 3),
    "page under 502": (Failure.UNAVAILABLE, 3),
    "page under 200": (Failure.MALFORMED, 1),
    "empty body": (Failure.MALFORMED, 1),
    "garbage UTF-8": (Failure.MALFORMED, 1),
    "half a JSON": (Failure.MALFORMED, 1),
    "other shape": (Failure.MALFORMED, 1),
    "a list": (Failure.MALFORMED, 1),
    "deep JSON": (Failure.MALFORMED, 1),
    "events": (Failure.MALFORMED, 1),
    "packed": (Failure.MALFORMED, 1),
    "10 MB reply": (Failure.MALFORMED, 1),
    "endless reply": (Failure.MALFORMED, 1),
    "endless error": (Failure.UNAVAILABLE, 3),
    "redirect loop": (Failure.MALFORMED, 1),
}
# What is a reply all the same, and how it ends.
REPLIES = {
    "null content": ("", Finish.STOP),
    "tool call": ("", Finish.TOOL_CALL),
    "refusal": ("I cannot help with that.", Finish.REFUSAL),
    "length": ("A summary that", Finish.LENGTH),
}


@BOTH
@pytest.mark.parametrize("trouble", FAILURES)
def test_each_trouble_is_named_and_only_what_may_pass_is_asked_again(api: str, trouble: str) -> None:
    named, times = FAILURES[trouble]
    timed = named is Failure.TIMEOUT

    error, llm = failure(api, trouble, HASTY if timed else FAST)

    assert error.failure is named, error
    # On a busy machine the time may be over before the request is there.
    assert len(llm.seen) == times or timed and not llm.seen


@BOTH
@pytest.mark.parametrize("trouble", REPLIES)
def test_what_a_model_leaves_unsaid_is_told_by_how_it_ended(api: str, trouble: str) -> None:
    got, _ = reply(api, trouble)

    assert (got.text, got.finish) == REPLIES[trouble]


def test_every_trouble_has_its_row() -> None:
    assert {*FAILURES, *REPLIES, "no choices"} == set(TROUBLES)


def test_no_choices_at_all_is_nothing_said() -> None:
    assert failure(OPENAI, "no choices")[0].failure is Failure.EMPTY
    assert reply(ANTHROPIC, "no choices")[0] == SummaryReply("", Finish.OTHER)


@BOTH
@pytest.mark.parametrize("first", ["429 storm", "503", "529", "reset", "cut connection", "page under 502"])
def test_what_passes_is_not_told(api: str, first: str) -> None:
    got, llm = reply(api, [TROUBLES[first], Say("after all")])

    assert got.text == "after all" and len(llm.seen) == 2


@BOTH
def test_the_wait_is_the_providers_and_the_finer_word_goes_first(api: str) -> None:
    patience = replace(FAST, backoff=1000.0)
    _, short = failure(api, Refuse(429, headers={"retry-after-ms": "1", "retry-after": "3600"}), patience)
    _, long = failure(api, Refuse(429, headers={"retry-after-ms": "3600000", "retry-after": "0"}), patience)

    assert (len(short.seen), len(long.seen)) == (3, 1)


@BOTH
def test_a_wait_beyond_the_deadline_is_not_begun_but_told(api: str) -> None:
    error, _ = failure(api, Refuse(503, headers={"retry-after": "61"}))

    assert (error.failure, error.retry_after) == (Failure.UNAVAILABLE, 61.0)


@BOTH
def test_a_provider_that_says_not_to_ask_again_is_not(api: str) -> None:
    assert len(failure(api, Refuse(500, headers={"x-should-retry": "false"}))[1].seen) == 1


WAITS: dict[str, Act] = {
    "slow drip": TROUBLES["slow drip"],
    "slow drip of headers": TROUBLES["slow drip of headers"],
    "silence": TROUBLES["silence"],
    "limited for a while": Refuse(429, headers={"retry-after": "30"}),
    "busy for a while": Refuse(503, headers={"retry-after": "30"}),
    "busy": Refuse(503),
}


@BOTH
@pytest.mark.parametrize("act", WAITS.values(), ids=WAITS)
@pytest.mark.parametrize(("seconds", "deadline"), [(0.5, 300.0), (300.0, 0.5), (None, 0.5)])
def test_a_call_is_over_when_its_own_time_is_or_the_writers(
    api: str, act: Act, seconds: float | None, deadline: float
) -> None:
    patience = Patience(timeout=100.0, deadline=deadline, backoff=30.0)
    with fake_llm(act) as llm, writer(api, llm.url, patience) as asked:
        began = time.monotonic()
        with pytest.raises(SummaryFailed):
            asked(replace(CALL, seconds=seconds))

    assert time.monotonic() - began < 10


@BOTH
@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_for_a_call_without_time_nothing_is_sent(api: str, seconds: float) -> None:
    with fake_llm() as llm, writer(api, llm.url) as asked:
        with pytest.raises(SummaryFailed) as failed:
            asked(replace(CALL, seconds=seconds))

    assert failed.value.failure is Failure.TIMEOUT and not llm.seen


@BOTH
def test_no_wait_of_our_own_goes_beyond_the_deadline(api: str) -> None:
    error, llm = failure(api, "500", replace(FAST, retries=20, backoff=1000.0))

    assert error.failure is Failure.UNAVAILABLE and len(llm.seen) == 1


@BOTH
def test_a_last_attempt_that_had_no_time_does_not_hide_why_it_was_needed(api: str) -> None:
    acts: list[Act] = [Refuse(503), Say(silent=True)]

    error, llm = failure(api, acts, replace(FAST, deadline=0.4))

    # On a busy machine the first may have had no time either.
    assert error.failure is Failure.UNAVAILABLE or len(llm.seen) < 2


@BOTH
def test_of_a_reply_without_end_not_much_more_is_taken_than_the_limit(api: str) -> None:
    for trouble in ("endless reply", "10 MB reply", "endless error"):
        _, llm = failure(api, trouble, replace(FAST, retries=0))
        # What lies in the sockets' buffers is sent, but not taken.
        assert llm.sent <= 10_000_000 and len(llm.seen) == 1


OVERFLOWS = [
    (
        400,
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ),
    (400, "Your input exceeds the context window of this model. Please adjust your input and try again."),
    (400, "prompt is too long: 213423 tokens > 200000 maximum"),
    (400, "input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000"),
    (400, "the request exceeds the available context size, try increasing it"),
    (400, "The input token count (1050000) exceeds the maximum number of tokens allowed (1048576)."),
    (400, "Please reduce the length of the messages or completion."),
    (400, "Input is too long for requested model."),
    (422, "Range of input length should be [1, 30720]"),
    (500, "prompt too long; exceeded max context length by 300 tokens"),
    (400, "litellm.ContextWindowExceededError: too big"),
    (413, "<html><body>413 Request Entity Too Large</body></html>"),
]


@pytest.mark.parametrize(("status", "words"), OVERFLOWS)
def test_each_providers_words_for_too_long_are_an_overflow(status: int, words: str) -> None:
    assert failure(OPENAI, Refuse(status, words), replace(FAST, retries=0))[0].failure is Failure.OVERFLOW


NOT_OVERFLOWS = [
    (429, "Rate limit reached: too many tokens per minute", Failure.RATE_LIMIT),
    (400, "Your credit balance is too low to access the API", Failure.RATE_LIMIT),
    (402, "Insufficient Balance", Failure.RATE_LIMIT),
    (400, "The response was filtered due to the content management policy", Failure.REFUSED),
    (400, "max_tokens: must be at least 1", Failure.UNAVAILABLE),
    (501, "not implemented", Failure.UNAVAILABLE),
    (418, "teapot", Failure.UNAVAILABLE),
]


@pytest.mark.parametrize(("status", "words", "named"), NOT_OVERFLOWS)
def test_what_only_sounds_like_it_is_not(status: int, words: str, named: Failure) -> None:
    assert failure(OPENAI, Refuse(status, words), replace(FAST, retries=0))[0].failure is named


@BOTH
def test_a_window_that_is_really_too_small_is_an_overflow(api: str) -> None:
    with fake_llm(rules=Rules(window=400)) as llm, writer(api, llm.url) as asked:
        with pytest.raises(SummaryFailed) as failed:
            asked(CALL)
        assert failed.value.failure is Failure.OVERFLOW
        assert asked(replace(CALL, max_tokens=50)).text


@BOTH
def test_a_success_with_more_input_than_the_window_is_an_overflow(api: str) -> None:
    with fake_llm() as llm:
        base_url = f"{llm.url}/v1" if api == OPENAI else llm.url
        (asked,) = open_writers([Endpoint(api, "fake", base_url, window=INPUT - 1)])
        with asked, pytest.raises(SummaryFailed) as failed:
            asked(CALL)

    assert failed.value.failure is Failure.OVERFLOW


def test_an_error_under_status_200_means_what_its_code_says() -> None:
    body = b'{"error": {"message": "Rate limit exceeded", "code": 429}}'

    error, llm = failure(OPENAI, Raw(body))

    assert error.failure is Failure.RATE_LIMIT and len(llm.seen) == 3


@BOTH
def test_nobody_there_is_the_network(api: str) -> None:
    with writer(api, f"http://127.0.0.1:{closed_port()}") as asked, pytest.raises(SummaryFailed) as failed:
        asked(CALL)

    assert failed.value.failure is Failure.NETWORK


@BOTH
def test_no_encryption_where_it_should_be_is_the_network(api: str) -> None:
    with fake_llm() as llm, writer(api, llm.url.replace("http:", "https:"), HASTY) as asked:
        with pytest.raises(SummaryFailed) as failed:
            asked(CALL)

    assert failed.value.failure in (Failure.NETWORK, Failure.TIMEOUT) and not llm.seen


def test_cut_at_every_byte_no_half_reply_is_taken_for_a_whole_one() -> None:
    cuts: Iterator[int] = itertools.count(0, 23)
    script: Callable[[Any, int], Say] = lambda request, before: Say(cut=next(cuts))  # noqa: E731
    with fake_llm(script) as llm, writer(OPENAI, llm.url, replace(FAST, retries=0)) as asked:
        for _ in range(10):
            with pytest.raises(SummaryFailed) as failed:
                asked(CALL)
            assert failed.value.failure is Failure.NETWORK
