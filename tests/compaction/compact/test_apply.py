"""What becomes of a plan: how the summary goes back, and what is done where it does not."""

import json
from typing import Any

import pytest
from compactions import COUNTER, Fixed, means, occasion, scribe, small
from conversations import FORMATS, body_of, listed, read_json
from messages import Json, assistant, call, result, told, user
from remembering import Remembering

from elision.compaction.compact.compose import Inserted, Kept
from elision.compaction.compact.placing import middle_cut
from elision.compaction.compact.run import compact
from elision.compaction.compact.types import CompactedHistory
from elision.compaction.conversation import Format, Part, Role
from elision.compaction.cuts import validate
from elision.compaction.errors import BudgetTooSmall
from elision.compaction.formats.read import read
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.prices.verdict import Decision
from elision.compaction.summary.types import Failure, SummaryFailed

LONG = "I looked at the parser, and at its tests as well. " * 12
WORK = [
    user("Never push to main. Make the parser faster."),
    call("c1", "bash", {"command": "pytest"}),
    result("c1", "all is well\n" * 60),
    assistant(LONG),
    user("Go on with the lexer."),
    call("c2", "edit", {"file_path": "src/a.py"}),
    result("c2", "changed\n" * 60),
    assistant(LONG),
    user("And the printer."),
    assistant("It is done."),
]
ELISION = small("elision", "gate.enough=none", "reduce.mask=none", "reduce.dedupe=none")


def done(
    policy: CompactionPolicy = ELISION,
    story: list[Json] = WORK,
    format: Format = Format.OPENAI_CHAT,
    **others: Any,
) -> CompactedHistory:
    return compact(read(told(story, format), format), policy, occasion(600, **others), means(scribe(policy)))


def roles(found: CompactedHistory, format: Format = Format.OPENAI_CHAT) -> list[str]:
    return [message.role.value for message in read(found.raw, format).messages]


def said(found: CompactedHistory, format: Format = Format.OPENAI_CHAT) -> list[str]:
    messages = read(found.raw, format).messages
    return ["\n".join(leaf.text for block in message.blocks for leaf in block.leaves) for message in messages]


@pytest.mark.parametrize("format", FORMATS)
def test_a_summary_stands_where_what_it_covers_stood_in_words_of_the_user(format: Format) -> None:
    found = done(format=format)
    first = said(found, format)[0]

    assert isinstance(found.pieces[0], Inserted) and found.pieces[0].covers == found.plan.covered
    assert roles(found, format)[0] == "user" and first.startswith("Notes on earlier turns")
    assert first.index("Never push to main.") < first.index("The agent worked on the parser")
    assert found.raw.endswith(read(told(WORK, format), format).raw[-20:])
    assert found.decision is Decision.COMPACT and found.by == "fixed/writer"


def test_codex_says_the_summary_last_behind_the_users_own_words() -> None:
    found = done(small("codex-local"))

    assert roles(found)[-1] == "user" and "Another model worked" in said(found)[-1]
    assert said(found)[:-1] == [m["content"] for m in WORK if m["role"] == "user"]


def test_what_nobody_has_answered_stays_behind_a_summary_that_goes_last() -> None:
    found = done(small("codex-local"), [*WORK, user("One more thing.")])

    assert said(found)[-1] == "One more thing." and "Another model worked" in said(found)[-2]


def test_opencode_lets_the_assistant_tell_and_then_go_on() -> None:
    policy = small("opencode", "select.tail_min=10", "select.tail_max=20")
    found = done(policy)

    assert roles(found)[:2] == ["user", "assistant"] and said(found)[0] == policy.compose.lead
    assert "The agent worked on the parser" in said(found)[1]
    assert said(found)[-1] == policy.compose.continue_


def test_an_acknowledgement_stands_where_the_user_goes_on() -> None:
    found = done(small("gemini-cli"))

    assert said(found)[0].startswith("<state_snapshot>") and said(found)[0].rstrip().endswith(
        "</state_snapshot>"
    )
    assert said(found)[1] == small("gemini-cli").compose.ack and roles(found)[2] == "user"


def test_lists_of_files_are_attached_by_code_where_a_policy_has_them() -> None:
    assert "Files changed:\nsrc/a.py" in said(done(small("pi", "select.tail_tokens=20")))[0]


@pytest.mark.parametrize("format", FORMATS)
def test_neighbours_of_one_speaker_are_joined_block_by_block(format: Format) -> None:
    policy = small("codex-local")
    found = done(policy, format=format, alternate=True)
    conversation = read(found.raw, format)
    (message,) = conversation.messages
    texts = [leaf.text for block in message.blocks for leaf in block.leaves]

    assert not validate(conversation) and message.role is Role.USER and len(texts) == 4
    assert texts[0].startswith("Another model worked") and texts[1:] == [
        m["content"] for m in WORK if m["role"] == "user"
    ]
    assert isinstance(found.pieces[0], Inserted) and len(found.pieces[0].covers) == len(
        read(told(WORK, format), format).messages
    )


def test_a_summary_nobody_can_write_is_made_by_rule_and_every_try_is_told() -> None:
    failing = Fixed(SummaryFailed(Failure.AUTH, "no such key"))
    found = compact(read(told(WORK, Format.OPENAI_CHAT)), ELISION, occasion(600), means(failing))

    assert [(one.by, one.failure) for one in found.attempts] == [
        ("fixed/writer", Failure.AUTH),
        ("extractive", None),
    ]
    assert found.by == "extractive" and found.summary


SHORT = [
    user("Never push."),
    assistant("No."),
    user("Go on."),
    assistant("Yes."),
    user("More."),
    assistant("Ok."),
]


def test_where_even_that_is_no_smaller_history_is_as_it_was() -> None:
    policy = small("openhands", "trigger.messages=2")
    found = compact(read(told(SHORT, Format.OPENAI_CHAT)), policy, occasion(600), means(scribe(policy, LONG)))

    assert (found.decision, found.raw, found.pieces) == (Decision.LEAVE, told(SHORT, Format.OPENAI_CHAT), ())
    assert found.reason and found.after == found.before and found.handle == ""


def test_where_no_summary_is_to_be_had_what_was_reduced_still_helps() -> None:
    """The messages that would have gone stay; the outputs behind them are masked all the same."""
    story = [
        *SHORT[:4],
        user("x"),
        call("c1", "read", {"path": "a"}),
        result("c1", "all is well\n" * 90),
        assistant("Ok."),
        user("y"),
        assistant("z"),
    ]
    policy = small("elision", "gate.enough=none", "select.tail_messages=6", "select.tail_min=500",
                   "reduce.mask.protect_turns=0", "reduce.mask.protect_tokens=0")  # fmt: skip
    found = compact(read(told(story, Format.OPENAI_CHAT)), policy, occasion(600), means())

    assert found.plan.covered == (0, 1, 2, 3)
    assert (found.decision, found.reason, found.summary) == (Decision.REDUCE, "empty", "")
    assert "elided" in found.raw and len(roles(found)) == len(story) and found.attempts


def test_the_original_comes_back_by_its_handle() -> None:
    store = Remembering()
    raw = told(WORK, Format.ANTHROPIC)
    found = compact(read(raw), ELISION, occasion(600), means(scribe(ELISION), store=store))

    assert store.original(found.handle) == raw


def test_a_target_too_small_for_what_may_not_be_lost_is_an_error_that_says_what_it_takes() -> None:
    with pytest.raises(BudgetTooSmall) as refused:
        done(target_tokens=90)
    enough = done(target_tokens=refused.value.needed)

    assert refused.value.room == 90 < refused.value.needed
    assert enough.target_met and "Never push to main." in enough.raw


def test_thoughts_that_a_change_voids_go_and_those_of_a_running_loop_are_told_of() -> None:
    running = [
        *WORK,
        user("Run it."),
        call("c8", "bash", {}),
        result("c8", "ok"),
        call("c9", "bash", {}),
        result("c9", "ok"),
    ]
    raw = body_of(running, Format.ANTHROPIC, thoughts=True)
    policy = small(
        "elision", "gate.enough=none", "reduce.mask=none", "select.tail_min=150", "select.tail_max=200"
    )
    found = compact(read_json(raw, Format.ANTHROPIC), policy, occasion(600), means(scribe(policy)))
    after = read(found.raw, Format.ANTHROPIC)
    thinking = [
        i for i, m in enumerate(after.messages) if any(block.part is Part.THINKING for block in m.blocks)
    ]
    kept = [piece.index if isinstance(piece, Kept) else -1 for piece in found.pieces]

    assert not validate(after) and thinking
    assert tuple(kept[index] for index in thinking) == found.bound


def test_only_the_list_of_messages_is_written_anew() -> None:
    body = json.loads(told(WORK, Format.OPENAI_CHAT))
    raw = f'{{"a": 1e0 , "messages":{json.dumps(listed(body, Format.OPENAI_CHAT))},\n"tools": []}}'
    found = compact(read(raw), ELISION, occasion(600), means(scribe(ELISION)))

    assert found.raw.startswith('{"a": 1e0 , "messages":[') and found.raw.endswith('],\n"tools": []}')


@pytest.mark.parametrize("tokens", [1, 5, 20, 60, 10_000])
def test_a_message_cut_in_its_middle_keeps_its_ends_and_counts_what_went(tokens: int) -> None:
    text = "".join(f"word{n} 修复 🚀 " for n in range(200))
    cut = middle_cut(text, tokens, COUNTER)
    head, _, tail = cut.partition("\n[…")

    assert text.startswith(head) and text.lstrip().endswith(tail.partition("]\n")[2]) or cut == text
    assert COUNTER.count(cut) <= max(tokens, 2) + 12 or cut == text
    assert (cut == text) == (tokens >= COUNTER.count(text))
