"""Old outputs become placeholders."""

import json

import pytest
from conversations import FORMATS
from histories import history
from messages import Json, assistant, call, result, user

from elision.compaction.compact.edits import reduced
from elision.compaction.conversation import Conversation, Format, Part
from elision.compaction.formats.read import read
from elision.compaction.pins.inert import inert
from elision.compaction.policies.reductions import Mask
from elision.compaction.reduce.mask import mask
from elision.compaction.store import handle_of
from elision.compaction.tokens import counter

COUNTER = counter()
LONG = "one line of many words\n" * 50


def steps(*made: tuple[str, Json, str], format: Format = Format.OPENAI_CHAT) -> Conversation:
    """One question, calls with their outputs one after the other, an answer."""
    story = [user("go")]
    for at, (name, arguments, text) in enumerate(made):
        story += [call(f"c{at}", name, arguments), result(f"c{at}", text)]
    return history([*story, assistant("done")], format)


def outputs(conversation: Conversation) -> list[str]:
    return [place.leaf.text for place in conversation.places() if place.block.part is Part.RESULT]


def masked(conversation: Conversation, **settings: object) -> list[str]:
    return outputs(reduced(conversation, mask(conversation, Mask.model_validate(settings), counter=COUNTER)))


@pytest.mark.parametrize("format", FORMATS)
def test_an_old_output_becomes_a_placeholder_that_counts_its_lines(format: Format) -> None:
    conversation = steps(("bash", {"command": "make"}, LONG), ("bash", {}, "ok"), format=format)

    assert masked(conversation) == ["[…50 lines of bash]", "ok"]


def test_the_last_turns_stay() -> None:
    # The answer at the end is a step of its own.
    made = [("bash", {"n": at}, LONG) for at in range(4)]

    assert [text == LONG for text in masked(steps(*made), protect_turns=3, turn="step")] == [
        False,
        False,
        True,
        True,
    ]


def test_turns_of_the_user_are_counted_by_what_the_user_says_not_by_results() -> None:
    story = [
        user("a"),
        call("1", "bash", {}),
        result("1", LONG),
        user("b"),
        call("2", "bash", {}),
        result("2", LONG),
    ]
    conversation = history([*story, assistant("done")], Format.ANTHROPIC)

    assert [text == LONG for text in masked(conversation, protect_turns=1)] == [False, True]


def test_the_newest_tokens_stay_and_the_output_that_crosses_the_line_goes() -> None:
    made = [("bash", {"n": at}, LONG) for at in range(4)]
    one = COUNTER.count(LONG)

    assert [text == LONG for text in masked(steps(*made), protect_tokens=2 * one + 1)] == [
        False,
        False,
        True,
        True,
    ]


def test_the_newest_outputs_stay() -> None:
    made = [("bash", {"n": at}, LONG) for at in range(3)]

    assert [text == LONG for text in masked(steps(*made), protect_last=1)] == [False, False, True]


def test_nothing_goes_where_too_little_would_be_freed() -> None:
    conversation = steps(("bash", {}, LONG))

    assert masked(conversation, minimum=COUNTER.count(LONG)) == [LONG]
    assert masked(conversation, minimum=100) != [LONG]


def test_what_the_model_has_not_read_yet_stays() -> None:
    conversation = history([user("go"), call("1", "bash", {}), result("1", LONG)], Format.GEMINI)

    assert masked(conversation) == [LONG]


@pytest.mark.parametrize("tool", ["skill", "mcp__elision__expand", "AskUserQuestion", "special_tool"])
def test_instructions_what_was_fetched_back_answers_of_users_and_exempt_tools_stay(tool: str) -> None:
    assert masked(steps((tool, {}, LONG)), exempt=("special*",)) == [LONG]


def test_only_named_tools_go_where_they_are_named() -> None:
    assert masked(steps(("read", {}, LONG), ("bash", {}, LONG)), only=("bash",)) == [
        LONG,
        "[…50 lines of bash]",
    ]


def test_a_placeholder_can_name_the_original() -> None:
    conversation = steps(("bash", {}, LONG))
    (change,) = mask(conversation, Mask(placeholder="gone: {handle}"), counter=COUNTER)

    assert json.loads(change.spelling) == f"gone: {handle_of(LONG)}"


def test_one_line_is_one_line() -> None:
    assert masked(steps(("bash", {}, "word " * 99))) == ["[…1 line of bash]"]


def test_what_failed_keeps_its_exit_code_and_its_last_error() -> None:
    said = LONG + "ValueError: no such key\nsome more\nProcess exited with code 2\n"

    assert masked(steps(("bash", {}, said)), keep_error=True) == [
        "[…53 lines of bash]\nexit code 2\nValueError: no such key"
    ]
    assert masked(steps(("bash", {}, LONG + "ValueError in a file\nexit code 0")), keep_error=True) == [
        "[…52 lines of bash]"
    ]


def test_a_preview_of_both_ends_stays_where_asked() -> None:
    text = "".join(f"row {row} of the output\n" for row in range(100))
    (short,) = masked(steps(("bash", {}, text)), preview=80)

    head, placeholder, tail = short.partition("[…100 lines of bash]")[::1]
    assert placeholder
    assert text.startswith(head.rstrip("\n")) and text.rstrip("\n").endswith(tail.strip("\n"))
    assert head and tail


def test_what_can_be_had_again_goes_first_and_no_more_than_is_needed() -> None:
    conversation = steps(
        ("bash", {"command": "pytest"}, LONG),
        ("read", {"path": "a.py"}, LONG),
        ("read", {"path": "b.py"}, LONG),
        ("edit", {"path": "b.py"}, "ok"),
    )
    settings = Mask(again_first=True)
    everything = mask(conversation, settings, counter=COUNTER)
    enough = mask(conversation, settings, counter=COUNTER, need=everything[0].tokens_saved + 1)

    assert [one.again for one in everything] == ["read b.py", "read a.py", ""]
    assert enough == everything[:2]


def test_an_object_stays_an_object_and_small_values_stay() -> None:
    conversation = steps(("bash", {}, LONG), format=Format.GEMINI)
    body = json.loads(conversation.raw)
    body["contents"][2]["parts"][0]["functionResponse"]["response"] = {
        "output": LONG,
        "state": "ok",
        "code": 0,
    }
    changed = reduced(found := read(json.dumps(body), Format.GEMINI), mask(found, Mask(), counter=COUNTER))

    response = json.loads(changed.raw)["contents"][2]["parts"][0]["functionResponse"]["response"]
    assert response == {"output": "[…50 lines of bash]", "state": "ok", "code": 0}


def test_a_tool_name_cannot_fill_in_more_than_itself() -> None:
    assert masked(steps(("{handle}\n]x" + "y" * 99, {}, LONG)))[0].startswith("[…50 lines of {handle} ]xyyy")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "error", ["ZeroDivisionError: division by zero", "FAILED tests/a.py::test_b - assert 1", "error[E0308]: mismatched types"]
)  # fmt: skip
def test_lines_of_errors_that_nothing_has_resolved_stay_where_what_can_be_had_again_goes_first(
    format: Format, error: str
) -> None:
    made = ("bash", {"command": "pytest tests"}, LONG + error + "\n")
    fixed = ("bash", {"command": "pytest tests"}, "1 passed in 1s")
    still_open, resolved = steps(made, format=format), steps(made, fixed, format=format)

    (text,) = masked(still_open, again_first=True)
    assert text.splitlines() == ["[…51 lines of bash]", inert(error)]
    assert masked(resolved, again_first=True)[0] == "[…51 lines of bash]"
    assert masked(still_open) == ["[…51 lines of bash]"]
    once = reduced(still_open, mask(still_open, Mask(again_first=True), counter=COUNTER))
    assert not mask(once, Mask(again_first=True), counter=COUNTER)
