"""Where a policy cuts: never through a pair, never through what the user waits for."""

import json

import pytest
from conversations import FORMATS, body_of, read_json, stories
from hypothesis import given
from hypothesis import strategies as st
from messages import Json, assistant, call, calls, result, system, told, user

from elision.compaction.compact.compose import Inserted, Kept, composed, message_of
from elision.compaction.compact.select import Selection, select
from elision.compaction.conversation import Conversation, Format, Role
from elision.compaction.cuts import cut_points, validate
from elision.compaction.formats.read import read
from elision.compaction.policies.telling import Select

STEPS = [
    user("fix it"),
    call("c1", "bash", {}),
    result("c1", "one"),
    call("c2", "bash", {}),
    result("c2", "two"),
    assistant("done"),
    user("more"),
    call("c3", "bash", {}),
    result("c3", "three"),
    assistant("done again"),
]


def chat(story: list[Json]) -> Conversation:
    return read(told(story, Format.OPENAI_CHAT))


def chosen(story: list[Json], how: Select, costs: list[int] | None = None, at_most: int | None = None) -> Selection:
    conversation = chat(story)
    costs = costs or [10] * len(story)
    return select(conversation, how, costs, window=1000, usable=1000, at_most=at_most)


def test_without_a_limit_everything_goes_but_the_instructions() -> None:
    found = chosen([system("be kind"), *STEPS], Select())

    assert found.lead == 1
    assert found.covered == tuple(range(1, 11))
    assert found.tail == 11


def test_what_nobody_answered_stays() -> None:
    found = chosen([*STEPS, user("and"), user("this")], Select(tail_tokens=0))

    assert found.pending == 10
    assert found.tail == 10


def test_an_open_call_and_what_it_waits_for_stay() -> None:
    found = chosen([*STEPS, user("go on"), call("c4", "bash", {})], Select(tail_tokens=0))

    assert found.tail == 11
    assert found.splits_turn


@pytest.mark.parametrize(("tokens", "tail"), [(0, 10), (10, 9), (29, 9), (30, 7), (40, 6), (1000, 0)])
def test_a_tail_of_tokens_begins_behind_a_whole_pair(tokens: int, tail: int) -> None:
    assert chosen(STEPS, Select(tail_tokens=tokens)).tail == tail


def test_looking_back_keeps_the_pair_that_the_limit_cuts() -> None:
    assert chosen(STEPS, Select(tail_tokens=20, snap="back")).tail == 7


def test_the_message_that_crosses_the_limit_may_be_in() -> None:
    assert chosen(STEPS, Select(tail_tokens=35, first_fits=True, start="any")).tail == 6


def test_a_tail_begins_with_whom_the_policy_says() -> None:
    assert chosen(STEPS, Select(tail_tokens=30, start="user")).tail == 10
    assert chosen(STEPS, Select(tail_tokens=50, start="user")).tail == 6


def test_what_goes_ends_with_the_assistant_where_the_policy_says_so() -> None:
    found = chosen(STEPS, Select(tail_tokens=30, head_ends_with="assistant"))

    assert found.tail == 10
    assert chosen(STEPS, Select(tail_tokens=45, head_ends_with="assistant")).tail == 6


def test_a_head_ends_behind_a_whole_pair() -> None:
    found = chosen(STEPS, Select(head_messages=2, tail_tokens=10))

    assert found.head == (0, 1, 2)
    assert found.covered == tuple(range(3, 9))


def test_a_target_leaves_at_most_that_share() -> None:
    found = chosen(STEPS, Select(head_messages=1, target=0.5))

    assert len(found.head) + 10 - found.tail <= 5


def test_a_share_of_the_history_is_of_its_characters() -> None:
    found = chosen(STEPS, Select(tail_share=0.45, tail_share_of="history", start="user"))

    assert found.tail == 6


def test_the_users_messages_stay_newest_first_and_the_one_that_crosses_is_cut() -> None:
    story = [user("a"), assistant("b"), user("c"), assistant("d"), user("e"), assistant("f")]
    costs = [50, 1, 40, 1, 30, 1]

    found = chosen(story, Select(keep_users=80, keep_users_cut=True), costs)
    assert (found.users, found.cut_user, found.cut_tokens) == ((0, 2, 4), 0, 10)
    assert found.covered == (1, 3, 5)
    assert found.read == (0, 1, 2, 3, 4, 5)

    found = chosen(story, Select(keep_users=80), costs)
    assert (found.users, found.cut_user) == ((2, 4), -1)


def test_the_first_message_can_have_room_of_its_own() -> None:
    story = [user("a"), assistant("b"), user("c"), assistant("d"), user("e"), assistant("f")]

    how = Select(keep_users=90, keep_users_reserve=50, keep_users_cut=True)

    found = chosen(story, how, [50, 1, 40, 1, 30, 1])

    assert (found.users, found.cut_user, found.cut_tokens) == ((0, 2, 4), 2, 10)


def test_a_first_message_that_is_longer_than_its_room_goes() -> None:
    story = [user("a"), assistant("b"), user("c"), assistant("d"), user("e"), assistant("f")]

    assert chosen(story, Select(keep_users=70, keep_users_reserve=30), [50, 1, 41, 1, 40, 1]).users == (4,)


def test_an_earlier_summary_is_none_of_the_users_messages() -> None:
    found = select(
        chat([user("notes"), assistant("b"), user("c"), assistant("d")]),
        Select(keep_users=100),
        [10] * 4,
        window=100,
        usable=100,
        summaries=frozenset({0}),
    )

    assert found.users == (2,)


def test_a_limit_on_everything_makes_the_tail_shorter() -> None:
    assert chosen(STEPS, Select(tail_tokens=1000), at_most=45).tail == 6
    assert chosen([system("x"), *STEPS], Select(tail_tokens=1000), at_most=45).tail == 8


def test_nothing_goes_where_the_policy_only_reduces() -> None:
    assert chosen(STEPS, Select(nothing=True)).covered == ()


def test_a_short_history_goes_whole_where_the_policy_says_so() -> None:
    assert chosen(STEPS, Select(tail_tokens=1000, all_up_to=4)).covered == ()
    assert chosen([user("a"), assistant("b")], Select(tail_tokens=1000, all_up_to=4)).covered == (0, 1)


TABLES = st.builds(
    Select,
    head_messages=st.integers(0, 3),
    tail_tokens=st.none() | st.integers(0, 200),
    tail_share=st.none() | st.floats(0.01, 0.9),
    tail_share_of=st.sampled_from(["window", "history", "usable"]),
    tail_messages=st.none() | st.integers(0, 9),
    tail_turns=st.none() | st.integers(0, 3),
    target=st.none() | st.floats(0.1, 0.9),
    first_fits=st.booleans(),
    snap=st.sampled_from(["forward", "back"]),
    start=st.sampled_from(["any", "user", "spoken"]),
    head_ends_with=st.sampled_from(["", "assistant"]),
    keep_users=st.sampled_from([0, 15, 1000]),
    keep_users_cut=st.booleans(),
    last_user=st.booleans(),
    all_up_to=st.sampled_from([0, 4]),
)


@pytest.mark.law
@given(stories(), st.sampled_from(FORMATS), TABLES, st.booleans(), st.none() | st.integers(-10, 200), st.booleans())
def test_what_stays_is_a_conversation(
    story: list[Json], format: Format, how: Select, thoughts: bool, at_most: int | None, told: bool
) -> None:
    conversation = read_json(body_of(story, format, thoughts), format)
    costs = [10] * len(conversation.messages)

    found = select(conversation, how, costs, window=100, usable=90, at_most=at_most, told=told)

    stays = [*found.head, *found.users, *range(found.tail, len(costs))]
    assert sorted([*range(found.lead), *stays, *found.covered]) == list(range(len(costs)))
    assert all(conversation.messages[index].role is Role.USER for index in found.users)
    assert found.tail in cut_points(conversation) or not found.covered
    asked = [Kept(index) for index in sorted([*found.head, *found.users])]
    tail = [Kept(index) for index in range(found.tail, len(costs))]
    # What stands in for what went is a user's message, as the rules of cutting take it; or nothing does.
    between = [_summary(format)] if found.covered and told else []
    raw = composed(conversation, [*[Kept(i) for i in range(found.lead)], *asked, *between, *tail])
    assert validate(read(raw, format)) == []
    assert told or not found.covered or [*asked, *tail]


def _summary(format: Format) -> Inserted:
    return Inserted(message_of(format, Role.USER, "notes"))


def test_composing_what_was_there_gives_the_same_bytes() -> None:
    raw = json.dumps(json.loads(told(STEPS, Format.OPENAI_CHAT)), indent=3)
    conversation = read(raw)

    assert composed(conversation, [Kept(index) for index in range(10)]) == raw


LOOP = [
    user("fix it"),
    *(m for n in range(30) for m in (call(f"d{n}", "read", {}), result(f"d{n}", f"{n} " * 40))),
]


def calls_of(*ids: str) -> Json:
    return calls(*((id, "ls", {}) for id in ids))


def results_of(*ids: str) -> list[Json]:
    return [result(id, "r") for id in ids]


def loop(format: Format, how: Select, *more: Json, each: int = 10, at_most: int | None = None) -> tuple[int, int]:
    """Where the tail begins in a loop of tools, and how many messages there are."""
    conversation = read(told([*LOOP, *more], format), format)
    costs = [each] * len(conversation.messages)
    found = select(conversation, how, costs, window=1000, usable=1000, at_most=at_most)
    return found.tail, len(costs)


@pytest.mark.parametrize("format", FORMATS)
def test_a_loop_goes_on_with_what_the_policy_lets_it_begin_with(format: Format) -> None:
    """There is no message of the user behind the limit, and results nobody has read: what is there stays."""
    by_users = Select(tail_share=0.3, tail_share_of="history", start="user")

    assert loop(format, by_users)[0] == 0
    tail, total = loop(format, Select(tail_tokens=0, start="spoken"))
    assert tail == total - 2


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("start", ["user", "spoken"])
def test_a_loop_that_the_user_broke_off_goes_on_with_what_was_said_then(format: Format, start: str) -> None:
    tail, total = loop(format, Select.model_validate({"tail_tokens": 0, "start": start}), user("and hurry"))

    assert tail == total - 1


@pytest.mark.parametrize("format", FORMATS)
def test_all_goes_where_the_model_has_said_its_last_word(format: Format) -> None:
    for start in ("user", "spoken", "any"):
        tail, total = loop(format, Select(tail_tokens=0, start=start), assistant("done"))
        assert tail == total


@pytest.mark.parametrize("format", FORMATS)
def test_results_that_cannot_stay_go_though_nobody_has_read_them(format: Format) -> None:
    for start in ("user", "spoken"):
        how = Select(tail_tokens=0, start=start)
        for tail, total in (loop(format, how, each=1001), loop(format, how, at_most=9)):
            assert tail == total
    tail, total = loop(format, Select(tail_tokens=0))
    assert tail == total


@pytest.mark.parametrize("start", ["user", "spoken"])
@pytest.mark.parametrize(("at_most", "covers_all"), [(119, True), (120, False)])
def test_unread_results_stay_where_their_call_and_what_stands_in_front_fit_too(
    start: str, at_most: int, covers_all: bool
) -> None:
    """Instructions of 50 tokens, a head of 10, a call of 40 and its results of 10 each."""
    story = [system("s"), user("u"), call("c0", "ls", {}), result("c0", "r"), calls_of("c1", "c2"), *results_of("c1", "c2")]
    costs = [50, 10, 10, 10, 40, 10, 10]
    how = Select.model_validate({"tail_tokens": 0, "start": start, "head_messages": 1})
    found = chosen(story, how, costs, at_most)

    assert (found.tail == len(story)) == covers_all


@pytest.mark.parametrize("format", FORMATS)
def test_a_target_is_of_events_and_of_the_window(format: Format) -> None:
    """Sixty-one events, one of them the summary."""
    assert 61 - loop(format, Select(target=0.5))[0] <= 29
    assert 61 - loop(format, Select(target=0.5, target_events=20))[0] <= 19
    assert 61 - loop(format, Select(target=0.5), each=100)[0] <= 5
    assert 61 - loop(format, Select(target=0.5, head_messages=2), each=100)[0] <= 2


def test_what_is_no_message_counts_towards_a_target() -> None:
    conversation = chat(LOOP)
    found = select(conversation, Select(target=0.5), [10] * 61, window=1000, usable=1000, beside=400)

    assert 61 - found.tail == 10


@pytest.mark.parametrize(
    ("how", "head"),
    [
        (Select(head_tokens=0), 0),
        (Select(head_tokens=29), 1),
        (Select(head_tokens=30), 3),
        (Select(head_share=0.1), 5),
        (Select(head_share=0.1, head_messages=6), 7),
        (Select(head_share=0.1, head_messages=2, head_tokens=20), 5),
    ],
)
def test_a_head_is_of_tokens_or_of_a_share(how: Select, head: int) -> None:
    assert len(chosen([system("x"), *LOOP], how).head) == head


TALK = [message for n in range(6) for message in (user(f"ask {n}"), assistant(f"did {n}"))]


@pytest.mark.parametrize("paste", [10, 5_000])
def test_no_limit_counts_what_the_user_has_just_said(paste: int) -> None:
    how = Select(tail_tokens=50, last_user=True, snap="back", head_ends_with="assistant")
    costs = [10] * len(TALK)

    assert chosen([*TALK, user("now")], how, [*costs, paste]).tail == 6
    assert chosen([*TALK, user("now"), call("c", "x", {}), result("c", "y")], how, [*costs, paste, 9, 9]).tail == 6


@pytest.mark.parametrize(("tokens", "tail"), [(0, 12), (15, 10), (35, 8), (55, 6), (65, 6), (75, 12), (500, 0)])
def test_what_would_be_a_short_head_takes_all_with_it(tokens: int, tail: int) -> None:
    how = Select(tail_tokens=tokens, last_user=True, snap="back", head_ends_with="assistant", all_up_to=4)

    assert chosen([*TALK, user("now")], how).tail == tail
