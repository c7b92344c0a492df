"""A document is JSON or it is not; deciding must never fail."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.whole_json import is_json


@pytest.mark.parametrize("text", ["{}", " [1, 2]\n", '{"a": NaN}', "[" + "9" * 100_000 + "]", "\ufeff{}", "42", "-1.5e3", '"word"', "null", "true", "[" * 200_000 + "]" * 200_000])
def test_one_value_of_any_kind_is_json(text: str) -> None:
    assert is_json(text)


@pytest.mark.parametrize("text", ["", " ", "word", "42 43", "{", "[1, 2]\n[3]", "{'a': 1}", "[INFO] done []", "\ud800"])
def test_anything_else_is_not(text: str) -> None:
    assert not is_json(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_what_json_writes_is_recognised(value: object) -> None:
    assert is_json(json.dumps(value))
