"""What must hold of every compaction: any policy, any format, whoever writes and whatever they write.

Some examples by default; `scripts/laws.py` runs a thousand of each, and of the first law a thousand a policy.
"""

import json
from dataclasses import replace

import pytest
from compactions import COUNTER, WARM, conversation_of, long_stories, means, occasion, small, writers_for
from conversations import FORMATS, body_of, listed
from hypothesis import given
from hypothesis import strategies as st
from messages import Json

from elision.compaction.compact.compose import Kept
from elision.compaction.compact.run import compact, look
from elision.compaction.compact.trigger import Cause
from elision.compaction.compact.types import CompactedHistory, Fate, Occasion
from elision.compaction.conversation import Block, Conversation, Format, Message, Part, Role
from elision.compaction.counting import count
from elision.compaction.cuts import validate
from elision.compaction.errors import BudgetTooSmall
from elision.compaction.formats.read import read
from elision.compaction.pins.check import missing
from elision.compaction.pins.collect import collect
from elision.compaction.pins.types import PinKind
from elision.compaction.policies.load import names
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.prices.verdict import Decision
from elision.compaction.summary.types import Summariser

pytestmark = pytest.mark.law

formats = st.sampled_from(FORMATS)
any_policy = st.sampled_from(names())
_INSTRUCTIONS = frozenset({Role.SYSTEM, Role.DEVELOPER})


@st.composite
def occasions(draw: st.DrawFn) -> Occasion:
    return occasion(
        draw(st.sampled_from([500, 1200, 4000])),
        draw(st.sampled_from(list(Cause))),
        alternate=draw(st.booleans()),
        target_tokens=draw(st.sampled_from([None, None, 700])),
        situation=replace(WARM, turns_left=draw(st.sampled_from([0, 10, 500]))),
    )


@st.composite
def compactions(
    draw: st.DrawFn, policies: st.SearchStrategy[str] = any_policy
) -> tuple[Conversation, CompactionPolicy, Occasion, tuple[Summariser, ...], bool]:
    """Everything that is handed in."""
    policy = small(draw(policies))
    conversation = conversation_of(draw(long_stories()), draw(formats), draw(st.booleans()))
    return conversation, policy, draw(occasions()), draw(writers_for(policy)), draw(st.booleans())


Given = tuple[Conversation, CompactionPolicy, Occasion, tuple[Summariser, ...], bool]


def done(case: Given) -> CompactedHistory | None:
    """What comes of it; None if the target is too small for what may not be lost."""
    conversation, policy, when, writers, classifier = case
    try:
        return compact(conversation, policy, when, means(*writers, classifier=classifier))
    except BudgetTooSmall:
        assert when.target_tokens is not None
        return None


@pytest.mark.parametrize("policy", names())
@given(st.data())
def test_what_was_valid_stays_valid_and_never_has_more_tokens(policy: str, data: st.DataObject) -> None:
    case = data.draw(compactions(st.just(policy)))
    conversation, found = case[0], done(case)
    if found is None:
        return
    after = read(found.raw, conversation.format)

    assert not {one.rule for one in validate(after)} - {one.rule for one in validate(conversation)}
    assert found.after == count(after, COUNTER).total <= count(conversation, COUNTER).total == found.before
    assert found.raw.encode()
    assert found.changed == (found.after < found.before) == (found.raw != conversation.raw)


@given(compactions())
def test_instructions_and_what_nobody_has_answered_survive_byte_for_byte(case: Given) -> None:
    conversation, found = case[0], done(case)
    if found is None or case[2].target_tokens is not None:
        return
    after = read(found.raw, conversation.format)
    leading = _leading(conversation)

    assert _slices(conversation, conversation.system) == _slices(after, after.system)
    assert _slices(conversation, leading) == _slices(after, after.messages[: len(leading)])
    for message in _pending(conversation):
        text = message.blocks[0].leaves[0].span.of(conversation.raw)

        assert text in found.raw if case[2].alternate else message.span.of(conversation.raw) in found.raw


@given(compactions())
def test_what_stays_is_a_slice_and_so_is_all_around_the_list(case: Given) -> None:
    conversation, found = case[0], done(case)
    if found is None or not found.changed or case[2].target_tokens is not None:
        return
    listed = conversation.list_span

    assert found.raw.startswith(conversation.raw[: listed.start]) and found.raw.endswith(
        conversation.raw[listed.stop :]
    )
    for piece in found.pieces:
        if isinstance(piece, Kept) and found.plan.messages[piece.index].fate is Fate.KEEP:
            message = conversation.messages[piece.index]
            thinks = any(block.part is Part.THINKING for block in message.blocks)

            assert piece.raw == message.span.of(conversation.raw) or (
                thinks and conversation.format is Format.ANTHROPIC
            )


@given(compactions())
def test_every_message_goes_behind_a_summary_or_stays_and_none_comes_twice(case: Given) -> None:
    conversation, found = case[0], done(case)
    if found is None or not found.changed:
        return
    stays = [piece.index for piece in found.pieces if isinstance(piece, Kept)]
    goes = [index for piece in found.pieces if not isinstance(piece, Kept) for index in piece.covers]

    assert sorted([*stays, *goes]) == list(range(len(conversation.messages)))
    assert stays == sorted(stays) or case[1].compose.place != "cut"
    assert len(found.pieces) == len(read(found.raw, conversation.format).messages)


@given(compactions())
def test_looking_and_doing_twice_is_the_same_and_changes_no_argument(case: Given) -> None:
    conversation, policy, when, writers, classifier = case
    raw, before = conversation.raw, repr(case[:3])
    at_hand = means(*writers, classifier=classifier)
    first, second = done(case), done(case)

    assert first == second
    if first is None:
        with pytest.raises(BudgetTooSmall):
            look(conversation, policy, when, at_hand)
    else:
        assert first.plan == look(conversation, policy, when, at_hand) == look(conversation, policy, when, at_hand)
    assert conversation == read(raw, conversation.format) and repr(case[:3]) == before


@given(compactions())
def test_a_history_is_left_alone_or_it_is_said_who_wrote_and_why(case: Given) -> None:
    found = done(case)
    if found is None:
        return
    tried = [attempt.by for attempt in found.attempts if attempt.failure is None]

    assert found.reason and found.detail
    assert bool(found.summary) == bool(found.by) == (found.decision is Decision.COMPACT)
    if found.summary:
        assert set(found.by.split(", ")) <= set(tried)


@given(compactions())
def test_no_speaker_comes_twice_in_a_row_where_that_is_asked_for(case: Given) -> None:
    conversation, policy, when, writers, classifier = case
    found = done((conversation, policy, replace(when, alternate=True), writers, classifier))
    if found is None or conversation.format is Format.OPENAI_RESPONSES:
        return

    assert _doubled(read(found.raw, conversation.format)) <= _doubled(conversation)


@given(long_stories(), formats, st.booleans(), st.integers(0, 400), st.integers(100, 900))
def test_what_costs_more_than_it_saves_is_left(
    story: list[Json], format: Format, thoughts: bool, idle: int, window: int
) -> None:
    """A warm cache that only a few more requests will use."""
    conversation = conversation_of(story, format, thoughts)
    situation = replace(WARM, idle_seconds=float(idle), turns_left=idle % 4)
    plan = look(
        conversation,
        small("elision", "gate.pays=true", "trigger.ratio=0.2", "trigger.reserve_output=false"),
        occasion(window * 10, Cause.CHECK, situation=situation),
        means(),
    )
    if plan.bills is None:
        return
    pays = (
        plan.bills.cache.dollars_now + plan.bills.call.dollars
        <= situation.turns_left * plan.bills.cache.dollars_per_turn
    )

    assert pays or plan.decision is Decision.LEAVE or plan.reason == "window"
    if plan.decision is Decision.LEAVE:
        assert all(row.fate is Fate.KEEP for row in plan.messages)


@given(
    st.lists(long_stories(whole=True), min_size=1, max_size=3),
    formats,
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_hard_pins_outlive_compactions_in_a_row(
    stories: list[list[Json]], format: Format, thoughts: bool, alternate: bool, data: st.DataObject
) -> None:
    """Message in, message out: what the second one knows of the first stands in the history itself."""
    policy = small("elision")
    writers = data.draw(writers_for(policy))
    whole: list[Json] = []
    body: Json | None = None
    for number, story in enumerate(stories):
        whole += (new := _numbered(story, number))
        more = body_of(new, format, thoughts)
        if body is None:
            body = more
        else:
            listed(body, format).extend(listed(more, format))
        window = data.draw(st.sampled_from([600, 1500]))
        conversation = read(json.dumps(body, ensure_ascii=False), format)
        found = compact(conversation, policy, occasion(window, alternate=alternate), means(*writers))
        wanted = [pin for pin in collect(conversation_of(whole, format, thoughts)) if pin.hard and pin.holds]

        assert not missing(wanted, found.raw)
        body = json.loads(found.raw)


@given(long_stories(), formats, st.integers(1, 1500))
def test_a_target_is_met_or_it_is_said_that_it_is_not(story: list[Json], format: Format, target: int) -> None:
    conversation = conversation_of(story, format)
    try:
        found = compact(
            conversation, small("elision"), occasion(target_tokens=target), means(classifier=True)
        )
    except BudgetTooSmall as error:
        assert error.needed > target == error.room
        return
    wanted = [pin for pin in found.plan.pins if pin.hard and pin.holds]

    assert found.target_met == (found.after <= target)
    assert not missing(wanted, found.raw)


@given(compactions(st.just("elision")))
def test_every_error_that_is_open_is_in_the_result_or_counted_as_left_out(case: Given) -> None:
    conversation, found = case[0], done(case)
    if found is None or case[2].target_tokens is not None:
        return
    errors = [pin for pin in collect(conversation) if pin.kind is PinKind.ERROR and pin.holds]

    assert len(missing(errors, found.raw)) <= found.dropped


def _leading(conversation: Conversation) -> list[Message]:
    """The instructions at the beginning of the list."""
    found: list[Message] = []
    for message in conversation.messages:
        if message.role not in _INSTRUCTIONS:
            break
        found.append(message)
    return found


def _pending(conversation: Conversation) -> list[Message]:
    """What the user said last, if nobody has answered."""
    return [message for message in conversation.messages[-1:] if message.role is Role.USER]


def _slices(
    conversation: Conversation, parts: "tuple[Block, ...] | tuple[Message, ...] | list[Message]"
) -> list[str]:
    return [part.span.of(conversation.raw) for part in parts]


def _doubled(conversation: Conversation) -> int:
    """How often a message of the user stands behind another."""
    roles = [message.role for message in conversation.messages]
    return sum(a is b is Role.USER for a, b in zip(roles, roles[1:], strict=False))


def _numbered(story: list[Json], number: int) -> list[Json]:
    """A story with ids of its own, and with no instructions if it is not the first."""
    spelled = json.dumps([message for message in story if message["role"] != "system" or not number])
    told: list[Json] = json.loads(spelled)
    for message in told:
        for made in message.get("tool_calls", []):
            made["id"] = f"s{number}{made['id']}"
        if "tool_call_id" in message:
            message["tool_call_id"] = f"s{number}{message['tool_call_id']}"
    return told
