"""What the user calls the goal is one, whenever it is said."""

import pytest
from messages import assistant, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect
from elision.compaction.pins.requests import MOST_GOALS
from elision.compaction.pins.types import PinKind

FIRST = user("Port the parser to the new grammar.")


def goals(*later: str) -> list[str]:
    story = [FIRST, *(message for text in later for message in (assistant("Ok."), user(text)))]
    pins = collect(read(told([*story, assistant("Ok."), user("And the docs, please.")], Format.OPENAI_CHAT)))
    return [pin.text for pin in pins if pin.kind is PinKind.GOAL][1:]


@pytest.mark.parametrize(
    "said",
    [
        "To say it again, the goal of all this is to drop the old hosts.",
        "What I want in the end is one binary.",
        "Goal: one binary.",
        "Unser Ziel ist es, alles zu portieren.",
        "Notre objectif est de migrer.",
        "El objetivo final es migrar.",
        "Nosso objetivo é migrar.",
        "L'obiettivo è migrare.",
        "Ons doel is migreren.",
        "Celem jest migracja.",
        "Наша цель состоит в переносе.",
        "Amacımız taşımak.",
        "最终目标是迁移数据库。",
        "最終的な目標は移行です。",
        "목표는 이전입니다.",
        "الهدف هو النقل.",
        "लक्ष्य है पोर्ट करना।",
    ],
)
def test_a_goal_said_later_is_pinned(said: str) -> None:
    assert goals(said) == [said]


@pytest.mark.parametrize("said", ["The code is fine.", "Is the goal clear?", "Aim for the second line.", "It scored a goal."])
def test_what_only_mentions_one_is_none(said: str) -> None:
    assert goals(said) == []


def test_of_many_the_first_and_the_newest_stay() -> None:
    found = goals(*(f"The goal is number {n}." for n in range(30)))

    assert len(found) == MOST_GOALS
    assert found[0] == "The goal is number 0." and found[-1] == "The goal is number 29."
