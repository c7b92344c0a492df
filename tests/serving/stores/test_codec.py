"""What is kept comes back exactly, or not at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.errors import StoreUnavailable
from elision.compaction.types import Compressed, Drop, Pin, Receipt
from elision.model.types import Span
from elision.serving.stores.codec import pack, pack_text, unpack, unpack_text

TEXTS = st.text(st.characters(codec=None, categories=None))  # lone surrogates too
COUNTS = st.integers(0, 2**53)
SPANS = st.builds(Span, COUNTS, COUNTS)
RECEIPTS = st.builds(
    Receipt,
    tokens_before=COUNTS,
    tokens_after=COUNTS,
    target_tokens=COUNTS,
    target_met=st.booleans(),
    changed=st.booleans(),
    reason=TEXTS,
    dropped=st.lists(st.builds(Drop, SPANS, TEXTS, TEXTS), max_size=5).map(tuple),
    pinned=st.lists(st.builds(Pin, SPANS, TEXTS), max_size=5).map(tuple),
    bundle=TEXTS,
    runner=TEXTS,
    encoding=TEXTS,
    exact=st.booleans(),
)


@given(TEXTS)
def test_every_text_comes_back_as_it_was(text: str) -> None:
    assert unpack_text(pack_text(text)) == text


@given(st.builds(Compressed, TEXTS, RECEIPTS))
def test_every_decision_comes_back_with_its_whole_receipt(compressed: Compressed) -> None:
    assert unpack(pack(compressed)) == compressed


@given(st.binary())
def test_bytes_that_it_did_not_write_are_refused(body: bytes) -> None:
    with pytest.raises(StoreUnavailable, match="damaged"):
        unpack(body)


@pytest.mark.parametrize("document", ['{"version": 1}', "[]", "null", "{", '{"version": 1, "text": "", "receipt": {}}'])
def test_a_document_of_another_shape_is_refused(document: str) -> None:
    with pytest.raises(StoreUnavailable, match="damaged"):
        unpack(pack_text(document))


def test_another_version_is_named() -> None:
    with pytest.raises(StoreUnavailable, match="version 7, this one reads 1"):
        unpack(pack_text(json.dumps({"version": 7})))
