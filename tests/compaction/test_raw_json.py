"""JSON read where it stands agrees with the standard library, and replaces nothing but what it is told to."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elision.compaction.errors import NotJson
from elision.compaction.raw_json import LONGEST_POINTER, Node, find, parse, plain, replaced, spell, strings
from elision.model.types import Span

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
SPACING = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t: "), (",\r\n  ", " :")])
PIECES = st.sampled_from(
    [*'{}[],:" \n', "null", "true", "fals", "0", "01", "-", "-1", "1.", ".5", "1e", "1E+3", '"a"', '"\\u00e9"', '"\\x"', '"\t"', "//", "\u0660", "\ufeff", "\xa0", "\x00"]
)  # fmt: skip


@given(DOCUMENTS, SPACING, st.booleans(), st.sampled_from([None, 0, 3]))
def test_what_is_read_is_what_the_standard_library_reads(
    value: Any, spacing: tuple[str, str], ascii: bool, indent: int | None
) -> None:
    text = json.dumps(value, separators=spacing, ensure_ascii=ascii, indent=indent)

    assert plain(parse(text)) == json.loads(text)


@given(st.lists(PIECES).map("".join) | st.text())
@example('{"a": 1,}')
@example('{"a" 1}')
@example("[1, 2")
@example("")
def test_what_the_standard_library_refuses_is_refused(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=_refuse)
    except ValueError:
        with pytest.raises(NotJson):
            parse(text)
    else:
        assert plain(parse(text)) == expected


def _refuse(word: str) -> None:
    raise ValueError(word)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "[1, NaN]"])
def test_words_that_only_python_writes_are_no_json(word: str) -> None:
    with pytest.raises(NotJson):
        parse(word)


def test_an_error_says_where() -> None:
    with pytest.raises(NotJson, match="line 2, column 8") as refused:
        parse('{\n  "a": x}')

    assert refused.value.at == 9


@pytest.mark.parametrize("number", ["1.0", "1e3", "-0", "1E+03", "9007199254740993", "0.10", "7" * 5000])
def test_a_number_stays_as_it_is_spelled(number: str) -> None:
    assert parse(f"[{number}]")[0].value.spelled == number  # type: ignore[union-attr]


def test_of_repeated_keys_the_last_counts_and_all_are_known() -> None:
    node = parse('{"a": 1, "b": 2, "a": "x"}')

    assert [key for key, _ in node.members] == ["a", "b", "a"]
    assert node.text("a") == "x"
    assert [path for path, _ in strings(node)] == ["/a"]


@pytest.mark.parametrize("opened, closed", [("[", "]"), ('{"a":', "}"), ('[{"a": [', "]}]")])
def test_depth_is_no_limit(opened: str, closed: str) -> None:
    node = parse(opened * 10_000 + '"deep"' + closed * 10_000)

    assert len(node.span) == len(opened + closed) * 10_000 + len('"deep"')


@given(DOCUMENTS)
def test_every_span_spells_its_value(value: Any) -> None:
    text = json.dumps(value, indent=1)
    waiting = [parse(text)]
    while waiting:
        node = waiting.pop()
        waiting += [child for _, child in node.children]

        assert json.loads(node.span.of(text)) == plain(node)


@given(DOCUMENTS)
def test_a_pointer_finds_its_string_and_no_other(value: Any) -> None:
    node = parse(json.dumps(value))
    found = dict(strings(node))

    assert len(found) == len(list(strings(node)))
    assert all(find(node, pointer) is string for pointer, string in found.items())


def test_pointers_follow_the_standard() -> None:
    node = parse('{"a/b": [{"m~n": "x"}], "": "y"}')

    assert [path for path, _ in strings(node, "/body")] == ["/body/a~1b/0/m~0n", "/body/"]
    assert find(node, "") is node
    assert find(node, "/a~1b/0/m~0n") is node["a/b"][0]["m~n"]
    assert find(node, "/") is node[""]
    assert [find(node, pointer) for pointer in ("/a~1b/1", "/a~1b/00", "/x/y", "a/b", "//z")] == [None] * 5


def test_strings_whose_pointers_would_fill_the_memory_are_left_out() -> None:
    node = parse(json.dumps({"k" * LONGEST_POINTER: ["far"] * 3, "near": "x"}))

    assert [string.value for _, string in strings(node)] == ["x"]


@given(st.text())
def test_a_spelled_string_reads_as_itself_in_either_alphabet(value: str) -> None:
    assert json.loads(spell(value)) == value
    assert json.loads(spell(value, like='"caf\\u00e9"')) == value
    assert spell(value, like='"caf\\u00e9"').isascii()


@pytest.mark.parametrize("value", ["\ud83d…", "a\udf24", "\udf24\ud83d"])
def test_a_lone_surrogate_is_spelled_so_that_it_can_be_sent(value: str) -> None:
    assert json.loads(spell(value).encode()) == value
    assert parse(spell(value)).value == value


def test_edits_come_in_any_order() -> None:
    assert replaced("one two three", [(Span(8, 13), "3"), (Span(0, 3), "1")]) == "1 two 3"


def test_asking_a_value_for_what_it_has_not_is_no_error() -> None:
    scalar: Node = parse("5")

    assert (scalar.get("a"), scalar.text("a"), scalar.elements, list(scalar.children)) == (None, "", (), [])
