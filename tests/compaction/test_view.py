"""Offsets of what is shown lead back to the source, through control codes, escapes and replacements."""

import json

from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.clean import without_controls
from elision.compaction.types import Drop
from elision.compaction.view import View, between
from elision.model.types import Span

PARTS = st.sampled_from(["a", "bc ", "\x1b[31m", "\x1b[0m", "10%\r", "\n", "é", "\r\n", "\x08"])


@given(st.lists(PARTS).map("".join), st.data())
def test_a_drop_of_what_is_shown_takes_the_same_text_from_the_source(source: str, data: st.DataObject) -> None:
    view = without_controls(View.of(source), "ansi")
    start = data.draw(st.integers(0, len(view.text)))
    stop = data.draw(st.integers(start, len(view.text)))

    drop = Drop(Span(start, stop), "[X]", "r")

    assert view.output([drop]) == view.text[:start] + "[X]" + view.text[stop:]


@given(st.text(min_size=1), st.booleans(), st.booleans(), st.data())
def test_a_drop_inside_strings_in_strings_takes_just_what_it_spells(
    said: str, ascii_: bool, nested: bool, data: st.DataObject
) -> None:
    inner = json.dumps(said, ensure_ascii=ascii_)
    source = json.dumps(inner, ensure_ascii=ascii_) if nested else inner
    view = View.of(source).decode([Span(1, len(source) - 1)])
    if nested:
        view = view.decode([Span(2, len(view.text) - 2)])
    begin = 2 if nested else 1
    start = data.draw(st.integers(0, len(said) - 1))
    stop = data.draw(st.integers(start + 1, len(said)))

    output = view.output([Drop(Span(begin + start, begin + stop), '["…\n]', "r")])

    value = json.loads(output)
    assert (json.loads(value) if nested else value) == said[:start] + '["…\n]' + said[stop:]


def test_what_survives_in_a_string_keeps_its_spelling() -> None:
    source = r'"\u0041\/b \ud83d\ude00 gone \u00e9\t"'
    view = View.of(source).decode([Span(1, len(source) - 1)])
    at = view.text.index("gone")

    output = view.output([Drop(Span(at, at + 4), "…", "r")])

    assert view.text == '"A/b 😀 gone é\t"'
    assert output == r'"\u0041\/b \ud83d\ude00 \u2026 \u00e9\t"'


def test_a_short_text_shown_for_a_long_one_goes_as_one() -> None:
    view = View.of("before 0123456789 after").hide([Drop(Span(7, 17), "[10]", "blob")])

    assert view.text == "before [10] after"
    assert view.replacements() == [Span(7, 11)]
    assert view.output([Drop(Span(8, 12), "", "r")]) == "before after"


def test_forth_finds_what_back_came_from() -> None:
    view = without_controls(View.of("a\x1b[1mb\x1b[0mc"), "ansi")

    assert [view.forth(view.back(Span(at, at + 1))) for at in range(3)] == [Span(at, at + 1) for at in range(3)]


def test_between_gives_the_gaps_that_hold_something() -> None:
    assert list(between([Span(0, 2), Span(3, 4), Span(4, 5)], Span(0, 9))) == [Span(2, 3), Span(5, 9)]
