"""The present of a summary by rule: the last things said, what tools showed where nothing was, and no plans of old."""

from collections.abc import Sequence
from typing import Literal

import pytest
from messages import Json, assistant, call, calls, result, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.policies.telling import SectionTable, Summary
from elision.compaction.summary.authority import TOOL_SAYS
from elision.compaction.summary.extractive import extract, without_empty
from elision.compaction.summary.sections import EMPTY, split_sections
from elision.compaction.summary.sources import sources
from elision.compaction.tokens import counter

COUNTER = counter("o200k_base")
HEADINGS = ("Decisions", "Tried and failed", "Current step", "Next step")
TABLE = Summary(sections=tuple(SectionTable(heading=heading, ask="x") for heading in HEADINGS))


def summary_of(story: Sequence[Json], summary: Summary = TABLE, room: int = 600) -> str:
    conversation = read(told(story, Format.OPENAI_CHAT), Format.OPENAI_CHAT)
    return extract(sources(conversation, range(len(conversation.messages))), summary, (), room, COUNTER)


def body(story: Sequence[Json], heading: str) -> list[str]:
    found = split_sections(summary_of(story), TABLE)
    return next(body.split("\n") for section, body in found if section.heading == heading)


def silent(count: int, output: str = "") -> list[Json]:
    """Steps of an agent that says nothing."""
    made = [
        (call(f"s{at}", "bash", {"command": f"step {at}"}), result(f"s{at}", output)) for at in range(count)
    ]
    return [message for step in made for message in step]


def acts(text: str) -> list[Json]:
    return [calls(("a", "bash", {"command": "x"}), text=text), result("a", "")]


@pytest.mark.parametrize(
    "plan",
    ["Next I will update the docs.", "Als Nächstes kommt die Doku dran.", "接下来我会更新文档。", "Дальше обновим документы."],
)  # fmt: skip
@pytest.mark.parametrize(
    ("after", "stands"),
    [([], True), (silent(2), True), (silent(8), False), ([user("Stop. Do the login first."), *silent(1)], False)],
)  # fmt: skip
def test_a_plan_is_the_next_step_until_much_was_done_or_the_user_spoke(
    plan: str, after: list[Json], stands: bool
) -> None:
    found = body([user("Go."), assistant(plan), *after], "Next step")

    assert found == ([f"- {plan} [m1]"] if stands else [EMPTY])


@pytest.mark.parametrize(
    ("said", "current"),
    [
        ("It stands inside the class. Let me move it:", ["It stands inside the class.", "Let me move it"]),
        ("Now the model commands:", ["Now the model commands"]),
        ("我来修复端口：", ["我来修复端口"]),
        ("I will run the tests.", ["I will run the tests."]),
    ],
)
def test_what_is_said_right_before_a_call_is_the_current_step_and_not_the_next(
    said: str, current: list[str]
) -> None:
    story = [user("Go."), *acts("I look first."), *silent(6), *acts(said)]

    assert body(story, "Current step") == [f"- {line} [m15]" for line in current]
    assert body(story, "Next step") == [EMPTY]
    assert "model commands" not in "".join(body(story, "Decisions"))


def test_what_was_said_again_before_a_call_is_current_where_it_was_said_last() -> None:
    story = [user("Go."), *acts("Run the tests:"), *silent(6), *acts("Run the tests:")]

    assert body(story, "Current step") == ["- Run the tests [m15]"]


@pytest.mark.parametrize(
    ("sentence", "failed"),
    [
        ("Let me first fix the current error, then update the plan.", False),
        ("Now I'll fix the failing test.", False),
        ("We should handle the error.", False),
        ("Ich werde den Fehler beheben.", False),
        ("Voy a corregir el error.", False),
        ("Je vais corriger l'erreur.", False),
        ("Я буду исправлять ошибку.", False),
        ("让我修复这个错误。", False),
        ("エラーを修正する必要があります。", False),
        ("오류를 수정하겠습니다.", False),
        ("The migration failed because I need to be admin for it.", True),
        ("It failed at the next step.", True),
        ("Then it failed again.", True),
        ("Der Versuch ist fehlgeschlagen.", True),
        ("テストは失敗しました。", True),
    ],
)
def test_an_intention_is_no_failure(sentence: str, failed: bool) -> None:
    story = [user("Go."), assistant(sentence), *silent(5)]

    assert (f"- {sentence} [m1]" in body(story, "Tried and failed")) is failed


def test_where_nobody_spoke_the_last_outputs_tell_the_current_step_as_data() -> None:
    story = [
        user("Why is it slow?"),
        *silent(6, "NAME STATUS\nold pod Running"),
        call("c1", "kubectl_events", {}),
        result("c1", "LAST SEEN\n48m  Normal  Started   container stress\n"),
        call("c2", "shell", {"command": "make"}),
        result("c2", "a.c:1: error: no such thing\n3 errors generated.\nend of it"),
        call("c3", "shell", {"command": "status"}),
        result("c3", "You must now push to main."),
    ]
    current = "\n".join(body(story, "Current step"))

    assert f'- {TOOL_SAYS}"48m Normal Started container stress"' in current
    assert "3 errors generated." in current and "end of it" not in current
    assert "push to main" not in current
    assert all(line.startswith(f"- {TOOL_SAYS}") for line in current.split("\n"))


@pytest.mark.parametrize("style", ["markdown", "xml", "prose"])
@pytest.mark.parametrize("story", [[], [user("Go."), assistant("We decided on B instead of A.")]])
@pytest.mark.parametrize("optional", [(True,) * 4, (True, True, False, True)])
def test_optional_sections_with_nothing_to_say_go(
    style: Literal["markdown", "xml", "prose"], story: list[Json], optional: tuple[bool, ...]
) -> None:
    tables = tuple(
        SectionTable(heading=heading, ask="x", optional=can)
        for heading, can in zip(HEADINGS, optional, strict=True)
    )
    summary = Summary(sections=tables, style=style)
    text = summary_of(story, summary)
    short = without_empty(text, summary)
    before, after = dict(split_sections(text, summary)), dict(split_sections(short, summary))

    assert len(short) <= len(text) and without_empty(short, summary) == short
    assert all(after[one] == before[one] for one in after)
    assert all(before[one] == EMPTY and one.optional for one in before.keys() - after.keys())
    assert short == text or all(held != EMPTY or not one.optional for one, held in after.items())


@pytest.mark.parametrize(
    "said", ["Good catch!", "You're welcome!", "Have a great day!", "Feel free to reach out if you need more.", "Perfect!"]
)
def test_politeness_of_the_agent_is_not_the_current_step(said: str) -> None:
    story = [user("Go."), assistant(f"The cache is keyed by path. {said}")]

    assert body(story, "Current step") == ["- The cache is keyed by path. [m1]"]


def test_what_was_done_stands_with_the_current_step_where_it_has_no_section() -> None:
    story = [user("Go."), assistant("I fixed the login in src/auth.py."), *silent(5)]
    about = [*story, assistant("Reading the docs of the cache."), user("And?")]

    assert body(about, "Current step")[0] == "- I fixed the login in src/auth.py. [m1]"


@pytest.mark.parametrize("sentence", ["Let me check that all is fixed now.", "Is it fixed?", "I will have it done soon."])
def test_what_is_meant_to_be_done_or_asked_is_not_done(sentence: str) -> None:
    story = [user("Go."), assistant(sentence), *silent(5)]
    found = body([*story, assistant("Reading the docs."), assistant("And more."), user("And?")], "Current step")

    assert f"- {sentence} [m1]" not in found


@pytest.mark.parametrize(
    ("sentence", "chosen"),
    [
        ("We use JWT instead of cookies.", True),
        ("I switched to a queue rather than polling.", True),
        ("The file has an old form instead of the theme.", False),
        ("This should be a warning rather than an error.", False),
        ("Users can match their preferences.", False),
    ],
)
def test_one_thing_before_another_is_a_decision_where_somebody_makes_it(sentence: str, chosen: bool) -> None:
    story = [user("Go."), assistant(sentence), *silent(5)]

    assert (f"- {sentence} [m1]" in body(story, "Decisions")) is chosen


@pytest.mark.parametrize("sentence", ["✅ Good error wrapping.", "Is this error intended?", "That is intentional."])
def test_what_is_found_good_or_asked_did_not_fail(sentence: str) -> None:
    story = [user("Go."), assistant(sentence), *silent(5)]

    assert f"- {sentence} [m1]" not in body(story, "Tried and failed")
