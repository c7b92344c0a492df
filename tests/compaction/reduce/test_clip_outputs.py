"""Outputs over a limit keep their ends."""

import pytest
from conversations import FORMATS
from histories import history
from messages import assistant, call, result, user

from elision.compaction.compact.edits import reduced
from elision.compaction.compact.estimators import RULES
from elision.compaction.conversation import Conversation, Format, Part
from elision.compaction.policies.reductions import Clip
from elision.compaction.reduce.clip_outputs import clip_outputs
from elision.compaction.store import handle_of
from elision.compaction.tokens import counter

COUNTER = counter()
ROWS = "".join(f"row {row} of the output\n" for row in range(400))


def conversation_of(*texts: str, format: Format = Format.OPENAI_CHAT, ends: bool = True) -> Conversation:
    story = [user("go")]
    for at, text in enumerate(texts):
        story += [call(f"c{at}", "bash", {}), result(f"c{at}", text)]
    return history([*story, assistant("done")] if ends else story, format)


def clipped(conversation: Conversation, settings: Clip) -> list[str]:
    changed = reduced(conversation, clip_outputs(conversation, settings, counter=COUNTER))
    return [place.leaf.text for place in changed.places() if place.block.part is Part.RESULT]


@pytest.mark.parametrize("format", FORMATS)
def test_both_ends_stay_around_a_counted_marker_at_line_ends(format: Format) -> None:
    (text,) = clipped(conversation_of(ROWS, format=format), Clip(limit=200))

    rows = text.splitlines()
    (marker,) = [row for row in rows if row.startswith("[…")]
    assert rows[0] == "row 0 of the output" and rows[-1] == "row 399 of the output"
    assert marker == f"[…{400 - len(rows) + 1} lines]"
    assert COUNTER.count(text) <= 200


@pytest.mark.parametrize(("unit", "size"), [("chars", len), ("bytes", lambda text: len(text.encode()))])
def test_the_limit_holds_in_its_own_unit(unit: str, size: object) -> None:
    (text,) = clipped(
        conversation_of("数据 naïve 🚀\n" * 500), Clip.model_validate({"limit": 600, "unit": unit})
    )

    assert 400 < size(text) <= 600  # type: ignore[operator]


@pytest.mark.parametrize(
    ("head", "begins", "ends"), [(0.0, False, True), (0.2, True, True), (1.0, True, False)]
)
def test_the_share_of_the_beginning_can_be_set(head: float, begins: bool, ends: bool) -> None:
    (text,) = clipped(conversation_of(ROWS), Clip(limit=300, head=head))

    assert text.startswith("row 0") is begins
    assert text.endswith("row 399 of the output\n") is ends


def test_one_limit_for_all_is_spent_from_the_newest_on() -> None:
    limit = 2 * COUNTER.count(ROWS) + 300
    oldest, crossing, *newest = clipped(
        conversation_of(ROWS, ROWS, ROWS, ROWS), Clip(limit=limit, newest=True, head=0.2)
    )

    assert newest == [ROWS, ROWS]
    assert 200 < COUNTER.count(crossing) <= 300
    assert oldest == "[…400 lines]\n"


def test_what_the_model_has_not_read_yet_is_clipped_only_if_asked() -> None:
    waiting = conversation_of(ROWS, ends=False)

    assert clipped(waiting, Clip(limit=200)) == [ROWS]
    assert clipped(waiting, Clip(limit=200, unread=True)) != [ROWS]


def test_no_grapheme_is_cut_and_a_text_cheaper_than_its_marker_stays() -> None:
    family = "👩‍👩‍👧‍👦"
    (text,) = clipped(conversation_of(family * 100), Clip(limit=301, unit="chars"))

    assert text.replace(family, "").startswith("[…") and text.replace(family, "").endswith(" characters]")
    assert clipped(conversation_of("a b c"), Clip(limit=1)) == ["a b c"]


@pytest.mark.parametrize("unit", ["tokens", "chars4", "bytes4", "script_weighted"])
@pytest.mark.parametrize(
    "line", ["测试失败，断言错误。\n", "Не удаляй тесты.\n", "row of the output\n", "naïve 🚀\n"]
)
def test_tokens_are_what_the_agent_takes_for_tokens(unit: str, line: str) -> None:
    ruler = RULES.get(unit, COUNTER)
    (text,) = clipped(conversation_of(line * 900), Clip.model_validate({"limit": 600, "unit": unit}))

    assert 450 < ruler.count(text) <= 600


HEADED = Clip(limit=200, header="[Shortened. {lines} lines of {tool}: {handle}]")


@pytest.mark.parametrize("format", FORMATS)
def test_a_line_above_says_how_much_there_was_and_how_it_comes_back(format: Format) -> None:
    (text,) = clipped(conversation_of(ROWS, format=format), HEADED)

    assert text.startswith(f"[Shortened. 400 lines of bash: {handle_of(ROWS)}]\nrow 0 of the output\n")
    assert "[…" in text and COUNTER.count(text) <= 200


@pytest.mark.parametrize("limit", [200, 120, 60, 1])
def test_what_is_clipped_again_keeps_the_line_it_has(limit: int) -> None:
    (once,) = clipped(conversation_of(ROWS), HEADED)
    (again,) = clipped(conversation_of(once), HEADED.model_copy(update={"limit": limit}))

    assert again.partition("\n")[0] == once.partition("\n")[0] and again.count("Shortened") == 1
    assert (again == once) == (limit == 200)


def test_an_output_that_looks_as_if_it_had_that_line_is_clipped_all_the_same() -> None:
    (text,) = clipped(conversation_of("[Shortened. " + "x y " * 2000), HEADED)

    assert COUNTER.count(text) <= 200
