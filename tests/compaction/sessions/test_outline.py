"""Bounds told by a scan are those that reading tells, and what is no JSON has none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.errors import NotJson
from elision.compaction.raw_json import Node, parse
from elision.compaction.sessions.outline import Outline, members, outline
from elision.model.types import Span

# Also what the scanner of the standard library takes by itself, and JSON does not have.
_PIECES = [*'{}[]:,"\\ \t\n\r0-1.eE+tn', "\x00", "\x0b", "\u00a0", "\ufeff", "\ud83d", "é", "NaN", "Infinity", "-Infinity",
           "null", "true", "\\ud83d", "\\u00", "'", "01", "1.", "messages", '"messages":[]']  # fmt: skip
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["messages", "a"]), inner, max_size=2),
    max_leaves=8,
)


@st.composite
def nearly_json(draw: st.DrawFn) -> str:
    """A document, spelled in one of several ways, into which something may have been put."""
    spelling = draw(st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}]))
    text = json.dumps(draw(_VALUES), **spelling)  # type: ignore[arg-type]
    for _ in range(draw(st.integers(0, 2))):
        at, cut = draw(st.integers(0, len(text))), draw(st.integers(0, 1))
        text = text[:at] + draw(st.sampled_from(_PIECES)) + text[at + cut :]
    return text


def read(text: str) -> Node | None:
    try:
        return parse(text)
    except NotJson:
        return None


@pytest.mark.law
@given(nearly_json())
def test_the_members_of_an_object_are_where_reading_finds_them(text: str) -> None:
    node = read(text)
    is_object = node is not None and isinstance(node.value, dict)

    assert members(text) == (tuple((name, one.span) for name, one in node.members) if is_object and node else None)


@pytest.mark.law
@given(nearly_json())
def test_the_messages_of_a_request_are_where_reading_finds_them(text: str) -> None:
    node = read(text)
    lists = [] if node is None else [one for name, one in node.members if name == "messages"]
    if node is not None and isinstance(node.value, tuple):
        lists = [node]
    told = len(lists) == 1 and isinstance(lists[0].value, tuple)

    expected = Outline(text, lists[0].span, tuple(one.span for one in lists[0].elements)) if told else None
    assert outline(text, "messages") == expected


def test_what_is_nested_too_deeply_is_left_to_a_reader() -> None:
    deep = "[" * 100_000 + "]" * 100_000

    assert members(f'{{"a": {deep}}}') is None
    assert outline(f'{{"messages": [{deep}]}}', "messages") is None


def test_a_number_may_have_any_number_of_digits() -> None:
    assert members('{"n":' + "9" * 10_000 + "}") == (("n", Span(5, 10_005)),)
