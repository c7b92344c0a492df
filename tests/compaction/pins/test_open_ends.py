import pytest
from messages import assistant, call, result, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect
from elision.compaction.pins.types import PinKind


def owed(*story: dict[str, object]) -> list[str]:
    pins = collect(read(told(list(story), Format.OPENAI_CHAT)))
    return [pin.text for pin in pins if pin.kind is PinKind.OBLIGATION and pin.holds]


@pytest.mark.parametrize(
    "format", [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
)
def test_a_call_without_its_result_is_open(format: Format) -> None:
    story = [
        user("go"),
        call("c1", "bash", {"command": "ls"}),
        result("c1", "a"),
        call("c2", "bash", {"command": "make"}),
    ]
    pins = [pin for pin in collect(read(told(story, format), format)) if pin.kind is PinKind.OPEN_CALL]

    assert [(pin.text, pin.state) for pin in pins] == [("c2", 'bash {"command": "make"}')]


def test_a_question_without_an_answer_is_owed() -> None:
    assert owed(user("Plan it"), assistant("Plan A is best. Shall I rebuild the database?")) == [
        "Shall I rebuild the database?"
    ]


def test_an_answer_settles_it_and_putting_it_off_does_not() -> None:
    asked = [user("Plan it"), assistant("Shall I rebuild the database?")]

    assert owed(*asked, user("Yes, rebuild it.")) == []
    assert owed(*asked, user("yes")) == []
    assert owed(*asked, user("Wait, I think about it.")) == ["Shall I rebuild the database?"]


def test_a_question_that_the_agent_answers_itself_is_none() -> None:
    assert (
        owed(
            user("Fix it"), call("c1", "bash", {"command": "ls"}, text="Does it exist?"), result("c1", "yes")
        )
        == []
    )


@pytest.mark.parametrize(
    "text",
    ["I am waiting for your approval of the migration.", "Please log in at the console, then I go on.",
     "The background job is still running.", "Bitte bestätige die Migration.", "请批准这次迁移。"],
)  # fmt: skip
def test_what_is_waited_for_is_owed(text: str) -> None:
    assert owed(user("Migrate it"), assistant(f"I prepared all. {text}" if text[0] != "请" else text)) == [
        text
    ]


def test_courtesy_is_no_question() -> None:
    assert owed(user("Fix it"), assistant("Done. Is there anything else I can help you with?")) == []


def test_a_promise_holds_until_it_is_spoken_of() -> None:
    promised = [user("Deploy it. I'll send you the token later."), assistant("Ok.")]

    assert owed(*promised, user("Run the linter.")) == ["I'll send you the token later."]
    assert owed(*promised, user("Here is the token: abc")) == []
