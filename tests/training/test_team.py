"""What a simulated team is promised, and how its figures are told."""

from typing import Any

from elision.training.team import Asked, by_session, promises, table
from elision.training.transcripts.types import Transcript

ASKED = Asked("one", "two", "b@1", 3, 0.5, 5e-5, mean_with_init=True, weight=1.0, chunks=0, hindsight={})


def found(low: float, loss: float, minutes: float) -> dict[str, Any]:
    lift = {"figure": "next_action@0.33", "other": "b", "ours": 0.5, "theirs": 0.4, "interval": [low, 0.2], "kind": None}
    rank = {"figure": "line_auc_ge2", "other": "b", "ours": 0.8 - loss, "theirs": 0.8, "interval": [-0.1, 0.1], "kind": None}
    spent = {"figure": "next_action_tokens@0.33", "other": "b", "ours": 0.3, "theirs": 0.3, "interval": None, "kind": None}
    support = [[8, lift], [20, lift], [8, spent]]
    return {"label": {"chunks": 7}, "support": support, "rank": [[20, rank]], "minutes": {"label": 1.0, "train": minutes - 1}}


def test_the_promise_is_an_interval_above_nothing_a_small_loss_and_an_hour() -> None:
    assert list(promises(found(0.001, 0.004, 59)).values()) == [True, True, True]
    assert list(promises(found(0.0, 0.006, 61)).values()) == [False, False, False]


def test_the_table_has_a_column_for_each_direction_and_says_what_did_not_hold() -> None:
    lines = list(table([(ASKED, found(0.001, 0.004, 59)), (ASKED, found(0.0, 0.004, 61))]))

    assert {line.count("|") for line in lines} == {4}
    assert "| passes, rate, share replayed, weight | 3, 5e-05, 0.5, 1, mean with the start |" in lines[3]
    assert "| next-action support at 0.33, drawing parts | 0.400 → 0.500, +0.100 (+0.001 to +0.200; 8) |" in "\n".join(lines)
    assert "| share of the tokens left, drawing parts | 0.300 → 0.300, +0.000 |" in "\n".join(lines)
    assert "| minutes: label, train | 1.0, 58.0 | 1.0, 60.0 |" in lines
    assert lines[-3] == "| support up, interval above 0 | yes | **no** |"


def test_parts_belong_to_the_session_that_their_id_begins_with() -> None:
    parts = [Transcript(id=id, source="s", task="", messages=(), kind="k") for id in ("a-1-01", "a-2-01", "a-1-02")]

    assert {name: [part.id for part in its] for name, its in by_session(parts).items()} == {
        "a-1": ["a-1-01", "a-1-02"],
        "a-2": ["a-2-01"],
    }
