"""Summaries that another agent left in a history outlive our compactions, as what they are."""

import json
from collections.abc import Sequence

import pytest
from compactions import COUNTER, means, occasion, scribe, small
from conversations import FORMATS, listed
from messages import Json, assistant, told, user

from elision.compaction.compact.earlier import told as quoted_in
from elision.compaction.compact.run import compact
from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect
from elision.compaction.pins.lexicon import table
from elision.compaction.pins.reread import behind, quoted, reread
from elision.compaction.pins.speech import others_summary, spoken
from elision.compaction.pins.types import PinKind
from elision.compaction.policies.load import load, names
from elision.compaction.store import handle_of
from elision.compaction.summary.types import Summariser

ELISION = small("elision", "gate.enough=none")
WORK = "I looked at it and changed some lines there. " * 30
BODY = """1. Primary Request and Intent: The user wants an exporter for invoices in src/export.py.
2. Key decisions: CSV was chosen over XLSX, for openpyxl is not allowed.
6. All user messages:
   - "Never touch billing.py"
   - "不要删除数据库。"
9. Next step: write the header row."""
GOAL, FIRST, SECOND = "exporter for invoices in src/export.py", "Never touch billing.py", "不要删除数据库。"
FRAMES = [f"{frame}:\n\n{BODY}" for frame in table("speech.toml")["summaries"]]
TAGGED = [f"<{tag}>\n{BODY}\n</{tag}>" for tag in table("speech.toml")["summary_tags"]]


def views(story: Sequence[Json], format: Format, *writers: Summariser) -> list[str]:
    """What the model reads after each of four compactions."""
    body = json.loads(told(list(story), format))
    seen = []
    for turn in range(4):
        more = [user(f"go on with part {turn}"), assistant(WORK), assistant(WORK)]
        listed(body, format).extend(listed(json.loads(told(more, format)), format))
        found = compact(
            read(json.dumps(body, ensure_ascii=False), format), ELISION, occasion(1500), means(*writers)
        )
        body = json.loads(found.raw)
        seen.append(found.raw)
    return seen


@pytest.mark.parametrize("text", [*FRAMES, *TAGGED])
def test_the_goal_and_the_demands_of_a_known_summary_outlive_four_compactions(text: str) -> None:
    for view in views([user(text)], Format.OPENAI_CHAT):
        assert GOAL in view and FIRST in view and SECOND in view
        assert view.count(FIRST) == 1 and "openpyxl" in view


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("question", table("speech.toml")["summary_questions"])
def test_so_does_an_answer_to_the_question_by_which_a_client_asks_for_one(
    format: Format, question: str
) -> None:
    story = [user(question), assistant(f"## Work\n{BODY}")]

    for view in views(story, format, scribe(ELISION)):
        assert GOAL in view and FIRST in view and SECOND in view


@pytest.mark.parametrize("text", [*FRAMES, *TAGGED])
def test_nothing_of_it_is_anybodys_words(text: str) -> None:
    pins = collect(read(told([user(text), assistant("Ok.")], Format.OPENAI_CHAT)))

    assert not [pin for pin in pins if pin.kind in (PinKind.GOAL, PinKind.REQUEST, PinKind.CONSTRAINT)]


@pytest.mark.parametrize("text", TAGGED)
def test_what_the_user_says_behind_its_tags_is_the_users(text: str) -> None:
    story = [user(f"{text}\n\nNever push to main."), assistant("Ok.")]
    pins = collect(read(told(story, Format.OPENAI_CHAT)))

    assert [pin.text for pin in pins if pin.kind is PinKind.CONSTRAINT] == ["Never push to main."]
    assert others_summary(f"{text}\n\nNever push to main.") == text


@pytest.mark.parametrize("name", names())
def test_a_summary_by_any_policy_of_ours_is_known_as_one(name: str) -> None:
    compose = load(name).compose
    text = f"{compose.prefix}{BODY}{compose.suffix}"

    assert not compose.prefix.strip() or (not spoken(text) and others_summary(text) == text.strip())


def test_the_block_of_pins_in_another_frame_is_quoted() -> None:
    text = "Some words of another version:\n\nPinned by Elision (2 lines): x\n## Goal\n- [0] Go.\n"

    assert others_summary(text) == text.strip() and not others_summary("Never push to main.")


@pytest.mark.parametrize("room", [110, 140, 200])
def test_with_little_room_demands_and_the_goal_come_before_the_rest_and_the_rest_comes_back(
    room: int,
) -> None:
    kept: dict[str, str] = {}

    def handle(text: str) -> str:
        return kept.setdefault(text, handle_of(text))

    whole = f"Analysis:\n{'It was a long way. ' * 60}\n{BODY}\n## Files\n{'src/some/path.py ' * 60}"
    text = quoted_in([whole], room, COUNTER, handle)

    assert COUNTER.count(text) <= room and list(kept) == [whole] and kept[whole] in text
    assert FIRST in text and SECOND in text
    assert GOAL in text or room < 140


def test_where_there_is_no_room_nothing_is_quoted() -> None:
    assert quoted_in([BODY], 0, COUNTER, handle_of) == quoted_in([], 900, COUNTER, handle_of) == ""


@pytest.mark.parametrize(
    "text", ["a\n\nb", "> a", "(End of the notes.)\n## Goal\nx", "Pinned by Elision (2 lines): x\n- y"]
)  # fmt: skip
def test_a_quotation_is_read_back_and_quotes_all_the_same_again(text: str) -> None:
    block = quoted_in([text], 900, COUNTER, handle_of)
    notes = f"{block}\n\n## Decisions\n- none\n> no quote"

    assert quoted(notes) == text and reread(notes) == ()
    assert behind(notes) == "## Decisions\n- none\n> no quote"
    assert quoted(f"## Decisions\n{block}") == ""


def test_the_newest_summary_of_a_client_is_quoted_beside_the_first() -> None:
    story = [user(FRAMES[1])]
    (*_, view) = views(story, Format.OPENAI_CHAT)
    body = json.loads(view)
    again = FRAMES[1].replace("billing.py", "taxes.py")
    body["messages"] += [user(again), assistant(WORK), user("go on"), assistant(WORK), assistant(WORK)]
    found = compact(read(json.dumps(body)), ELISION, occasion(2500), means())

    assert FIRST in found.raw and "Never touch taxes.py" in found.raw


def test_what_a_tool_says_is_never_one() -> None:
    for frame in FRAMES:
        story = [
            user("Fix it."),
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": frame},
        ]  # fmt: skip
        *_, view = views(story, Format.OPENAI_CHAT)

        assert "From an earlier summary" not in view
