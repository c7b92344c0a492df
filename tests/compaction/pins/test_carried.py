import pytest
from messages import assistant, call, result, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect, survey
from elision.compaction.pins.types import HistoryPin, PinKind

Story = list[dict[str, object]]


def after(carried: tuple[HistoryPin, ...], *story: dict[str, object]) -> tuple[HistoryPin, ...]:
    return collect(read(told(list(story), Format.OPENAI_CHAT)), carried=carried)


def named(pins: tuple[HistoryPin, ...], kind: PinKind) -> list[tuple[str, str]]:
    return [(pin.text, pin.state) for pin in pins if pin.kind is kind and pin.holds]


FIRST = after((), user("Port the parser. Never push to main."), call("c1", "Edit", {"file_path": "a.py"}), result("c1", "ok"),
              call("c2", "bash", {"command": "pytest"}), result("c2", "E   ValueError: bad"), assistant("We decided to keep LL(1)."))  # fmt: skip


def test_what_was_summarised_away_is_carried() -> None:
    pins = after(FIRST, user("Now do task 7."), call("c9", "Read", {"file_path": "a.py"}), result("c9", "x"))

    assert named(pins, PinKind.GOAL) == [("Port the parser. Never push to main.", "")]
    assert named(pins, PinKind.REQUEST) == [("Now do task 7.", "")]
    assert named(pins, PinKind.CONSTRAINT) == [("Never push to main.", "")]
    assert named(pins, PinKind.DECISION) == [("We decided to keep LL(1).", "")]
    assert named(pins, PinKind.FILE) == [("a.py", "changed")]
    assert named(pins, PinKind.ERROR) == [("E   ValueError: bad", "pytest")]


def test_what_happens_later_settles_what_was_carried() -> None:
    pins = after(
        FIRST,
        user("You may now push to main."),
        call("c9", "bash", {"command": "pytest"}),
        result("c9", "1 passed in 1s"),
    )

    assert named(pins, PinKind.CONSTRAINT) == [] and named(pins, PinKind.ERROR) == []


def test_carrying_again_and_again_changes_nothing() -> None:
    pins = FIRST
    for _ in range(5):
        pins = after(pins, user("Port the parser. Never push to main."), assistant("Ok."))

    assert [(pin.kind, pin.text) for pin in pins] == [(pin.kind, pin.text) for pin in FIRST]


def test_a_goal_said_later_is_kept_from_pass_to_pass_beside_the_first() -> None:
    pins = FIRST
    for number in range(3):
        pins = after(pins, user(f"The goal is {number} binaries."), assistant("Ok."), user("And now go to part b."))

    assert [text for text, _ in named(pins, PinKind.GOAL)] == [
        "Port the parser. Never push to main.",
        *(f"The goal is {number} binaries." for number in range(3)),
    ]
    assert named(pins, PinKind.REQUEST) == [("And now go to part b.", "")]


@pytest.mark.parametrize(
    ("owed", "said", "settled"),
    [
        ("Shall I drop the table?", "Yes.", True),
        ("Shall I drop the table?", "Wait, not now.", False),
        ("I will send you the token later.", "Rename the module.", False),
        ("I will send you the token later.", "Here is the token.", True),
    ],
)
def test_what_is_owed_is_carried_until_it_is_settled(owed: str, said: str, settled: bool) -> None:
    pins = after((HistoryPin(PinKind.OBLIGATION, owed, "[0]", -1),), user(said), assistant("Ok."))

    assert (named(pins, PinKind.OBLIGATION) == []) is settled


def test_what_stood_before_a_summary_is_not_later_than_it() -> None:
    carried = (HistoryPin(PinKind.REQUEST, "Rename foo to bar.", "[4]", -1),)
    story = [user("Build the exporter."), assistant("Ok."), assistant("Renaming.")]
    pins = survey(read(told(story, Format.OPENAI_CHAT)), carried=carried, since=3).pins

    assert named(pins, PinKind.REQUEST) == [("Rename foo to bar.", "")]
