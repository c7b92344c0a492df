"""What a writer reads, and what becomes of a turn whose end stays."""

import json
from collections.abc import Sequence

import pytest
from compactions import Fixed, means, occasion, scribe, small
from conversations import FORMATS
from messages import Json, assistant, call, result, told, user

from elision.compaction.compact.run import compact
from elision.compaction.compact.trigger import Cause
from elision.compaction.compact.types import CompactedHistory, Means, Originals
from elision.compaction.conversation import Conversation, Format
from elision.compaction.formats.read import read
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.prices.verdict import Decision
from elision.compaction.summary.sections import sections, written
from elision.compaction.summary.types import Failure, Finish, SummaryCall, SummaryFailed, SummaryReply

PI = small("pi")
FIRST = [user("Fix the parser."), assistant("I read it. " * 150), user("Go on."), assistant("Done. " * 300)]
NOTES = "The notes so far"
KEEPS = ["aider", "codex-local", "gemini-cli", "opencode", "openhands", "pi"]
NOBODY = [
    Failure.AUTH,
    Failure.NETWORK,
    Failure.RATE_LIMIT,
    Failure.TIMEOUT,
    Failure.UNAVAILABLE,
    Failure.OVERFLOW,
]


def loop(turn: str, steps: int = 12) -> list[Json]:
    """A turn of the user on which the assistant works for long."""
    story: list[Json] = [user(turn)]
    for step in range(steps):
        name = f"{turn[:3]}{step}"
        story += [call(name, "read", {"path": f"lex/{step}.py"}), result(name, f"line of {name} " * 40)]
    return story


def writer_of(line: str) -> Fixed:
    """One that fills the sections it is asked for with a line, those of a turn's beginning as well."""
    split = PI.summary.split_turn
    assert split is not None
    of_turn = PI.summary.model_copy(update={"sections": split.sections})

    def answer(call: SummaryCall) -> str:
        how = of_turn if split.sections[0].ask in call.prompt else PI.summary
        return written([(one, f"- {line}") for one in sections(how)], how)

    return Fixed(answer)


def run(conversation: Conversation, at_hand: Means, policy: CompactionPolicy = PI) -> CompactedHistory:
    return compact(conversation, policy, occasion(2400, Cause.OVERFLOW), at_hand)


def followed(raw: str, later: Sequence[Json], format: Format, keep: int | None = None) -> Conversation:
    """What a caller sends next: what came back, at most ``keep`` messages of it, and what was said since."""
    body, new = json.loads(raw), json.loads(told(later, format))
    lists = {
        name: [*body[name][:keep], *new[name]] for name in ("messages", "input", "contents") if name in new
    }
    return read(json.dumps({**body, **lists}), format)


def failing(name: str, *answers: SummaryReply | SummaryFailed) -> CompactedHistory:
    policy = small(name, *(["select.tail_tokens=60"] if name == "pi" else ["gate.enough=none"]))
    conversation = read(told([*FIRST, user("Now the lexer."), assistant("Yes.")], Format.OPENAI_CHAT))
    return compact(conversation, policy, occasion(2400), means(*(Fixed(answer) for answer in answers)))


@pytest.mark.parametrize("format", FORMATS)
def test_an_earlier_summary_stays_as_it_is_where_only_the_beginning_of_a_turn_is_new(format: Format) -> None:
    first = run(read(told(FIRST, format), format), means(writer_of("ALPHA was found")))
    writer = writer_of("BETA is under way")
    again = run(followed(first.raw, loop("Now the lexer."), format, keep=1), means(writer))

    assert again.plan.selection is not None and again.plan.selection.splits_turn
    assert again.decision is Decision.COMPACT and again.by == "fixed/writer" and len(writer.calls) == 1
    assert again.summary.index("ALPHA was found") < again.summary.index("BETA is under way")


@pytest.mark.parametrize("format", FORMATS)
def test_a_turn_is_split_where_it_begins_in_the_session_and_not_in_what_is_left_of_it(format: Format) -> None:
    first = run(read(told(FIRST, format), format), means(writer_of("ALPHA was found")))
    later = [user("Explain it."), assistant("It is like this."), *loop("Now the lexer.")]
    view, whole = followed(first.raw, later, format, keep=1), read(told([*FIRST, *later], format), format)
    new = len(view.messages) - 1
    known = [(len(whole.messages) - new + at,) for at in range(new)]
    behind = (tuple(range(len(whole.messages) - new)), *known)
    writer = writer_of("BETA is under way")
    again = run(view, means(writer, originals=Originals(whole, behind)))

    before, turn = writer.calls
    assert again.decision is Decision.COMPACT and "fixed/writer" in again.by
    assert "It is like this." in before.prompt and "Now the lexer." not in before.prompt
    assert NOTES in before.prompt and NOTES not in turn.prompt
    assert "Now the lexer." in turn.prompt and "It is like this." not in turn.prompt


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_policy_says_around_its_summaries_is_nobodys_word(format: Format) -> None:
    policy = small("opencode", "select.tail_min=10", "select.tail_max=400")
    first = run(read(told(FIRST, format), format), means(scribe(policy, "ALPHA was found")), policy)
    later = [assistant("Now the lexer. " * 200), user("Go on."), assistant("The lexer is done. " * 60)]
    writer = scribe(policy, "BETA was found")
    again = run(followed(first.raw, later, format), means(writer), policy)

    assert isinstance(writer, Fixed) and again.decision is Decision.COMPACT
    (asked,) = writer.calls
    assert policy.compose.lead in first.raw and policy.compose.continue_ in first.raw
    assert policy.compose.lead not in asked.prompt and policy.compose.continue_ not in asked.prompt
    assert NOTES in asked.prompt and "ALPHA was found" in asked.prompt.partition(NOTES)[2]


@pytest.mark.parametrize("failure", NOBODY)
@pytest.mark.parametrize("name", ["elision", *KEEPS])
def test_where_no_writer_answers_history_stays_or_a_rule_tells_it_as_the_policy_says(
    name: str, failure: Failure
) -> None:
    found = failing(name, SummaryFailed(failure, "no"))

    assert (found.decision is Decision.COMPACT, found.by) == (
        (True, "extractive") if name == "elision" else (False, "")
    )
    assert name == "elision" or (found.reason == failure.value and "History is unchanged" in found.detail)


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (SummaryReply(""), Failure.EMPTY),
        (SummaryReply("", Finish.REFUSAL), Failure.REFUSED),
        (SummaryReply("", Finish.TOOL_CALL), Failure.TOOL_CALL),
    ],
)
@pytest.mark.parametrize("name", KEEPS)
def test_where_a_writer_says_nothing_history_stays(name: str, reply: SummaryReply, failure: Failure) -> None:
    assert (failing(name, reply).decision, failing(name, reply).reason) == (Decision.LEAVE, failure.value)


@pytest.mark.parametrize("name", KEEPS)
def test_words_that_are_only_not_in_the_form_that_was_asked_for_leave_it_to_the_rule(name: str) -> None:
    found = failing(name, SummaryReply("## Notes\n- The agent worked on", Finish.LENGTH))

    assert (found.decision, found.by) == (Decision.COMPACT, "extractive")


@pytest.mark.parametrize("name", KEEPS)
def test_without_any_writer_it_is_by_rule(name: str) -> None:
    assert failing(name).by == "extractive"


def test_where_the_first_of_two_summaries_cannot_be_had_the_second_is_not_asked_for() -> None:
    writer = Fixed(SummaryFailed(Failure.AUTH, "no"))
    found = run(read(told([*FIRST, *loop("Now the lexer.")], Format.OPENAI_CHAT)), means(writer))

    assert found.plan.selection is not None and found.plan.selection.splits_turn
    assert found.decision is Decision.LEAVE and len(writer.calls) == 1
