"""What holds of every reducer, whatever it is set to: the history stays one that a provider takes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from conversations import FORMATS
from histories import histories, history
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elision.compaction.compact.edits import Reduction, reduced
from elision.compaction.conversation import Conversation, Format, Part
from elision.compaction.counting import count
from elision.compaction.cuts import validate
from elision.compaction.policies.reductions import Clip, Dedupe, Mask, Reduce, Skeleton, StripMedia
from elision.compaction.reduce.again import again
from elision.compaction.reduce.clip_outputs import clip_outputs
from elision.compaction.reduce.dedupe import dedupe
from elision.compaction.reduce.mask import mask
from elision.compaction.reduce.media import strip_media
from elision.compaction.reduce.reducers import REDUCERS
from elision.compaction.reduce.skeletons import skeletons
from elision.compaction.tokens import counter

pytestmark = pytest.mark.law
COUNTER = counter()
TURNS = st.sampled_from(["user", "step"])


@dataclass(frozen=True)
class Case:
    """A reducer and what it is set to."""

    reduce: Callable[..., list[Reduction]]
    table: Any

    def __call__(self, conversation: Conversation) -> list[Reduction]:
        return self.reduce(conversation, self.table, counter=COUNTER)


clips = st.builds(
    Clip,
    limit=st.integers(1, 200),
    unit=st.sampled_from(["tokens", "chars", "bytes"]),
    head=st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    newest=st.booleans(),
    unread=st.booleans(),
)
masks = st.builds(
    Mask,
    protect_tokens=st.sampled_from([0, 0, 50, 400]),
    protect_last=st.integers(0, 2),
    protect_turns=st.integers(0, 2),
    turn=TURNS,
    minimum=st.sampled_from([0, 0, 100]),
    exempt=st.sampled_from([(), ("bash",)]),
    again_first=st.booleans(),
    preview=st.sampled_from([0, 0, 10, 60]),
    keep_error=st.booleans(),
    placeholder=st.sampled_from(
        ["[…{lines} lines of {tool}]", "[Old tool result cleared]", "gone: {handle} ({tool})"]
    ),
)
media = st.builds(StripMedia, protect_turns=st.integers(0, 2), turn=TURNS)
folds = st.builds(Skeleton, protect_turns=st.integers(0, 1), turn=TURNS, min_tokens=st.sampled_from([1, 400]))
cases = st.one_of(
    st.builds(Case, st.just(clip_outputs), clips),
    st.builds(Case, st.just(dedupe), st.just(Dedupe())),
    st.builds(Case, st.just(mask), masks),
    st.builds(Case, st.just(strip_media), media),
    st.builds(Case, st.just(skeletons), folds),
)
conversations = st.builds(history, histories(), st.sampled_from(FORMATS), st.booleans())
quick = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def _skeleton(conversation: Conversation) -> list[Any]:
    """What no reducer may change."""
    return [
        (
            one.role,
            one.wire_role,
            one.id,
            [(b.call_id, b.name, b.is_error, b.part is Part.CALL) for b in one.blocks],
        )
        for one in conversation.messages
    ]


def _all(conversation: Conversation, how: Reduce) -> Conversation:
    for name, reduce in REDUCERS.items():
        conversation = reduced(conversation, reduce(conversation, getattr(how, name), counter=COUNTER))
    return conversation


@quick
@given(cases, conversations)
def test_what_a_provider_takes_it_takes_reduced_and_ids_roles_and_numbers_of_messages_stay(
    case: Case, conversation: Conversation
) -> None:
    changed = reduced(conversation, case(conversation))

    known = {(problem.pointer, problem.rule) for problem in validate(conversation)}
    assert {(problem.pointer, problem.rule) for problem in validate(changed)} <= known
    assert _skeleton(changed) == _skeleton(conversation)
    assert all(place.leaf.text for place in changed.places()) or not all(
        p.leaf.text for p in conversation.places()
    )


@quick
@given(cases, conversations)
def test_tokens_never_grow_and_every_change_says_what_it_saves(
    case: Case, conversation: Conversation
) -> None:
    changes = case(conversation)

    saved = count(conversation, COUNTER).total - count(reduced(conversation, changes), COUNTER).total
    assert all(one.tokens_saved > 0 for one in changes)
    assert saved > 0 or not changes


@quick
@given(cases, conversations)
def test_a_second_pass_changes_nothing(case: Case, conversation: Conversation) -> None:
    once = reduced(conversation, case(conversation))

    assert case(once) == []


@quick
@given(conversations, masks, folds)
def test_a_second_pass_of_all_reducers_changes_nothing(
    conversation: Conversation, mask_as: Mask, fold_as: Skeleton
) -> None:
    how = Reduce(
        clip=Clip(limit=150),
        dedupe=Dedupe(),
        strip_media=StripMedia(turn="step"),
        mask=mask_as,
        skeleton=fold_as,
    )
    once = _all(conversation, how)

    assert _all(once, how).raw == once.raw


@quick
@given(cases, conversations)
def test_planning_twice_plans_the_same(case: Case, conversation: Conversation) -> None:
    raw = conversation.raw

    assert case(conversation) == case(conversation)
    assert conversation.raw == raw


@quick
@given(cases, conversations)
def test_what_users_answered_what_is_kept_and_what_was_loaded_to_last_stays(
    case: Case, conversation: Conversation
) -> None:
    changed = reduced(conversation, case(conversation))

    for was, now in (
        zip(conversation.places(), changed.places(), strict=True) if case.reduce is not strip_media else []
    ):
        if (
            was.block.part is not Part.RESULT
            or was.block.name in ("skill", "ask_user")
            or "</keep>" in was.leaf.text
        ):
            assert was.leaf.text == now.leaf.text


@quick
@given(st.builds(history, histories(), st.just(Format.ANTHROPIC)))
def test_what_can_be_had_again_is_a_result_and_the_wire_does_not_matter(conversation: Conversation) -> None:
    paths = {
        block.path
        for message in conversation.messages
        for block in message.blocks
        if block.part is Part.RESULT
    }

    assert again(conversation).keys() <= paths


@quick
@given(histories())
def test_every_wire_tells_the_same_of_what_can_be_had_again(story: list[dict[str, Any]]) -> None:
    known = [list(again(history(story, format)).values()) for format in FORMATS]

    assert all(one == known[0] for one in known)
