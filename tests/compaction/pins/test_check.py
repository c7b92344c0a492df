import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.pins.check import alive, missing
from elision.compaction.pins.types import HistoryPin, PinKind


def pin(text: str, kind: PinKind = PinKind.CONSTRAINT, superseded_by: str = "") -> HistoryPin:
    return HistoryPin(kind, text, "[0]", 0, superseded_by=superseded_by)


def test_white_space_is_folded() -> None:
    assert alive([pin("Never\n  push."), pin("Never pull.")], "x Never push. y") == [True, False]


def test_a_file_is_known_by_its_path() -> None:
    assert alive([pin("./src/a.py", PinKind.FILE)], "changed src/a.py") == [True]


def test_only_what_holds_can_be_missing() -> None:
    pins = [pin("a b"), pin("c d"), pin("e f", superseded_by="[2]")]

    assert missing(pins, "a b") == (pins[1],)


@pytest.mark.law
@given(st.text(min_size=1).filter(str.strip), st.booleans(), st.integers(0, 2))
def test_a_text_is_found_in_json_and_in_json_in_json(text: str, ascii_only: bool, depth: int) -> None:
    body = f"before {text} after"
    for _ in range(depth):
        body = json.dumps({"k": body}, ensure_ascii=ascii_only)

    assert alive([pin(text)], body) == [True]
