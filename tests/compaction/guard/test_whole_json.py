"""A document is JSON or it is not; deciding must never fail."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.whole_json import is_json, same_shape


@pytest.mark.parametrize("text", ["{}", " [1, 2]\n", '{"a": NaN}', "[" + "9" * 100_000 + "]", "\ufeff{}", "42", "-1.5e3", '"word"', "null", "true", "[" * 200_000 + "]" * 200_000])
def test_one_value_of_any_kind_is_json(text: str) -> None:
    assert is_json(text)


@pytest.mark.parametrize("text", ["", " ", "word", "42 43", "{", "[1, 2]\n[3]", "{'a': 1}", "[INFO] done []", "\ud800"])
def test_anything_else_is_not(text: str) -> None:
    assert not is_json(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_what_json_writes_is_recognised(value: object) -> None:
    assert is_json(json.dumps(value))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
        ('{"a": 1}', '{"a": 1.0}'),
        ('{"a": 1}', '{"a": true}'),
        ("[1, 2]", "[1]"),
        ("[null]", '[""]'),
        ('["a"]', '["b"]'),
        ("{}", "[]"),
        ("{}", "{"),
        ('{"a": 1, "a": 2}', '{"a": 2}'),
    ],
)
def test_any_other_key_type_number_length_or_string_is_another_shape(before: str, after: str) -> None:
    assert same_shape(before, before, lambda node: False)
    assert not same_shape(before, after, lambda node: False)


def test_a_text_that_may_change_may_but_not_the_document_in_it() -> None:
    def always(node: object) -> bool:
        return True

    assert same_shape('["some words"]', '[ "words" ]', always)
    assert same_shape('["{\\"a\\": \\"some words\\"}"]', '["{\\"a\\":\\"words\\"}"]', always)
    assert not same_shape('["{\\"a\\": 1}"]', '["{\\"a\\": 2}"]', always)
