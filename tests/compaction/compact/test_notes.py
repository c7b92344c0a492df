"""What one compaction knows of the one before, where nothing but the history itself tells."""

import json
import re

import pytest
from compactions import Fixed, means, occasion, scribe, small
from conversations import FORMATS, listed
from messages import Json, assistant, call, result, told, user

from elision.compaction.compact.frames import Frame
from elision.compaction.compact.notes import numbers_on, own_words, pins_of
from elision.compaction.compact.run import compact
from elision.compaction.compact.types import CompactedHistory
from elision.compaction.conversation import Conversation, Format
from elision.compaction.formats.read import read
from elision.compaction.pins.types import PinKind
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.policies.telling import Compose

ELISION = small("elision", "gate.enough=none")
HANDLE = re.compile(r"\b[0-9a-f]{24}\b")
FRAME = Frame.of(ELISION.compose)
WORK = [
    user("Never push to main. Make the parser faster."),
    call("c1", "edit", {"file_path": "src/a.py"}),
    result("c1", "ok " * 90),
    assistant("I changed it. " * 30),
    user("Go on with the lexer."),
    assistant("I looked at the lexer. " * 30),
]


def again(done: CompactedHistory, format: Format, *more: Json) -> Conversation:
    return grown(read(done.raw, format), format, *more)


def grown(before: Conversation, format: Format, *more: Json) -> Conversation:
    body = json.loads(before.raw)
    listed(body, format).extend(listed(json.loads(told(list(more), format)), format))
    return read(json.dumps(body, ensure_ascii=False), format)


def compacted(
    conversation: Conversation, policy: CompactionPolicy = ELISION, alternate: bool = False, *lines: str
) -> CompactedHistory:
    return compact(conversation, policy, occasion(600, alternate=alternate), means(scribe(policy, *lines)))


@pytest.mark.parametrize("format", FORMATS)
def test_pins_of_what_is_gone_are_read_back_with_where_they_came_from(format: Format) -> None:
    first = compacted(read(told(WORK, format), format))
    after = again(first, format, user("And now the tests."))
    pins = {(pin.kind, pin.text): pin.source for pin in pins_of(after, ELISION, None, None).pins if pin.holds}

    assert pins[PinKind.CONSTRAINT, "Never push to main."] == "[0]"
    assert pins[PinKind.GOAL, "Never push to main. Make the parser faster."] == "[0]"
    assert (PinKind.REQUEST, "And now the tests.") in pins and (PinKind.FILE, "src/a.py") in pins


@pytest.mark.parametrize("format", FORMATS)
def test_what_the_user_says_later_revokes_what_was_carried(format: Format) -> None:
    first = compacted(read(told(WORK, format), format))
    second = compacted(
        again(
            first,
            format,
            user("You may now push to main."),
            assistant("I push. " * 40),
            user("Go on."),
            assistant("Done."),
        )
    )

    assert "Constraints, in the words" not in second.raw.split("You may now")[0]
    assert not [pin for pin in second.plan.pins if pin.kind is PinKind.CONSTRAINT and pin.holds]


@pytest.mark.parametrize("format", FORMATS)
def test_words_of_the_user_that_were_joined_with_a_summary_stay_the_users(format: Format) -> None:
    """Where no two messages of one speaker may follow each other, the summary stands in the user's own message."""
    story = [*WORK, user("Do not rename fetch. Keep it short."), assistant("I will.")]
    policy = small("elision", "gate.enough=none", "select.tail_min=20", "select.tail_max=30")
    first = compacted(read(told(story, format), format), policy, True)
    conversation = read(first.raw, format)
    (index,) = FRAME.found(conversation)
    pins = pins_of(conversation, policy, None, None).pins
    second = compacted(
        again(first, format, user("Go on."), assistant("I went on. " * 60), user("More."), assistant("Yes.")),
        policy,
        True,
    )

    assert len(conversation.messages[index].blocks) == 2
    assert "Do not rename fetch." not in (FRAME.held(conversation.messages[index]) or "")
    assert "Do not rename fetch." in [pin.text for pin in pins if pin.kind is PinKind.CONSTRAINT]
    assert "Do not rename fetch." in second.raw and "Never push to main." in second.raw


def test_the_writers_words_are_handed_on_without_the_pins_and_the_users_beside_them_are_read() -> None:
    policy = small("elision", "gate.enough=none", "select.tail_min=20", "select.tail_max=30")
    story = [*WORK, user("The lexer is in a hurry."), assistant("I will.")]
    first = compacted(read(told(story, Format.OPENAI_CHAT)), policy, True, "The agent changed the parser")
    conversation = again(
        first,
        Format.OPENAI_CHAT,
        user("Go on."),
        assistant("I went on. " * 60),
        user("More."),
        assistant("Yes."),
    )
    writer = Fixed("nothing")
    compact(conversation, policy, occasion(600), means(writer))
    record, _, prior = writer.calls[0].prompt.partition("The notes so far")

    assert "The agent changed the parser" in prior and "Pinned by Elision" not in writer.calls[0].prompt
    assert "| The lexer is in a hurry." in record and "The agent changed the parser" not in record


def test_numbers_of_messages_go_on_behind_a_summary() -> None:
    first = compacted(read(told(WORK, Format.OPENAI_CHAT)), ELISION, False, "It was changed [m3]")
    conversation = again(first, Format.OPENAI_CHAT, user("x"))
    (index,) = FRAME.found(conversation)

    assert "[m3]" in own_words(FRAME, conversation.messages[index])
    assert numbers_on(conversation, FRAME) + index + 1 > 3
    assert numbers_on(read(told(WORK, Format.OPENAI_CHAT)), FRAME) == 0


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_only_a_first_block_that_begins_as_summaries_do_is_one(format: Format, role: str) -> None:
    frame = Frame.of(
        Compose(role="user" if role == "user" else "assistant", prefix="Notes:\n", suffix="\n(end)")
    )
    notes, other = (user, assistant) if role == "user" else (assistant, user)
    story = [
        notes("Notes:\nold (end) more\n(end)\n"),
        other("Notes:\nfake\n(end)"),
        notes(" see Notes:\nx"),
        notes("Notes:\nlast"),
    ]
    conversation = read(told(story, format), format)

    # Where two messages of the assistant may not follow each other, a summary is the user's.
    assert frame.found(conversation) == ([0, 3] if role == "user" else [0, 1, 3])
    assert (
        frame.held(conversation.messages[0]) == "old (end) more"
        and frame.held(conversation.messages[3]) == "last"
    )
    assert Frame.of(Compose(role="user")).found(conversation) == []


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("waited", range(5))
def test_the_latest_request_and_an_answer_settle_what_was_carried_wherever_they_stand(
    format: Format, waited: int
) -> None:
    """Numbers of messages after a compaction are as low as those before it."""
    story = [*WORK, user("Never touch billing.py."), assistant("Shall I drop the table invoices_2019?")]
    first = compacted(read(told([*story, assistant("I wait. " * 60)], format), format))
    more = [assistant("Waiting.")] * waited + [user("Yes, drop it, then write the header."), assistant("Ok. " * 99)]
    pins = pins_of(again(first, format, *more), ELISION, None, None).pins

    assert "invoices_2019?" in first.raw
    assert [pin.text for pin in pins if pin.kind is PinKind.REQUEST] == ["Yes, drop it, then write the header."]
    assert not [pin for pin in pins if pin.kind is PinKind.OBLIGATION]
    assert [pin.text for pin in pins if pin.kind is PinKind.GOAL] == [
        "Never push to main. Make the parser faster."
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_lists_of_files_grow_from_pass_to_pass(format: Format) -> None:
    policy = small("pi")
    body = read(told(WORK, format), format)
    for name in ("one", "two", "three"):
        done = compacted(body, policy)
        body = again(
            done,
            format,
            user(f"Read {name}."),
            call(name, "read", {"path": f"src/{name}.py"}),
            result(name, "x = 1\n" * 200),
            assistant("I read it. " * 60),
            user("Go on."),
            assistant("I did. " * 60),
        )
    last = compacted(body, policy)
    (index,) = Frame.of(policy.compose).found(read(last.raw, format))
    text = read(last.raw, format).messages[index].blocks[0].leaves[0].text

    assert "Files read:\nsrc/one.py\nsrc/three.py\nsrc/two.py\n\nFiles changed:\nsrc/a.py\n" in text
    assert text.count("Files read:") == 1


@pytest.mark.parametrize("format", FORMATS)
def test_pins_that_did_not_fit_come_back_by_their_handles_after_any_number_of_passes(format: Format) -> None:
    """A block that is written anew takes its earlier counted line along."""
    stored = means(scribe(ELISION)).store
    policy = small("elision", "gate.enough=none", "summary.pins_share=0.1")
    body, last = read(told(WORK, format), format), None
    for turn in range(3):
        read_files = [
            each
            for n in range(60)
            for each in (
                call(f"c{turn}_{n}", "read", {"path": f"src/part_{turn}/file_{n}.py"}),
                result(f"c{turn}_{n}", "ok"),
            )
        ]
        body = grown(body, format, user(f"Read part {turn}."), *read_files, assistant("I read them. " * 60))
        last = compact(body, policy, occasion(1800), means(scribe(policy), store=stored))
        body = read(last.raw, format)
    found = last.raw if last else ""
    while more := [text for handle in HANDLE.findall(found) if (text := stored.original(handle)) and text not in found]:
        found += "".join(more)

    assert last is not None and last.dropped > 60 and "file_59.py" in last.raw
    assert all(f"src/part_{turn}/file_{n}.py" in found for turn in range(3) for n in range(60))
