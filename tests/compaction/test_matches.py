"""What the query asks for by name stays, where few lines have it."""

import pytest

from elision.compaction.guard.segment import segment
from elision.compaction.matches import holders, mentions, names, query_pins
from elision.compaction.query import compose_query

LISTING = "".join(f"src/part{n}.go:{n}: n.child = nil\n" for n in range(70))


def pinned(text: str, query: str) -> list[str]:
    return [pin.span.of(text) for pin in query_pins(text, segment(text).passages, query)]


def test_the_one_line_with_a_name_of_the_query_is_pinned() -> None:
    text = LISTING + "src/scope.go:9: return last.lookupScope()\n" + LISTING

    assert pinned(text, "where is lookupScope called?") == ["src/scope.go:9: return last.lookupScope()\n"]


def test_a_name_that_many_lines_have_pins_none() -> None:
    assert pinned(LISTING, "what is n.child and part1.go?") == ["src/part1.go:1: n.child = nil\n"]


def test_a_name_is_no_part_of_a_longer_one() -> None:
    assert holders("read_file_now\nread_file\n", [0, 14], "read_file", 3) == {1}


@pytest.mark.parametrize("query", ["where is the child read", "Please look at the long output", "a well-known word", ""])
def test_plain_words_are_no_names(query: str) -> None:
    assert names(query) == []


def test_names_are_mixed_or_quoted_words() -> None:
    query = "why does computeVat in src/vat.rs, tax::rate or `plain` fail at retry_3?"

    assert names(query) == ["computeVat", "src/vat.rs", "tax::rate", "retry_3", "plain"]


def test_what_a_call_was_made_with_is_only_echoed() -> None:
    query = compose_query(task="fix parse_date", call='read {"path": "src/dates.py"}', before="Now src/parser.py:")

    assert names(query) == ["src/parser.py", "parse_date"]


def test_plain_words_count_as_mentions_where_they_are_rare() -> None:
    assert mentions("one alpha\ntwo beta\nthree beta\n", [0, 10, 19], "alpha and beta", 1) == {0}
