"""Scores belong to the text: their spans lie in it, and nothing around it changes them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import write_tiny_bundle

from elision.model.scorer import WindowScorer, load_scorer


@pytest.fixture(scope="module")
def scorer(tiny_bundle: Path) -> WindowScorer:
    return load_scorer(tiny_bundle)


ANY = st.text(st.characters(codec=None, categories=None), max_size=200)


@settings(max_examples=500, deadline=None)
@given(ANY, ANY)
def test_any_text_scores_and_every_span_lies_inside_it(scorer: WindowScorer, text: str, query: str) -> None:
    scores = scorer.score(text, query)

    assert ((scores.values >= 0) & (scores.values <= 1)).all()
    assert (scores.starts < scores.stops).all()
    assert (np.diff(scores.starts) >= 0).all() and (np.diff(scores.stops) >= 0).all()
    assert len(text) >= (scores.stops.max() if len(scores.stops) else 0)


@pytest.mark.parametrize("text", ["", " \n\t\n", "\ud800", "\ud800\udc00 error", "x" * 50_000, "\n" * 10_000])
def test_odd_texts_are_fine(scorer: WindowScorer, text: str) -> None:
    scores = scorer.score(text)

    assert len(scores.values) == len(scores.starts)


def test_a_lone_surrogate_shifts_no_offset(scorer: WindowScorer) -> None:
    text = "\ud800 error \udfff\nfail"

    assert "fail" in {text[a:b].strip() for a, b in zip(*_spans(scorer, text), strict=True)}


def test_offsets_point_at_the_words_of_later_windows(scorer: WindowScorer) -> None:
    text = "\n".join(f"line {n} file" for n in range(200)) + "\nerror"

    starts, stops = _spans(scorer, text)

    assert text[starts[-1] : stops[-1]].strip() == "error"


def test_threads_do_not_change_a_bit(scorer: WindowScorer) -> None:
    texts = [f"error in file {n}\nwarn path {n * 7}" * 20 for n in range(16)]
    alone = [scorer.score(text, "fail").values for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: scorer.score(text, "fail").values, texts * 2))

    assert all((a == b).all() for a, b in zip(alone * 2, together, strict=True))


def test_the_query_moves_scores_but_no_window(scorer: WindowScorer) -> None:
    text = "error file\n" * 100

    plain, asked = scorer.score(text), scorer.score(text, "line path " * 100)

    assert (plain.starts == asked.starts).all()
    assert (plain.values != asked.values).any()


def test_two_labels_mean_that_the_second_is_keep(tmp_path: Path) -> None:
    scores = load_scorer(write_tiny_bundle(tmp_path / "two", labels=2)).score("error fail")

    assert len(scores.values) and ((scores.values > 0) & (scores.values < 1)).all()


def test_a_tick_that_raises_ends_the_scoring(scorer: WindowScorer) -> None:
    calls = iter([None, None])

    def tick() -> None:
        if next(calls, "over") == "over":
            raise TimeoutError

    with pytest.raises(TimeoutError):
        scorer.score("error file\n" * 500, tick=tick)


def _spans(scorer: WindowScorer, text: str) -> tuple[list[int], list[int]]:
    scores = scorer.score(text)
    return scores.starts.tolist(), scores.stops.tolist()
