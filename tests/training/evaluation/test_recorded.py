"""Replies that were paid for are not asked for again."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from elision.compaction.summary.types import Failure, Finish, SummaryCall, SummaryFailed, SummaryReply
from elision.training.evaluation.recorded import Recorded

CALL = SummaryCall("You write.", "Naïve 🚀 \ud83d", 100)
REPLY = SummaryReply("done 🚀", Finish.LENGTH, 12, 3, 0.5)


@dataclass
class Teller:
    """Says one thing, or nothing; counts."""

    reply: SummaryReply | None = REPLY
    name: str = "teller"
    window: int = 100
    heard: list[SummaryCall] = field(default_factory=list)

    def __call__(self, call: SummaryCall) -> SummaryReply:
        self.heard.append(call)
        if self.reply is None:
            raise SummaryFailed(Failure.TIMEOUT, "too slow")
        return self.reply


def test_a_call_is_asked_once_also_by_a_later_run(tmp_path: Path) -> None:
    path, teller = tmp_path / "runs" / "calls.jsonl", Teller()
    first = Recorded(teller, path)

    assert first(CALL) == first(CALL) == Recorded(teller, path)(CALL) == REPLY
    assert len(teller.heard) == 1
    assert path.read_text().count("\n") == 1


def test_another_prompt_or_another_writer_is_asked_anew(tmp_path: Path) -> None:
    path, teller = tmp_path / "calls.jsonl", Teller()
    Recorded(teller, path)(CALL)
    Recorded(teller, path)(SummaryCall("You write.", "else", 100))
    Recorded(Teller(name="other"), path)(CALL)

    assert len(teller.heard) == 2
    assert path.read_text().count("\n") == 3


def test_a_line_that_was_cut_off_is_asked_again_and_spoils_nothing(tmp_path: Path) -> None:
    path, teller = tmp_path / "calls.jsonl", Teller()
    Recorded(teller, path)(CALL)
    path.write_text(path.read_text()[:-20])
    Recorded(teller, path)(CALL)

    assert len(teller.heard) == 2
    assert Recorded(teller, path)(CALL) == REPLY
    assert len(teller.heard) == 2


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with pytest.raises(SummaryFailed):
        Recorded(Teller(reply=None), path)(CALL)

    assert Recorded(Teller(), path)(CALL) == REPLY
