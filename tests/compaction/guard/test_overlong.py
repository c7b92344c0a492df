"""What is too long to be weighed as one is divided: prose between words, code between statements."""

import json

from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.overlong import OVERLONG, STRETCH, stretches
from elision.compaction.guard.segment import segment
from elision.compaction.types import Kind
from elision.model.types import Span

MINIFIED = "".join(f"var q{n}=function(t){{return t.queue+{n}*t.ledger}};" for n in range(100))


def test_a_minified_line_is_code_in_one_row_of_stretches_that_keep_their_words() -> None:
    passages = segment(MINIFIED).passages

    assert {(passage.kind, passage.row) for passage in passages} == {(Kind.CODE, 0)}
    assert [passage.continues for passage in passages] == [False] + [True] * (len(passages) - 1)
    assert not any(passage.divisible for passage in passages)


def test_stretches_of_code_end_where_something_ends() -> None:
    spans = list(stretches(MINIFIED, Span(0, len(MINIFIED)), Kind.CODE))

    assert all(span.of(MINIFIED)[-1] in ";}," or span.of(MINIFIED)[-1].isspace() for span in spans)
    assert all(STRETCH // 2 <= len(span) <= 2 * STRETCH for span in spans)


def test_a_document_and_a_table_row_are_not_divided_but_what_only_looks_like_a_document_is() -> None:
    document = json.dumps([{"id": n, "name": f"part {n}"} for n in range(60)])
    whole = Span(0, len(document))

    assert list(stretches(document, whole, Kind.JSON)) == list(stretches(document, whole, Kind.TABLE)) == [whole]
    assert len(list(stretches(document.replace('"', "'"), whole, Kind.JSON))) > 5


def test_a_stamped_line_with_a_payload_stays_a_log_line() -> None:
    line = "2024-05-03 10:11:12 INFO got " + "call(a=1, b={c=2});" * 60

    assert {passage.kind for passage in segment(line).passages} == {Kind.LOG}


@given(st.lists(st.sampled_from([";", "}", ", ", "\u0301", "ab", "\u200d", "🏳️\u200d🌈", " ", "不"]), max_size=60), st.sampled_from(Kind))
def test_stretches_partition_any_text(parts: list[str], kind: Kind) -> None:
    text = "".join(parts) * 40
    spans = list(stretches(text, Span(0, len(text)), kind))

    assert "".join(span.of(text) for span in spans) == text
    assert len(text) > OVERLONG or len(spans) <= 1
