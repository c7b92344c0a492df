"""Writers are named by a line of text; keys come from variables and are shown nowhere."""

import pytest

from elision.serving.errors import BadInput
from elision.serving.llm.anthropic import AnthropicWriter
from elision.serving.llm.endpoint import Endpoint, Patience
from elision.serving.llm.open import UNKNOWN_WINDOW, list_price, open_writers, parse_writers
from elision.serving.llm.openai_chat import OpenAIWriter

ENV = {
    "OPENAI_API_KEY": "sk-open",
    "ANTHROPIC_API_KEY": "sk-anth\n",
    "MINE": "sk-mine",
    "EMPTY": " ",
    "ODD": "sk a",
}


def test_nothing_named_is_nobody() -> None:
    assert parse_writers("", {}) == parse_writers(" , ", {}) == ()


def test_the_provider_itself_gets_its_own_key() -> None:
    first, second = parse_writers("anthropic:claude-haiku-5.5, openai:gpt-6", ENV)

    assert first == Endpoint("anthropic", "claude-haiku-5.5", "https://api.anthropic.com", "sk-anth", 200_000)
    assert second == Endpoint("openai", "gpt-6", "https://api.openai.com/v1", "sk-open", 128_000)


def test_another_address_gets_only_the_key_that_is_named() -> None:
    bare, keyed = parse_writers("openai:m@http://h:1/v1,openai:m@https://h/v1 key=MINE", ENV)

    assert (bare.key, bare.window, bare.base_url) == ("", UNKNOWN_WINDOW, "http://h:1/v1")
    assert keyed.key == "sk-mine"


def test_models_may_have_any_of_the_signs_that_models_have() -> None:
    text = "openai:qwen3:8b@http://h/v1,openai:org/model@2024-05@http://h/v1,anthropic:claude@20260101"

    assert [spec.model for spec in parse_writers(text, ENV)] == [
        "qwen3:8b",
        "org/model@2024-05",
        "claude@20260101",
    ]


def test_settings_stand_behind_the_address() -> None:
    text = "openai:m@http://h/v1  window=4096 max_output=512\ttimeout=20 retries=0"

    (spec,) = parse_writers(text, ENV)

    assert (spec.window, spec.max_output) == (4096, 512)
    assert spec.patience == Patience(timeout=20.0, retries=0)
    assert parse_writers("openai:m@http://h/v1 timeout=400", ENV)[0].patience.deadline == 800.0
    assert parse_writers("openai:m@http://h/v1 deadline=5", ENV)[0].patience.deadline == 5.0


def test_a_known_window_is_taken_where_none_is_given() -> None:
    known = {"a": 1000}.get

    specs = parse_writers(
        "openai:a@http://h/v1,openai:a@http://h/v1 window=9,openai:b@http://h/v1", {}, known
    )

    assert [spec.window for spec in specs] == [1000, 9, UNKNOWN_WINDOW]


@pytest.mark.parametrize(
    "text",
    [
        "gemini:m",
        "openai",
        "openai:",
        "openai:@http://h/v1",
        "openai:m@http://h/v1@http://i/v1",
        "openai:m@http:///v1",
        "openai:m@localhost",
        "openai:m@localhost:8080",
        "openai:m@10.0.0.1/v1 key=MINE",
        "openai:m@HTTP://h/v1",
        "openai:m@ftp://h/v1",
        "openai:m@u:hunter2@h/v1",
        "openai:m@http://h:x/v1",
        "openai:m@http://u:hunter2@h/v1",
        "openai:m@http://h/v1?key=hunter2",
        "openai:m@http://hö/v1",
        "openai:m@http://h/v1 window",
        "openai:m@http://h/v1 window=",
        "openai:m@http://h/v1 window=0",
        "openai:m@http://h/v1 window=-1",
        "openai:m@http://h/v1 window=9999999999",
        "openai:m@http://h/v1 window=1 window=2",
        "openai:m@http://h/v1 max_output=many",
        "openai:m@http://h/v1 timeout=0",
        "openai:m@http://h/v1 timeout=nan",
        "openai:m@http://h/v1 deadline=1e9",
        "openai:m@http://h/v1 retries=21",
        "openai:m@http://h/v1 retries=½",
        "openai:m@http://h/v1 kay=hunter2",
        "openai:m@http://h/v1 key=EMPTY",
        "openai:m@http://h/v1 key=ODD",
        "openai:m@http://h/v1 key=hunter2",
        "openai:m@http://h/v1 key=sk-hunter2",
    ],
)
def test_what_makes_no_sense_is_refused_without_telling_a_secret(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_writers(text, ENV)

    assert str(refused.value) and "hunter2" not in str(refused.value) and "sk a" not in str(refused.value)


@pytest.mark.parametrize("where", ["notaurl", "localhost", "127.0.0.1:8080/v1", "gateway.example", "ftp://h/v1"])
def test_an_address_that_is_no_url_is_told_how_a_url_begins(where: str) -> None:
    with pytest.raises(BadInput, match="behind @ it begins with http:// or https://"):
        parse_writers(f"openai:m@{where}", {})


def test_no_history_goes_to_a_provider_because_an_address_was_written_without_its_scheme() -> None:
    for where in ("localhost:8080/v1", "127.0.0.1", "llm.example/v1"):
        with pytest.raises(BadInput):
            parse_writers(f"openai:qwen3@{where}", ENV)


def test_a_missing_key_of_a_provider_names_its_variable() -> None:
    with pytest.raises(BadInput, match="ANTHROPIC_API_KEY is not set"):
        parse_writers("anthropic:claude-haiku-5.5", {})


def test_opened_writers_say_who_they_are_and_no_more() -> None:
    specs = parse_writers("openai:m@http://h/v1 key=MINE,anthropic:claude-haiku-5.5", ENV)

    first, second = open_writers(specs)

    assert isinstance(first, OpenAIWriter) and isinstance(second, AnthropicWriter)
    assert (first.name, second.name, second.window) == ("openai/m", "anthropic/claude-haiku-5.5", 200_000)
    assert "sk-" not in repr([first, second, specs])


def test_the_list_knows_what_a_known_model_costs_and_nothing_of_others() -> None:
    assert 0 < list_price("claude-haiku-4-5", 1000, 0) < list_price("claude-haiku-4-5", 1000, 100) < 1
    assert list_price("nobodys-model-9", 1000, 1000) == 0.0
