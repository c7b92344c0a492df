"""String values are found where they stand, and each character of them where it is spelled."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.json_values import Use, decoded, insignificant, use_of, values
from elision.model.types import Span


@given(st.text(st.characters(codec=None, categories=None)), st.booleans())
def test_every_character_knows_its_spelling(said: str, ascii_: bool) -> None:
    inside = json.dumps(said, ensure_ascii=ascii_)[1:-1]

    text, edges = decoded(inside)

    assert text == json.loads(f'"{inside}"')
    spelled = [inside[start:stop] for start, stop in zip(edges[:-1], edges[1:], strict=True)]
    assert "".join(spelled) == inside
    assert [json.loads(f'"{part}"') for part in spelled] == list(text)


def test_a_pair_of_surrogates_is_one_character() -> None:
    text, edges = decoded(r"a\ud83d\ude00\ud83d\n")

    assert (text, edges.tolist()) == ("a😀\ud83d\n", [0, 1, 13, 19, 21])


def test_keys_are_no_values() -> None:
    text = r'{"k\"": "v", "l" : ["w", ""], "m": {"n": "x\\"}}'

    assert [span.of(text) for span in values(text, Span(0, len(text)))] == ["v", "w", r"x\\"]


def test_white_space_in_strings_has_a_meaning() -> None:
    text = ' {"a b" :\n[1, "c  d"]}\n'

    spans = list(insignificant(text, Span(0, len(text))))

    assert [(span.start, span.of(text)) for span in spans] == [(0, " "), (7, " "), (9, "\n"), (13, " "), (22, "\n")]


DATA = base64.b64encode(bytes(range(256))).decode()


@pytest.mark.parametrize(
    ("value", "use"),
    [
        ("short text", Use.CLOSED),
        ("https://example.com/" + "path-to-a-page/" * 20, Use.CLOSED),
        ("the cache was not cleared " * 20, Use.TEXT),
        ("不要删除数据库。请先备份文件，" * 20, Use.TEXT),
        ("/usr/lib/python3/site-packages/some/very/long/module/name.py\n" * 10, Use.TEXT),
        ("def f(x):\n    return x\n" * 20, Use.TEXT),
        (DATA, Use.BLOB),
        ("\n".join([DATA[:64]] * 10), Use.CLOSED),
        ("see " + DATA + " in these words " * 40, Use.TEXT),
        (json.dumps({"rows": list(range(100))}), Use.NESTED),
    ],
)
def test_what_a_value_is_decides_what_may_go(value: str, use: Use) -> None:
    assert use_of(value) is use
