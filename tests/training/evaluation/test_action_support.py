"""What the agent used next is looked for in what each method leaves, all at the tokens ours used."""

from pathlib import Path

import pytest
from scorers import HashScorer

from elision.compaction.tokens import counter
from elision.training.errors import BadTranscript
from elision.training.evaluation.action_support import OURS, cases, outputs_under, ruled, shortened, support
from elision.training.evaluation.baselines import head_tail, length
from elision.training.transcripts.outputs import ToolOutput

LOG = "\n".join(f"step {n} of build_{n:04d} took {1000 + n} ms" for n in range(60))


def output(text: str = LOG, later: str = "look at build_0007", transcript: str = "t") -> ToolOutput:
    return ToolOutput(f"{transcript}#1", transcript, text, "", "", "", "", (later,), "coding-agent")


def test_only_long_texts_that_were_used_are_cases() -> None:
    found = cases([output(), output(later="fine"), output("build_0007"), output(f'["{LOG}"]'.replace("\n", " "))])

    assert [o.text for o, _ in found.used] == [LOG]
    assert (found.texts, found.json_left_out) == ((LOG, LOG), 1)


def test_a_rule_spends_no_more_tokens_than_ours() -> None:
    _, tokens = shortened(output(), 0.33, HashScorer())

    for rule in (head_tail, length):
        assert counter().count(ruled(output(), tokens, rule)) <= tokens


def test_a_scorer_that_keeps_what_was_used_supports_it() -> None:
    used = cases([output(transcript=f"t{n}") for n in range(3)]).used
    knowing = HashScorer(worth={"build_": 0.0, "0007": 50.0})
    report = support(used, knowing, {"length": length}, 0.33)

    assert report[OURS]["support"] == 1.0
    assert report[OURS]["lead_interval"] == (0.0, 0.0)
    assert report["length"]["lead_of_ours"] == 1.0 - report["length"]["support"]


def test_a_folder_without_sessions_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(BadTranscript, match=r"no \.jsonl or \.jsonl\.gz file in it"):
        list(outputs_under(tmp_path))
