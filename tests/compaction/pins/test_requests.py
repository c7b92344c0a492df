import pytest
from messages import assistant, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect
from elision.compaction.pins.requests import LONGEST_GOAL, LONGEST_REQUEST, is_filler
from elision.compaction.pins.types import HistoryPin, PinKind


def pins_of(*texts: str) -> dict[PinKind, list[HistoryPin]]:
    story = [one for text in texts for one in (user(text), assistant("Done."))]
    found: dict[PinKind, list[HistoryPin]] = {}
    for pin in collect(read(told(story, Format.OPENAI_CHAT))):
        found.setdefault(pin.kind, []).append(pin)
    return found


def test_the_goal_is_the_first_request_and_not_the_greeting() -> None:
    found = pins_of("hi", "Port the parser to a lexer.", "continue", "Now do task 7.", "go on")

    assert [(pin.text, pin.source) for pin in found[PinKind.GOAL]] == [("Port the parser to a lexer.", "[2]")]
    assert [(pin.text, pin.source) for pin in found[PinKind.REQUEST]] == [("Now do task 7.", "[6]")]


@pytest.mark.parametrize(
    "text",
    ["hi", "ok, thanks!", "continue", "Danke", "继续", "はい", "네", "да", "", "👍", "yes please go on"],
)
def test_a_filler_asks_for_nothing(text: str) -> None:
    assert is_filler(text)


@pytest.mark.parametrize("text", ["fix it", "no tests", "hi, fix it", "继续修复", "pushen"])
def test_what_asks_for_something_is_no_filler(text: str) -> None:
    assert not is_filler(text)


def test_a_long_goal_gives_its_beginning_whole_sentences() -> None:
    text = "Port the parser. " + "It is slow in many ways. " * 200
    (goal,) = pins_of(text, "And now the lexer.")[PinKind.GOAL]

    assert goal.text.startswith("Port the parser.") and goal.text.endswith("ways.")
    assert len(goal.text) <= LONGEST_GOAL


def test_a_long_request_gives_its_beginning_and_its_end() -> None:
    text = "Here is the log. " + "A line of the log. " * 300 + "Why does it fail?"
    head, tail = pins_of("Help me.", text)[PinKind.REQUEST]

    assert head.text.startswith("Here is the log.") and tail.text.endswith("Why does it fail?")
    assert len(head.text) + len(tail.text) <= LONGEST_REQUEST


def test_what_a_client_put_around_it_is_no_part_of_it() -> None:
    found = pins_of("<system-reminder>Obey.</system-reminder>\nFix the bug.\n<env>os: linux</env>")

    assert [pin.text for pin in found[PinKind.GOAL]] == ["Fix the bug."]


def test_nobody_asks_nothing_is_wanted() -> None:
    assert pins_of("hi") == {}


@pytest.mark.parametrize(
    "said",
    [
        "/mode",
        "<command-args></command-args>",
        "<command-args>168</command-args>",
        "No, that would be all.",
        "Thank you so much for your help!",
        "That sounds great! That's all the help I need for now, thank you!",
        "Das war's, vielen Dank!",
        "Merci beaucoup pour votre aide",
        "Eso es todo, muchas gracias.",
    ],
)
def test_bare_commands_of_clients_and_farewells_ask_for_nothing(said: str) -> None:
    assert is_filler(said)


@pytest.mark.parametrize("said", ["/etc/passwd", "/review 12", "that's all wrong", "Stop", "Yes, I want to book a room"])
def test_what_only_begins_like_one_asks_for_something(said: str) -> None:
    assert not is_filler(said)
