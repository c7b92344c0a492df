"""JSON comes out as the JSON it was, shorter in its long texts alone."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.compress import compress
from elision.compaction.cut import rebuild
from elision.compaction.raw_json import Node, Number, parse
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Compressed

COUNTER = counter("o200k_base")
LOG = "\n".join(f"2026-01-02 03:04:{n % 60:02} INFO worker-{n % 7} finished job {n} in {n % 13} ms" for n in range(60))
PROSE = 'He said "do not touch C:\\data" and left. The cache was never cleared, so the old value came back. ' * 8
PARTS = st.sampled_from([LOG, PROSE, "def f(x):\n\treturn x / 2\n" * 20, "😀 é \u2028 不要删除数据库。" * 30, "\x1b[31mred\x1b[0m\r\n" * 30, "\ud83d \udc00 word " * 40, "QUJD" * 90, "\\" * 250])
STRINGS = st.one_of(st.text(st.characters(codec=None, categories=None), max_size=30), PARTS, st.lists(PARTS, max_size=3).map("\n".join))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    value = draw(VALUES)
    if draw(st.booleans()):
        value = {"content": [{"type": "text", "text": json.dumps(value, indent=draw(st.sampled_from([None, 1])))}]}
    escaped = draw(st.booleans())
    text = json.dumps(value, ensure_ascii=escaped, indent=draw(st.sampled_from([None, 2, "\t"])))
    return text.replace("/", "\\/") if draw(st.booleans()) else text


def shortened(text: str, ratio: float, **options: Any) -> Compressed:
    return compress(text, Budget(keep_ratio=ratio, floor_tokens=0), scorer=HashScorer(), counter=COUNTER, **options)


def outline(node: Node) -> object:
    """A document without its long strings."""
    if isinstance(node.value, dict):
        return [(key, outline(child)) for key, child in node.members]
    if isinstance(node.value, tuple):
        return [outline(child) for child in node.value]
    return "text" if isinstance(node.value, str) and len(node.span) >= 200 else node.value


@given(documents(), st.floats(0.02, 0.99))
def test_keys_types_numbers_lengths_and_short_strings_are_those_of_the_input(text: str, ratio: float) -> None:
    result = shortened(text, ratio)

    before, after = outline(parse(text)), outline_like(parse(text), parse(result.text))
    assert before == after
    assert result.receipt.reason in ("", "json", "not_shorter", "within_budget")


def outline_like(before: Node, after: Node) -> object:
    """The outline of ``after``, its strings left out where those of ``before`` were long."""
    if isinstance(before.value, dict) and isinstance(after.value, dict):
        pairs = zip(before.members, after.members, strict=True)
        return [(key, outline_like(old, new)) for (_, old), (key, new) in pairs]
    if isinstance(before.value, tuple) and isinstance(after.value, tuple):
        return [outline_like(old, new) for old, new in zip(before.value, after.value, strict=True)]
    long = isinstance(before.value, str) and len(before.span) >= 200
    return "text" if long and isinstance(after.value, str) else after.value


@given(documents(), st.floats(0.02, 0.99), st.booleans())
@example('["\\ud83d", "' + "a b " * 100 + '"]', 0.2, True)
def test_the_receipt_rebuilds_it_and_its_tokens_never_grow(text: str, ratio: float, clean: bool) -> None:
    result = shortened(text, ratio, clean=clean)

    assert rebuild(text, result.receipt.dropped) == result.text
    assert result.receipt.tokens_after == COUNTER.count(result.text) <= COUNTER.count(text)


def test_a_text_in_a_string_in_json_loses_lines_and_keeps_its_spelling() -> None:
    inner = json.dumps({"items": [1, 2.50, None], "log": LOG + "\nERROR cannot open /etc/app.yaml: permission denied"})
    text = json.dumps({"content": [{"type": "text", "text": inner}]})

    result = shortened(text, 0.3)

    said = json.loads(json.loads(result.text)["content"][0]["text"])
    assert said["items"] == [1, 2.5, None]
    assert "ERROR cannot open /etc/app.yaml: permission denied" in said["log"]
    assert result.receipt.target_met and "lines]\n" in said["log"]
    assert result.text.isascii() == ("\\u" in text)


def test_white_space_goes_first_and_nothing_else_where_that_is_enough() -> None:
    value = {"log": LOG, "rows": [{"id": n, "name": f"row {n}", "ok": True} for n in range(200)]}

    result = shortened(json.dumps(value, indent=8), 0.8)

    assert json.loads(result.text) == value
    assert {drop.reason for drop in result.receipt.dropped} == {"json_whitespace"}
    assert result.receipt.target_met


def test_a_document_without_long_texts_loses_only_its_white_space() -> None:
    result = shortened('{"a": [1, 2.50, "x"],\n "b": 1e3}', 0.1)

    assert result.text == '{"a":[1,2.50,"x"],"b":1e3}'
    assert (result.receipt.reason, result.receipt.target_met) == ("json", False)


def test_the_middle_of_a_blob_goes_and_its_ends_stay() -> None:
    text = json.dumps({"file": "a.png", "data": "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUg9+" * 100 + "AA==", "size": 1800})

    result = shortened(text, 0.3)

    assert json.loads(result.text)["data"] == "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg9+[…2372 characters]Ug9+AA=="
    assert {drop.reason for drop in result.receipt.dropped} >= {"blob"}


def test_a_blob_the_caller_pins_stays() -> None:
    blob = "iVBORw0KGgoAAAANSUhEUg9+" * 20
    text = f"some words before\n{blob}\n" + "filler words that say nothing\n" * 100

    from elision.compaction.pins.text import compile_pins

    assert blob in shortened(text, 0.3, pins=compile_pins(["ORw0KGgo.*"])).text
    assert blob not in shortened(text, 0.1).text


def test_lines_of_json_stay_or_go_whole() -> None:
    lines = [json.dumps({"id": n, "msg": "the worker has finished its job"}) for n in range(80)]

    result = shortened("\n".join(lines), 0.3)

    left = [line for line in result.text.splitlines() if not line.startswith("[…")]
    assert result.receipt.changed and left
    assert set(left) <= set(lines)


def test_long_texts_in_lines_of_json_are_shortened_and_the_lines_still_parse() -> None:
    lines = [json.dumps({"id": n, "out": LOG}) for n in range(3)]

    result = shortened("\n".join(lines), 0.3)

    assert [json.loads(line)["id"] for line in result.text.splitlines()] == [0, 1, 2]
    assert result.receipt.target_met


def test_a_short_document_among_other_lines_stays_or_goes_whole() -> None:
    document = json.dumps({"user": "anna", "tags": ["x", "y"], "note": "the cache was not cleared"}, indent=2)
    text = "\n".join([*["filler words that say nothing at all"] * 30, document, *["more filler words of no use"] * 30])

    for ratio in (0.1, 0.2, 0.4, 0.6):
        left = shortened(text, ratio).text
        assert document in left or '"tags"' not in left and "anna" not in left


def test_a_long_text_in_a_document_among_other_lines_is_shortened() -> None:
    document = json.dumps({"status": "failed", "log": LOG}, indent=2)
    text = f"$ curl https://ci/jobs/7\n{document}\nThat was all there is to say about it.\n"

    result = shortened(text, 0.3)

    start = result.text.index("{")
    found, _ = json.JSONDecoder().raw_decode(result.text[start:])
    assert list(found) == ["status", "log"] and "lines]" in found["log"]
    assert result.receipt.target_met


@pytest.mark.parametrize("text", ["[" * 10_000 + "]" * 10_000, '{"a":' * 10_000 + "1" + "}" * 10_000])
def test_depth_is_no_danger(text: str) -> None:
    assert shortened(text, 0.5).text == text


def test_numbers_keep_their_spelling() -> None:
    text = '{"a": 1.0, "b": 1e3, "c": 9007199254740993, "d": -0, "e": "' + "some words " * 40 + '"}'

    numbers = [node.value for _, node in parse(shortened(text, 0.3).text).members[:4]]

    assert numbers == [Number("1.0"), Number("1e3"), Number("9007199254740993"), Number("-0")]
