"""What an agent wrote later counts up to the horizon, whatever kind of sign it is."""

import pytest

from elision.training.labels.later import HORIZON, Later, Said, Uses


def said(key: str, *, edits: bool = False) -> Said:
    return Said(frozenset(), frozenset({key}), frozenset({f"line of {key}"}), edits=edits, whole=True)


SESSION = Uses([said("look"), said("list"), said("change", edits=True), said("test")])


@pytest.mark.parametrize("horizon", [1, 2, 3, 4, HORIZON])
@pytest.mark.parametrize("start", [0, 1, 2, 3])
def test_an_edit_is_seen_where_the_key_and_the_line_of_its_message_are(start: int, horizon: int) -> None:
    later = Later(SESSION, start, horizon)

    seen = start <= 2 < start + horizon
    assert (later.edits(), later.key("change") > 0, later.line("line of change") > 0) == (seen, seen, seen)
