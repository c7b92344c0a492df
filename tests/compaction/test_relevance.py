"""A question's words say which passages it is about."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.compress import compress
from elision.compaction.guard.names import is_name
from elision.compaction.relevance import relevance
from elision.compaction.tokens import counter
from elision.compaction.types import Budget
from elision.model.types import Span

TEXT = "The crane stands in the yard. Its limit is 42 tonnes. Nobody may use it at night. The yard is closed."
SPANS = [Span(0, 30), Span(30, 54), Span(54, 82), Span(82, 101)]


def test_the_passage_with_the_rare_word_is_the_best() -> None:
    assert relevance(TEXT, SPANS, "what limit, in tonnes?").argmax() == 1


def test_no_word_in_common_is_no_relevance() -> None:
    assert not relevance(TEXT, SPANS, "Wieviel?").any()


@given(st.text(max_size=200), st.text(max_size=50))
def test_it_is_between_none_and_one(text: str, query: str) -> None:
    spans = [Span(at, min(at + 7, len(text))) for at in range(0, len(text), 7)]
    found = relevance(text, spans, query)

    assert found.shape == (len(spans),) and ((found >= 0) & (found <= 1)).all() and np.isfinite(found).all()


def test_what_was_asked_for_stays() -> None:
    text = " ".join(f"Hall {n} was swept on Monday by the team of the {n}th floor." for n in range(40))
    text = text[:1200] + " The key of the archive hangs behind the blue door. " + text[1200:]
    budget = Budget(keep_ratio=0.2, floor_tokens=0)
    short = compress(text, budget, scorer=HashScorer(), counter=counter(), query="where is the archive key?", asked=True)

    assert "The key of the archive hangs behind the blue door." in short.text


def test_names_are_told_from_words() -> None:
    names = ["db-07,", "5.15.0-91", "--no-hugepages", "0x7f3a9c2e.", "src/app.py", "maxTokens", "SIGBUS", "a::b", "x@y.z", "12"]

    assert all(map(is_name, names)) and not any(map(is_name, ["the", "well-known", "However,", "A", "don't", "nächste"]))
