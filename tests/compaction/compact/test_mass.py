"""How much of what a classifier values is still there."""

import pytest
from conversations import FORMATS
from messages import assistant, call, result, told, user
from scorers import HashScorer

from elision.compaction.compact.mass import ValuedLines
from elision.compaction.conversation import Format
from elision.compaction.formats.read import read

STORY = [
    {"role": "system", "content": "You are an agent.\nAlways answer in one word."},
    user("Which tests fail?"),
    call("c1", "bash", {"command": "pytest"}),
    result("c1", "collected 3 items\ntest_a failed\ntest_b failed\n"),
    assistant("Two of them."),
]


@pytest.mark.parametrize("format", FORMATS)
def test_what_instructions_say_has_no_value_wherever_a_format_has_them(format: Format) -> None:
    found = ValuedLines.of(read(told(STORY, format), format), HashScorer())
    lines = {line for line, _ in found.lines}

    assert lines == {
        "Which tests fail?",
        "collected 3 items",
        "test_a failed",
        "test_b failed",
        "Two of them.",
    }


@pytest.mark.parametrize("format", FORMATS)
def test_all_of_a_history_is_in_itself_and_the_share_of_lines_that_stay_by_value_in_a_shorter_one(
    format: Format,
) -> None:
    valued = ValuedLines.of(read(told(STORY, format), format), HashScorer())
    shorter = read(told([STORY[0], user("  test_a   failed"), assistant("Two of them.")], format), format)
    worth = dict(valued.lines)
    kept = (worth["test_a failed"] + worth["Two of them."]) / sum(worth.values())

    assert valued.kept(read(told(STORY, format), format)) == 1
    assert valued.kept(shorter) == pytest.approx(kept)


def test_where_nothing_was_said_there_is_no_share() -> None:
    nothing = read(told([STORY[0], user(" ")], Format.OPENAI_CHAT))

    assert ValuedLines.of(nothing, HashScorer()).kept(nothing) is None
