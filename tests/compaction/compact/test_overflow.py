"""How providers say that a request was too large, and what they say about other things."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.compact.measure import Usage
from elision.compaction.compact.overflow import Overflow, OverflowKind, overflow, silent_overflow

INPUT, WITH_OUTPUT, BYTES = OverflowKind.INPUT, OverflowKind.WITH_OUTPUT, OverflowKind.BYTES

# What is said, what was too large, the limit and the size where they are said.
SAID: list[tuple[str, OverflowKind, int | None, int | None]] = [
    # pi
    ("prompt is too long: 213462 tokens > 200000 maximum", INPUT, 200_000, 213_462),
    ("request_too_large: Request exceeds the maximum size", BYTES, None, None),
    ("Input is too long for requested model.", INPUT, None, None),
    ("Your input exceeds the context window of this model. Please adjust your input.", INPUT, None, None),
    ("The prompt exceeds the maximum context length of 32,768 tokens", INPUT, 32_768, None),
    ("Input exceeds this model's maximum context length (131072)", INPUT, 131_072, None),
    ("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", INPUT, 1_048_575, 1_196_265),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", INPUT, 131_072, 537_812),
    ("Please reduce the length of the messages or completion.", INPUT, None, None),
    ("This endpoint's maximum context length is 128000 tokens. However, you requested about 150000 tokens", INPUT, 128_000, 150_000),
    ("Prompt exceeds the maximum allowed input length of 65536 tokens", INPUT, 65_536, None),
    ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", INPUT, 8_192, 9_000),
    ("prompt token count of 150000 exceeds the limit of 128000", INPUT, 128_000, 150_000),
    ("the request exceeds the available context size. try increasing it", INPUT, None, None),
    ("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", INPUT, 4_096, 5_000),
    ("tokens to keep from the initial prompt is greater than the context length", INPUT, None, None),
    ("invalid params, context window exceeds limit (2013)", INPUT, None, None),
    ("Your request exceeded model token limit: 262144 (requested: 300000)", INPUT, 262_144, 300_000),
    ("Prompt too large for model with 32768 maximum context length", INPUT, 32_768, None),
    ("model_context_window_exceeded", INPUT, None, None),
    ("prompt too long; exceeded context length by 200 tokens", INPUT, None, None),
    ("prompt too long; exceeded max context length by 200 tokens", INPUT, None, None),
    ("requested 512 output tokens and your prompt contains at least 8000 input tokens, for a total of at least 8512 tokens. The maximum context length is 8192", WITH_OUTPUT, 8_192, 8_512),
    ("context length exceeded", INPUT, None, None),
    ("context_length_exceeded", INPUT, None, None),
    ("too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 7000", INPUT, 4_081, 7_000),
    ("token limit exceeded", INPUT, None, None),
    # OpenHands
    ("litellm.ContextWindowExceededError: the model takes no more", INPUT, None, None),
    ("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length", WITH_OUTPUT, 200_000, 188_240),
    ("Please reduce the length of the prompt", INPUT, None, None),
    ("SambaNovaException - the model's maximum context length was hit", INPUT, None, None),
    # Roo Code
    ("Could not parse response content as the length limit was reached", WITH_OUTPUT, None, None),
    # other servers
    ("This model's maximum context length is 8191 tokens, however you requested 8238 tokens (8238 in your prompt; 0 for the completion).", INPUT, 8_191, 8_238),
    ("'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 512 input tokens", WITH_OUTPUT, 8_192, None),
    ("`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`", WITH_OUTPUT, 4_097, 5_000),
    ("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]", INPUT, 204_800, None),
    ("Input length 6491 exceeds context length 1500", INPUT, 1_500, 6_491),
]  # fmt: skip

# What counts only where the request was refused for what it is: Roo Code, Cline.
MEANT = [
    "context limit reached",
    "maximum context reached",
    "The context window is full",
    "input tokens exceed what is configured",
    "12000 tokens exceed the model",
    "too many token(s)",
    "requested input length 9000 exceeds the maximum input length 8000",
    "your context is way too long",
    "this exceeds what fits the context",
    "maximum of 8000 tokens",
    "token count is above the limit",
    "max_tokens_to_sample",
]

OTHER: list[tuple[int | None, str]] = [
    (
        429,
        "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000. Too many tokens.",
    ),
    (429, "prompt is too long"),
    (400, "Throttling error: Too many tokens, please wait before trying again."),
    (None, "ThrottlingException: Too many tokens"),
    (503, "Service unavailable: context length exceeded"),
    (400, "Rate limit reached: too many tokens"),
    (500, "too many requests, token limit exceeded"),
    (400, "Daily token limit exceeded"),
    (400, "You exceeded your current quota of tokens"),
    (400, "Your credit balance is too low; token limit"),
    (401, "context length exceeded"),
    (403, "token limit exceeded"),
    (404, "The context window endpoint does not exist"),
    (400, "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for this model"),
    (400, "max_tokens is too large: 50000. This model supports at most 16384 completion tokens"),
    (400, "Unknown parameter: 'context_window'."),
    (400, "Invalid API token; see the limits of your account"),
    (400, "messages: roles must alternate"),
    (400, "The file exceeds the limit of 10 MB"),
    (400, "unsupported_model"),
    (500, "Internal error"),
    (500, "The context window of the page was closed"),
    (None, "context window"),
    (None, ""),
    (500, ""),
    (422, ""),
    (200, ""),
]


@pytest.mark.parametrize(("said", "kind", "limit", "had"), SAID, ids=[row[0][:40] for row in SAID])
def test_it_is_recognised_with_its_numbers(
    said: str, kind: OverflowKind, limit: int | None, had: int | None
) -> None:
    found = overflow(400, said)

    assert found and (found.kind, found.limit) == (kind, limit) and (had is None or found.had == had)


@pytest.mark.parametrize("said", [row[0] for row in SAID], ids=[row[0][:40] for row in SAID])
@pytest.mark.parametrize("status", [None, 500, 413])
def test_a_sentence_that_is_clear_needs_no_status(said: str, status: int | None) -> None:
    assert overflow(status, said)


@pytest.mark.parametrize("said", MEANT)
def test_a_sentence_that_is_not_clear_needs_one(said: str) -> None:
    assert all(overflow(status, said) for status in (400, 413, 422))
    assert overflow(None, said) is None and overflow(500, said) is None


@pytest.mark.parametrize(("status", "said"), OTHER, ids=[row[1][:40] for row in OTHER])
def test_what_is_said_about_something_else_is_none(status: int | None, said: str) -> None:
    assert overflow(status, said) is None
    assert overflow(status, json.dumps({"error": {"message": said}}) if said else "") is None


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Nein.", "type": "invalid_request_error", "code": "context_length_exceeded"}},
        {"error": {"message": "too many requests were made", "code": "context_length_exceeded"}},
        {"type": "error", "error": {"type": "request_too_large", "message": "no"}},
        {
            "error": {
                "code": 400,
                "type": "exceed_context_size_error",
                "message": "no",
                "n_ctx": 4096,
                "n_prompt_tokens": 5000,
            }
        },
        {"error": {"code": "prompt_too_long"}},
        {"detail": [{"msg": "prompt is too long", "type": "x"}]},
        {"errors": ["prompt is too long"]},
        {"error": "prompt is too long"},
        {"err_text": "prompt is too long"},
    ],
)
def test_codes_and_members_of_json_are_read(body: object) -> None:
    assert overflow(400, json.dumps(body))


def test_a_code_outweighs_words_and_a_status() -> None:
    assert overflow(429, '{"error": {"code": "context_length_exceeded", "message": "rate limit"}}')


def test_numbers_may_be_members() -> None:
    body = {
        "error": {
            "type": "exceed_context_size_error",
            "message": "no",
            "n_ctx": 4096,
            "n_prompt_tokens": 5000,
        }
    }

    assert overflow(400, json.dumps(body)) == Overflow(INPUT, 4096, 5000, "exceed_context_size_error")


INNER = json.dumps({"error": {"message": "prompt is too long: 300000 tokens > 200000 maximum"}})


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(
            {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": INNER}}}
        ),
        json.dumps({"error": {"message": f"litellm.BadRequestError: AnthropicException - {INNER}"}}),
        json.dumps({"message": json.dumps({"error": {"message": INNER}})}),
        f"event: error\ndata: {INNER}\n\n",
        f"400 {INNER}",
        json.dumps([{"error": {"message": "prompt is too long: 300000 tokens > 200000 maximum"}}]),
    ],
)
@pytest.mark.parametrize("status", [None, 400])
def test_json_in_json_and_in_words_is_read(body: str, status: int | None) -> None:
    found = overflow(status, body)

    assert found and found.limit == 200_000 and found.had == 300_000


def test_a_status_inside_the_error_counts_where_none_is_given() -> None:
    assert overflow(None, '{"error": {"code": 400, "message": "context limit"}}')
    assert overflow(None, '{"error": {"code": 429, "message": "too many tokens"}}') is None


def test_what_an_error_quotes_of_the_request_is_not_read() -> None:
    quoted = {
        "detail": [
            {"msg": "field required", "input": {"message": "prompt is too long"}, "loc": ["too many tokens"]}
        ]
    }

    assert overflow(400, json.dumps(quoted)) is None
    assert overflow(400, "bad role. " + "x" * 5000 + "prompt is too long") is None


@pytest.mark.parametrize(
    ("status", "body"), [(400, ""), (400, " \n"), (413, ""), (413, "<html>Request Entity Too Large</html>")]
)
def test_a_bare_status_is_believed_of_a_large_request_only(status: int, body: str) -> None:
    bare = Overflow(OverflowKind.BARE, said=str(status))

    assert overflow(status, body) == bare == overflow(status, body, 60_000, 100_000)
    assert overflow(status, body, 40_000, 100_000) is None
    assert overflow(status, "prompt is too long", 40_000, 100_000)


@pytest.mark.parametrize(
    ("usage", "stop", "recognised"),
    [
        (Usage(100_001, 3), "stop", True),
        (Usage(100_000, 3, output=5), "stop", False),
        (Usage(99_000, 3), "length", True),
        (Usage(99_000, 3), "MAX_TOKENS", True),
        (Usage(99_000, 3), "max_output_tokens", True),
        (Usage(98_999, 3), "length", False),
        (Usage(99_500, 3, output=1), "length", False),
        (Usage(99_500, 3), "stop", False),
        (Usage(5_000, 3, output=9), "model_context_window_exceeded", True),
        (Usage(0, 0), "", False),
    ],
)
def test_a_success_may_be_an_overflow(usage: Usage, stop: str, recognised: bool) -> None:
    assert bool(silent_overflow(usage, 100_000, stop)) == recognised


@pytest.mark.parametrize(
    "body",
    [
        "{" * 2_000_000,
        '{"error":' * 50_000 + "}" * 50_000,
        json.dumps({"error": {"message": "context too exceeds maximum " * 100_000}}),
        json.dumps({"errors": ["tokens maximum context exceeds requested input length " * 80] * 5000}),
        json.dumps({"message": "prompt contains input for a total of " * 200 + "9" * 100_000}),
        "\x00\ud800{\udfff}",
        "9," * 500_000,
    ],
    ids=["braces", "deep", "long", "many", "digits", "surrogates", "numbers"],
)
def test_no_body_takes_long_or_breaks_it(body: str) -> None:
    for status in (None, 400, 500):
        overflow(status, body)


@pytest.mark.law
@given(st.none() | st.integers(100, 599), st.text(), st.sampled_from(SAID))
def test_words_around_a_clear_sentence_change_nothing_but_a_veto(
    status: int | None, text: str, said: tuple[str, object, object, object]
) -> None:
    found = overflow(status, json.dumps({"error": {"message": text}, "message": said[0]}))

    assert found or status in (401, 402, 403, 404, 408, 409, 429)
