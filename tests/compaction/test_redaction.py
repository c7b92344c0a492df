"""With redaction on a secret is gone, whatever the budget and wherever it stands."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.compress import compress
from elision.compaction.cut import rebuild
from elision.compaction.errors import RedactionFailed
from elision.compaction.pins.text import compile_pins
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Compressed
from elision.model.types import Scores, nothing

COUNTER = counter("o200k_base")
KEY = "ghp_" + "a8Zk3Lq9Xw2Vb7Nm4Rt6Yp1Sd5Fg0Hj2Kc8E"


def redacted(text: str, ratio: float = 1.0, pins: tuple[str, ...] = ()) -> Compressed:
    budget = Budget(keep_ratio=ratio, floor_tokens=0)
    return compress(text, budget, scorer=HashScorer(), counter=COUNTER, pins=compile_pins(pins), redact=True)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"token: {KEY}\n", "token: [redacted]\n"),
        (f'{{"a": ["{KEY}"]}}', '{"a": ["[redacted]"]}'),
        (json.dumps({"text": json.dumps({"key": KEY})}), json.dumps({"text": json.dumps({"key": "[redacted]"})})),
        ('{"password": "p@ss\\"w0rd-91!x"}', '{"password": "[redacted]"}'),
        ("nothing secret here", "nothing secret here"),
    ],
)
def test_a_secret_is_replaced_within_the_budget_too(text: str, left: str) -> None:
    result = redacted(text)

    assert result.text == left
    assert rebuild(text, result.receipt.dropped) == left


@given(st.lists(st.sampled_from(["some words of text", f"export TOKEN={KEY}", '{"a": 1}', "2026-01-02 03:04:05 INFO ok"]), max_size=40), st.floats(0.05, 1.0), st.integers(0, 3))
def test_no_secret_comes_out_and_the_receipt_rebuilds_the_output(lines: list[str], ratio: float, level: int) -> None:
    text = "\n".join(lines)
    for _ in range(level):
        text = json.dumps({"log": text})

    result = redacted(text, ratio, ("TOKEN=.*",))

    assert KEY not in result.text and KEY not in repr(result.receipt)
    assert rebuild(text, result.receipt.dropped) == result.text
    assert not level or json.loads(result.text)


def test_a_number_that_is_secret_leaves_valid_json() -> None:
    result = redacted('{"user": "anna", "password": 83619274}')

    assert json.loads(result.text) == {"user": "anna", "password": "[redacted]"}


def test_a_failure_is_an_error_and_not_the_original() -> None:
    class Broken(HashScorer):
        def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
            raise RuntimeError(text)

    with pytest.raises(RedactionFailed, match="RuntimeError") as caught:
        compress(f"{KEY} and then some words of no use to anybody " * 50, Budget(keep_ratio=0.3), scorer=Broken(), counter=COUNTER, redact=True)

    assert KEY not in str(caught.value)
