"""Outputs that come again point to the newest copy."""

import pytest
from conversations import FORMATS
from histories import history
from messages import assistant, call, result, user

from elision.compaction.compact.edits import reduced
from elision.compaction.conversation import Conversation, Format, Part
from elision.compaction.policies.reductions import Dedupe
from elision.compaction.reduce.dedupe import dedupe
from elision.compaction.tokens import counter

COUNTER = counter()
LONG = "one line of many words\n" * 50


def deduped(conversation: Conversation) -> list[str]:
    changed = reduced(conversation, dedupe(conversation, Dedupe(), counter=COUNTER))
    return [place.leaf.text for place in changed.places() if place.block.part is Part.RESULT]


@pytest.mark.parametrize("format", FORMATS)
def test_older_copies_point_to_the_call_of_the_newest(format: Format) -> None:
    story = [user("go")]
    for at, text in enumerate([LONG, "other", LONG, LONG]):
        story += [call(f"c{at}", "read", {"path": f"src/{at}.py"}), result(f"c{at}", text)]
    pointer = "[…50 lines, the same as the later result of read src/3.py]"

    assert deduped(history([*story, assistant("done")], format)) == [pointer, "other", pointer, LONG]


def test_an_older_copy_points_to_one_that_the_model_has_not_read_yet() -> None:
    story = [user("go"), call("a", "bash", {"command": "make"}), result("a", LONG)]
    again = [call("b", "bash", {"command": "make all"}), result("b", LONG)]

    assert deduped(history([*story, *again], Format.OPENAI_CHAT)) == [
        "[…50 lines, the same as the later result of bash make all]",
        LONG,
    ]


def test_texts_that_differ_in_one_character_or_are_shorter_than_a_pointer_stay() -> None:
    story = [user("go")]
    for at, text in enumerate([LONG, LONG + " ", "ok", "ok"]):
        story += [call(f"c{at}", "bash", {}), result(f"c{at}", text)]

    assert deduped(history([*story, assistant("done")], Format.ANTHROPIC)) == [LONG, LONG + " ", "ok", "ok"]
