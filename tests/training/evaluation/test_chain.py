"""A history that is compacted again and again, and what its chains say about policies."""

from dataclasses import replace

import pytest
from messages import Json, assistant, call, result, system, user

from elision.compaction.compact.measure import Window
from elision.compaction.compact.types import Means
from elision.compaction.policies.load import load, names
from elision.compaction.prices.lookup import price_of
from elision.compaction.prices.situation import Situation
from elision.compaction.store import NoStore
from elision.compaction.tokens import counter
from elision.training.evaluation.chain import Counted, Pass, Setting, chain, stream
from elision.training.evaluation.chain_report import Row, row, verdict
from elision.training.evaluation.lead_writer import LeadWriter
from elision.training.evaluation.planted import Kind
from elision.training.evaluation.planted_facts import facts
from elision.training.transcripts.types import Transcript

COUNTER = counter()
SETTING = Setting(
    window=Window(8000, 1000),
    passes=3,
    grow=2000,
    plant_within=2000,
    situation=Situation(price_of("claude-sonnet-4-5")),
)
FACTS = facts(0, dict.fromkeys(Kind, 1))


def transcript(steps: int = 200) -> Transcript:
    said: list[Json] = [system("Be brief."), user("Make the tests pass.")]
    for number in range(steps):
        said.append(call(f"c{number}", "read_file", {"path": f"src/part{number}.py"}))
        said.append(result(f"c{number}", f"def part{number}():\n" + f"    return {number} + 1\n" * 20))
        said.append(assistant(f"Part {number} is read and looks fine."))
    return Transcript("t", "", "", tuple(said))


def passes(name: str, setting: Setting = SETTING, steps: int = 200) -> tuple[list[Pass], Counted]:
    writer = Counted(LeadWriter(COUNTER, 200))
    means = Means(COUNTER, NoStore(), writers=[writer])
    pieces = stream([transcript(steps), transcript(steps)])
    later = [[replace(one, id=f"later/{one.id}") for one in facts(9, {Kind.NUMBER: 1})]]
    return list(chain(pieces, FACTS, load(name), setting, means, later)), writer


@pytest.mark.parametrize("name", names())
def test_every_policy_gets_through_with_views_that_a_provider_takes(name: str) -> None:
    found, _ = passes(name)

    assert [one.number for one in found] == [1, 2, 3]
    assert all(one.valid for one in found)
    assert all(one.after <= one.before for one in found)


def test_with_ours_goals_and_constraints_live_on_and_the_writer_is_counted() -> None:
    found, writer = passes("elision", replace(SETTING, passes=4))

    assert any(one.decision == "compact" for one in found)
    assert all({"goal-1", "constraint-1"} <= one.alive for one in found)
    assert writer.calls and writer.input_tokens > writer.output_tokens > 0


def test_the_same_chain_runs_the_same() -> None:
    assert passes("elision")[0] == passes("elision")[0]


def test_facts_that_come_later_are_as_old_as_the_passes_they_lived_through() -> None:
    found, writer = passes("elision")

    assert found[0].born == {one.id: 1 for one in FACTS}
    assert found[2].born["later/number-1"] == 2
    assert 2 not in row([found[:1]], writer, 7000, (1, 2)).survival["number"]


def test_a_stream_that_ends_ends_the_chain() -> None:
    found, _ = passes("elision", replace(SETTING, passes=50), steps=20)

    assert 0 < len(found) < 50


def test_calls_of_two_transcripts_share_no_id_and_only_the_first_has_system_words() -> None:
    said = [message for piece in stream([transcript(2), transcript(2)]) for message in piece]
    ids = [made["id"] for message in said for made in message.get("tool_calls", ())]

    assert ids == ["t0_c0", "t0_c1", "t1_c0", "t1_c1"]
    assert [m["tool_call_id"] for m in said if m["role"] == "tool"] == ids
    assert [m["role"] for m in said].count("system") == 1


def one(number: int, alive: set[str], after: int = 100) -> Pass:
    born = {"goal-1": 1, "constraint-1": 1, "file-1": 1}
    return Pass(number, "compact", "", 1000, after, True, born, frozenset(alive))


def measured(*chains: list[Pass]) -> Row:
    return row(chains, Counted(LeadWriter(COUNTER)), 500, (1, 2))


def test_a_row_tells_shares_by_kind_and_age_over_all_chains() -> None:
    its = measured([one(1, {"goal-1"}), one(2, set(), 600)], [one(1, {"goal-1", "file-1"})])

    assert its.survival["goal"] == {1: 1.0, 2: 0.0}
    assert its.survival["file"] == {1: 0.5, 2: 0.0}
    assert its.survival["error"] == {}
    assert (its.after, its.passes, its.compacted, its.over, its.invalid) == ({1: 100, 2: 600}, 2, 3, 1, 0)


@pytest.mark.parametrize(
    ("other", "holds", "said"),
    [
        (measured([one(1, {"goal-1"}, 100)]), True, "yes"),
        (measured([one(1, set(), 200)]), True, "yes"),
        (measured([one(1, {"file-1"}, 200)]), False, "other keeps 100% of file after 1 (ours 0%)"),
        (measured([one(1, {"goal-1"}, 50)]), False, "not at equal or fewer tokens"),
    ],
)
def test_the_verdict_asks_who_keeps_more_and_at_how_many_tokens(other: Row, holds: bool, said: str) -> None:
    found = verdict({"elision": measured([one(1, {"goal-1"})]), "other": other})

    assert found[0] is holds
    assert said in found[1]


def test_one_that_goes_over_the_window_is_no_other() -> None:
    over = measured([one(1, {"goal-1", "file-1"}, 600)])
    rows = {"elision": measured([one(1, {"goal-1"})]), "other": measured([one(1, set())]), "over": over}

    assert verdict(rows)[0] is True
    assert "not compared, for their views are over the window: over" in verdict(rows)[1]
    assert verdict(rows | {"elision": over}) == (False, "no: our own views are over the window")


def test_with_nobody_to_compare_with_nothing_is_shown() -> None:
    assert verdict({"elision": measured()})[0] is False
