"""Where the summary goes in the new list of messages, what stands around it, and by which ruler a message is cut."""

import pytest
from compactions import means, occasion, scribe, small
from conversations import FORMATS
from messages import Json, assistant, call, result, told, user

from elision.compaction.compact.compose import Inserted
from elision.compaction.compact.run import compact
from elision.compaction.compact.trigger import Cause
from elision.compaction.compact.types import CompactedHistory
from elision.compaction.conversation import Format
from elision.compaction.cuts import validate
from elision.compaction.formats.read import read
from elision.compaction.policies.schema import CompactionPolicy

OPENCODE = small("opencode", "select.tail_min=10", "select.tail_max=200")
LEAD, GO_ON = OPENCODE.compose.lead, OPENCODE.compose.continue_
LONG = "I looked at the parser, and at its tests as well. " * 60
BEGUN = [user("Make the parser faster."), assistant(LONG), user("Go on with the lexer."), assistant(LONG)]
CALLED = [call("c1", "read", {"path": "a.py"}), result("c1", "a line\n" * 20)]


def done(
    policy: CompactionPolicy, story: list[Json], format: Format, alternate: bool = False
) -> CompactedHistory:
    when = occasion(2400, Cause.OVERFLOW, alternate=alternate)
    return compact(read(told(story, format), format), policy, when, means(scribe(policy)))


def spoken(found: CompactedHistory, format: Format) -> list[tuple[str, str]]:
    """Each message: whose it is, and what it says."""
    messages = read(found.raw, format).messages
    return [
        (message.role.value, "\n".join(leaf.text for block in message.blocks for leaf in block.leaves))
        for message in messages
    ]


@pytest.mark.parametrize("alternate", [False, True])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("tail", "ends"),
    [
        ([], GO_ON),
        ([user("And the printer."), assistant("It is done.")], GO_ON),
        ([user("And the printer.")], "And the printer."),
        (CALLED, "a line\n" * 20),
        ([*CALLED, assistant("It is done.")], GO_ON),
        ([*CALLED, call("c2", "read", {"path": "b.py"})], None),
    ],
    ids=["nothing", "a turn", "a question", "a call", "a call and an answer", "an open call"],
)
def test_the_assistant_tells_and_the_user_goes_on_whatever_stays(
    tail: list[Json], ends: str | None, format: Format, alternate: bool
) -> None:
    found = done(OPENCODE, [*BEGUN, *tail], format, alternate)
    said = spoken(found, format)

    assert found.changed and not validate(read(found.raw, format))
    assert said[0] == ("user", LEAD) and said[1][0] == "assistant"
    assert said[1][1].startswith(OPENCODE.compose.prefix.strip())
    assert said[2][0] == "user" or len(said) == 2
    assert said[2][1] == (tail[0]["content"] if tail and tail[0]["role"] == "user" else GO_ON)
    assert ends is None or said[-1][1] == ends
    assert ends is not None or GO_ON not in said[-1][1]


@pytest.mark.parametrize("format", FORMATS)
def test_without_words_to_go_on_the_summary_in_front_of_the_assistants_own_is_the_users(
    format: Format,
) -> None:
    policy = small("opencode", "select.tail_min=10", "select.tail_max=200", "compose.continue=")
    said = spoken(done(policy, [*BEGUN, *CALLED], format), format)

    assert said[0][0] == "user" and said[0][1].startswith(OPENCODE.compose.prefix.strip())


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("tail", "at"),
    [
        ([user("And the printer."), assistant("Now."), user("Then stop."), assistant("Done.")], 2),
        ([user("And the printer."), *CALLED, assistant("Done.")], 0),
        ([assistant("It is done.")], 0),
        ([user("Stop it.")], 0),
    ],
    ids=["in the tail", "at the cut", "nowhere", "waiting"],
)
def test_a_summary_goes_before_the_users_last_message_or_where_the_cut_is(
    tail: list[Json], at: int, format: Format
) -> None:
    policy = small(
        "codex-local", "compose.place=before_last_user", "select.keep_users=0", "select.tail_tokens=120"
    )
    found = done(policy, [*BEGUN, *tail], format)
    places = [place for place, piece in enumerate(found.pieces) if isinstance(piece, Inserted)]

    assert not validate(read(found.raw, format))
    assert places == [at] and spoken(found, format)[at][0] == "user"


def test_before_the_users_last_message_is_among_the_users_messages_that_stay() -> None:
    policy = small("codex-local", "compose.place=before_last_user")
    found = done(policy, BEGUN, Format.OPENAI_CHAT)

    assert [role for role, _ in spoken(found, Format.OPENAI_CHAT)] == ["user", "user", "user"]
    assert [isinstance(piece, Inserted) for piece in found.pieces] == [False, True, False]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("tail", [CALLED, [user("And the printer.")]], ids=["a call", "a question"])
@pytest.mark.parametrize("head", [0, 1])
@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("place", ["cut", "last", "first", "before_last_user"])
def test_where_a_provider_would_not_take_it_a_summary_is_the_users_and_at_the_cut(
    place: str, role: str, head: int, tail: list[Json], format: Format
) -> None:
    policy = small(
        "codex-local",
        f"compose.place={place}",
        f"compose.role={role}",
        f"select.head_messages={head}",
        "compose.continue=Go on.",
        "select.keep_users=0",
        "select.tail_tokens=100",
        "select.start=spoken",
    )
    found = done(policy, [*BEGUN, *tail], format)

    assert found.changed and not validate(read(found.raw, format))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("head", [0, 1])
def test_what_nothing_stands_for_goes_as_far_as_the_rest_is_a_conversation(head: int, format: Format) -> None:
    policy = small(
        "codex-local",
        "summary.writer=none",
        f"select.head_messages={head}",
        "select.keep_users=0",
        "select.tail_tokens=400",
    )
    found = done(policy, [*BEGUN, user("And the printer."), *CALLED, *BEGUN[2:3], assistant("Done.")], format)

    assert found.changed and not validate(read(found.raw, format))
    assert not any(isinstance(piece, Inserted) for piece in found.pieces)


@pytest.mark.parametrize(
    "words", ["数据库迁移脚本不要删除任何表。", "Не удаляй тесты. ", "Never push to main. ", "🚀 naïve "]
)
def test_a_message_of_the_user_is_cut_by_the_ruler_that_chose_it(words: str) -> None:
    policy = small("codex-local", "select.keep_users=300")
    found = done(
        policy, [user(words * 400), assistant(LONG), user("Go on."), assistant(LONG)], Format.OPENAI_CHAT
    )
    (_, cut), *_ = spoken(found, Format.OPENAI_CHAT)

    assert 220 < len(cut.encode()) / 4 <= 301 and cut.startswith(words[:8])
