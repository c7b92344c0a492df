"""Control characters go, all else stays."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.clean import clean
from elision.compaction.compress import compress
from elision.compaction.tokens import counter
from elision.compaction.types import Budget

ANYTHING = st.text(
    st.one_of(
        st.characters(codec=None, categories=None),
        st.sampled_from("\x1b[]m\r\n\b\t\x00\x7f\x85\x9b\ud800\x0c 10%"),
    )
)


@pytest.mark.parametrize(
    ("raw", "left"),
    [
        ("plain\ttext\r\nnext\n", "plain\ttext\r\nnext\n"),
        ("\x1b[1;31mred\x1b[0m \x9b31mred\x9b0m\n", "red red\n"),
        ("\x1b]8;;https://a.b\x1b\\link\x1b]8;;\x07\n", "link\n"),
        ("a\x00b\x7fc\x85d\x0ce\n", "abcde\n"),
        ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
        ("lone \ud800 surrogate 😀", "lone \ufffd surrogate 😀"),
        ('{"a":1,\r"b\x7f":2}\n', '{"a":1,"b":2}\n'),
    ],
)
def test_what_no_reader_needs_goes(raw: str, left: str) -> None:
    assert clean(raw) == left


@given(ANYTHING)
def test_clean_text_comes_back_identical_and_holds_no_controls(text: str) -> None:
    cleaned = clean(text)

    assert clean(cleaned) == cleaned
    kinds = {unicodedata.category(character) for character in cleaned if character not in "\t\n\r"}
    assert not kinds & {"Cc", "Cs"}
    assert cleaned.count("\n") == text.count("\n")


def test_it_is_done_within_the_budget_only_where_asked() -> None:
    text = "\x1b[31mred\x1b[0m \ud800\n"
    within = Budget(keep_ratio=1.0)

    plain = compress(text, within, scorer=HashScorer(), counter=counter("o200k_base"))
    cleaned = compress(text, within, scorer=HashScorer(), counter=counter("o200k_base"), clean=True)

    assert (plain.text, plain.receipt.dropped) == (text, ())
    assert cleaned.text == "red \ufffd\n"
    assert {(drop.replacement, drop.reason) for drop in cleaned.receipt.dropped} == {("", "control"), ("\ufffd", "control")}


@given(ANYTHING)
def test_escapes_in_json_are_no_control_characters(text: str) -> None:
    document = json.dumps({"text": text})

    assert clean(document) == document
