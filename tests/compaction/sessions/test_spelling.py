"""Events as JSON; that each comes back as it was is among the laws of `SessionLife`."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.sessions.errors import BadEvent
from elision.compaction.sessions.spelling import KINDS, from_json, to_json
from elision.compaction.sessions.types import Appended, CompactionFailed, Entry, RolledBack


@pytest.mark.law
@given(id=st.text(), raw=st.text(alphabet=st.characters()), to=st.text() | st.integers())
def test_any_strings_come_back_through_json(id: str, raw: str, to: str | int) -> None:
    for event in (Appended((Entry(id, raw),), at=1.5, seq=3), RolledBack(to)):
        assert from_json(json.loads(json.dumps(to_json(event), ensure_ascii=False))) == event


def test_members_of_a_later_version_are_passed_over() -> None:
    document = to_json(CompactionFailed("c", "timeout", at=1, seq=2)) | {"colour": "red"}

    assert from_json(document) == CompactionFailed("c", "timeout", at=1, seq=2)


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"kind": "deleted"},
        {"kind": "undone"},
        {"kind": "appended", "messages": 3},
        {"kind": "appended", "messages": [{"id": "x"}]},
        {"kind": "compacted", "id": "c", "base": 1, "items": [{"kind": "new"}]},
        {"kind": "configured", "format": "morse", "head": ""},
        {"kind": []},
    ],
)
def test_what_is_no_event_is_said(document: dict[str, Any]) -> None:
    with pytest.raises(BadEvent, match="no event: "):
        from_json(document)


def test_every_kind_has_a_name() -> None:
    assert len(KINDS) == len(set(KINDS.values())) == 8
