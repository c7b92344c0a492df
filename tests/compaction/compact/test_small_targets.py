"""A small target: what may not be lost has the room before a tail that a summary can stand for."""

import pytest
from compactions import COUNTER, conversation_of, means, occasion, small
from hypothesis import given
from hypothesis import strategies as st
from messages import Json, assistant, call, result, system, user

from elision.compaction.compact.run import compact, look
from elision.compaction.conversation import Format
from elision.compaction.counting import count
from elision.compaction.errors import BudgetTooSmall
from elision.compaction.pins.check import missing
from elision.compaction.pins.collect import collect
from elision.compaction.types import meets

WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
DEMANDS = [f"Never touch part {part} of the importer, whatever the tests of it say." for part in range(12)]


def talk(last: int = 40) -> list[Json]:
    """Many demands at the beginning, an answer at the end that is as long as asked."""
    story = [user(f"Make the importer faster. {' '.join(DEMANDS)}")]
    for turn in range(6):
        rows = " ".join(f"Step {turn} reads row {row}." for row in range(40))
        story += [assistant(f"I looked. {rows}"), user(f"Go on with step {turn}.")]
    return [*story, assistant("It reads on. " * last)]


@pytest.mark.parametrize("wire", WIRES)
def test_a_tail_that_leaves_no_room_for_the_demands_gets_shorter(wire: Format) -> None:
    conversation = conversation_of(talk(100), wire)
    there = occasion(3000, target_tokens=850)
    first = look(conversation, small("elision"), there, means())
    done = compact(conversation, small("elision"), there, means())

    assert done.plan == first  # what is looked at leaves room for them already
    assert done.after <= 850 and all(demand in done.raw for demand in DEMANDS)


def test_what_is_asked_for_and_not_there_is_told_in_tokens_of_the_target() -> None:
    with pytest.raises(BudgetTooSmall) as told:
        compact(
            conversation_of(talk(), Format.OPENAI_CHAT),
            small("elision"),
            occasion(3000, target_tokens=90),
            means(),
        )

    assert told.value.room == 90 < told.value.needed


@pytest.mark.law
@given(st.integers(60, 2500), st.integers(1, 200), st.sampled_from(WIRES))
def test_every_target_keeps_all_that_is_hard_or_says_it_cannot(target: int, last: int, wire: Format) -> None:
    conversation = conversation_of(talk(last), wire)
    hard = [pin for pin in collect(conversation) if pin.hard]
    try:
        done = compact(conversation, small("elision"), occasion(3000, target_tokens=target), means())
    except BudgetTooSmall as error:
        assert error.needed > target
    else:
        assert not missing(hard, done.raw)
        assert done.target_met == (done.after <= target) or meets(done.after, target)
        assert count(conversation, COUNTER).total >= done.after


@pytest.mark.law
@given(st.integers(60, 900), st.integers(0, 60), st.integers(0, 60), st.sampled_from(WIRES))
def test_a_target_that_is_said_to_do_does_and_so_does_every_larger_one(
    target: int, instructions: int, unread: int, wire: Format
) -> None:
    """An agent's loop whose last result nobody has read: it gives way like all that is not hard."""
    rows = " ".join(f"row {row}" for row in range(40))
    story = [system("Be kind. " * instructions), user(f"Read on. {DEMANDS[0]}")]
    for turn in range(4):
        story += [call(f"c{turn}", "bash", {"command": f"ls {rows}"}), result(f"c{turn}", rows)]
    story += [call("last", "bash", {"command": f"cat {rows}"}), result("last", "a line\n" * unread)]
    conversation = conversation_of(story, wire)

    def fits(tokens: int) -> int:
        """0 if it does, else what it takes."""
        try:
            compact(conversation, small("elision"), occasion(3000, target_tokens=tokens), means())
        except BudgetTooSmall as error:
            return error.needed
        return 0

    needed = fits(target)

    assert not needed or not any(fits(tokens) for tokens in (needed, needed + 150))
