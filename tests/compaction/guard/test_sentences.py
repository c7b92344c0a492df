"""Sentences partition a line and end where people end them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.sentences import split_sentences
from elision.compaction.guard.units import unit_spans
from elision.model.types import Span


def sentences(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text, Span(0, len(text)))]


@pytest.mark.parametrize(
    "parts",
    [
        ["  It works. ", "Then it broke!  ", "Why? ", "No idea.\n"],
        ["Dr. J. R. Smith paid 3.50 USD (approx. 3 EUR) on Jan. 5, e.g. for v1.2.3. ", "See https://a.b/c.d?e. ", "Done"],
        ["He said \"stop.\" ", "She left (at last). ", "End"],
        ["Wait... maybe not. ", "Yes."],
        ["今天下雨。", "我们留在家里！", "好吗？"],
        ["هل هذا صحيح؟ ", "نعم"],
        ["यह ठीक है। ", "वह नहीं।"],
        ["Run `a. B` now. ", "Then stop."],
        ["1. First point stays with its number. ", "Next one."],
        ["¿Qué pasa? ", "¡Nada!"],
    ],
)
def test_a_line_is_split_into_its_sentences(parts: list[str]) -> None:
    assert sentences("".join(parts)) == parts


@given(st.text())
def test_sentences_partition_and_never_cut_a_unit(text: str) -> None:
    line = text.replace("\r", "").replace("\n", "") + "\n"
    whole = Span(0, len(line))
    found = split_sentences(line, whole)
    inside = {at for unit in unit_spans(line, whole) for at in range(unit.start + 1, unit.stop) if not line[unit.start : at].isspace()}

    assert [0, *(s.stop for s in found)] == [*(s.start for s in found), len(line)]
    assert not inside & {s.start for s in found}
