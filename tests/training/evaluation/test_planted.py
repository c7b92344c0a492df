"""Facts in real transcripts: where they are put, and when they count as told."""

import json
from pathlib import Path

import pytest
from conversations import FORMATS, stories
from hypothesis import given
from hypothesis import strategies as st
from messages import Json, assistant, call, calls, result, system, told, user

from elision.compaction.compact.every_text import every_text
from elision.compaction.conversation import Format
from elision.compaction.cuts import validate
from elision.compaction.formats.read import read
from elision.training.evaluation.planted import (
    NEAR,
    Fact,
    Kind,
    alive,
    legal_places,
    planted,
    steps,
    survivors,
)
from elision.training.evaluation.planted_facts import COUNTS, facts
from elision.training.transcripts.files import read_transcripts

FACTS = facts()
SOME = facts(0, dict.fromkeys(Kind, 1))


def fact(*keys: str) -> Fact:
    return Fact("number-1", Kind.NUMBER, keys, (user(" ".join(keys)),))


def texts(messages: list[Json]) -> str:
    return every_text(read(told(messages, Format.OPENAI_CHAT), Format.OPENAI_CHAT))


def test_a_fact_is_alive_whatever_the_case_and_the_white_space() -> None:
    assert alive(fact("never", "quil_ledger"), "- NEVER write\n  to `quil_ledger` [m3]")
    assert alive(fact("4,817 seconds"), "took 4,817\nseconds")
    assert alive(fact("不要", "quil_core"), "绝对不要修改 quil_core 里的任何文件。")


def test_a_fact_is_dead_where_one_of_its_strings_is_missing_or_far_away() -> None:
    assert not alive(fact("never", "quil_ledger"), "the table quil_ledger")
    assert not alive(fact("never", "quil_ledger"), "never" + " x" * NEAR + " quil_ledger")
    assert not alive(fact("never"), "")


def test_a_name_that_comes_again_is_found_where_the_rest_stands() -> None:
    far = "quil_ledger" + " x" * NEAR

    assert alive(fact("never", "quil_ledger"), f"{far} never touch quil_ledger")


def test_a_large_text_is_looked_through_once() -> None:
    text = "quil_ledger " * 100_000

    assert survivors([fact("never", "quil_ledger")], text + "never") == {"number-1"}


def test_the_set_has_all_kinds_is_fixed_and_no_two_facts_share_a_string_that_tells_them_apart() -> None:
    kinds = [one.kind for one in FACTS]

    assert {kind: kinds.count(kind) for kind in Kind} == dict(COUNTS)
    assert facts() == FACTS
    assert facts(1) != FACTS
    assert len({one.id for one in FACTS}) == len(FACTS)
    for one in FACTS:
        assert survivors(FACTS, texts(list(one.messages))) == {one.id}


def test_hundreds_of_facts_have_names_of_their_own() -> None:
    many = facts(3, dict.fromkeys(Kind, 40))

    assert len({one.keys for one in many}) == len(many)
    with pytest.raises(ValueError, match="two names each"):
        facts(3, dict.fromkeys(Kind, 400))


def test_nothing_comes_between_a_call_and_its_results_or_before_the_systems_words() -> None:
    story = [
        system("Be brief."),
        user("fix it"),
        calls(("c1", "bash", {}), ("c2", "bash", {})),
        result("c1", "a"),
        result("c2", "b"),
        assistant("done"),
    ]

    assert legal_places(story) == [1, 2, 5, 6]


def test_nothing_comes_behind_a_call_that_is_still_open() -> None:
    assert legal_places([user("fix it"), call("c1", "bash", {})]) == [0, 1]
    assert legal_places([result("c0", "a")]) == [1]
    assert legal_places([]) == [0]


def test_the_first_goal_comes_first_and_the_rest_is_spread_over_the_range() -> None:
    story = [user(f"question {number}") for number in range(100)]
    spread = planted(story, FACTS, within=(0.5, 1.0))
    goal = next(one for one in FACTS if one.kind is Kind.GOAL)
    added = [index for index, message in enumerate(spread) if message not in story]

    assert spread[0] == goal.messages[0]
    assert added[0] == 0 and added[1] > 50
    halves = [sum(at <= 50 + 25 + len(added) // 2 for at in added), len(added)]
    assert halves[0] * 2 == pytest.approx(halves[1], abs=6)


def test_the_seed_shuffles_the_order() -> None:
    story = [user(str(number)) for number in range(50)]

    assert planted(story, FACTS, 1) == planted(story, FACTS, 1)
    assert planted(story, FACTS, 1) != planted(story, FACTS, 2)


@pytest.mark.law
@given(stories(), st.integers(0, 5), st.sampled_from([Format.OPENAI_CHAT, Format.OPENAI_RESPONSES]))
def test_a_planted_story_is_as_valid_as_the_story_and_has_all_of_its_messages(
    story: list[Json], seed: int, format: Format
) -> None:
    before = json.dumps(story)
    spread = planted(story, SOME, seed)
    faults = {problem.rule for problem in validate(read(told(story, format), format))}

    assert json.dumps(story) == before
    assert [message for message in spread if message in story] == story
    assert {problem.rule for problem in validate(read(told(spread, format), format))} <= faults


@pytest.mark.parametrize("format", FORMATS)
def test_every_fact_is_found_in_the_view_on_every_wire(format: Format) -> None:
    spread = planted([user("fix it"), call("c1", "bash", {}), result("c1", "ok")], FACTS)

    assert survivors(FACTS, every_text(read(told(spread, format), format))) == {one.id for one in FACTS}


@pytest.mark.law
@given(stories())
def test_the_steps_of_a_story_are_the_story(story: list[Json]) -> None:
    parts = list(steps(story))

    assert [message for part in parts for message in part] == story
    assert all(parts)


def test_no_real_transcript_says_what_is_planted(shared: Path) -> None:
    for path in sorted((shared / "data" / "transcripts" / "dev").glob("*.jsonl.gz")):
        for transcript in read_transcripts(path):
            said = json.dumps(transcript.messages, ensure_ascii=False)

            assert not survivors(FACTS, said), transcript.id
