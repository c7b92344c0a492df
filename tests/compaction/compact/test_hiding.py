"""With redaction on no secret is in anything that a compaction gives, keeps or plans, whatever it decides."""

from dataclasses import replace

import pytest
from compact_calls import RULES, SECRETS, session
from compactions import conversation_of, means, occasion, scribe, small
from messages import Json, assistant, call, result, user
from remembering import Remembering

from elision.compaction.compact.hiding import hidden
from elision.compaction.compact.run import compact, look
from elision.compaction.compact.trigger import Cause
from elision.compaction.compact.types import Originals
from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts import validate
from elision.compaction.formats.read import read
from elision.compaction.policies.load import names
from elision.compaction.prices.verdict import Decision

WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
PLAIN = [
    user("Make it faster. Never push."),
    call("a", "bash", {"command": "ls"}),
    result("a", "x.py\n"),
    assistant("ok"),
]


def secrets_in(*said: object) -> list[str]:
    """Which secrets stand in what was said, every field of it."""
    return [secret for secret in SECRETS if any(secret in repr(one) for one in said)]


def told_secrets() -> Conversation:
    return conversation_of(session(), Format.OPENAI_CHAT)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", names())
def test_no_secret_is_in_the_body_the_receipt_or_the_store(name: str, wire: Format) -> None:
    policy = small(name)
    at_hand = means(scribe(policy, "The importer is being checked [m7]"), classifier=True, redact=True)
    done = compact(conversation_of(session(), wire), policy, occasion(3000), at_hand)
    store = at_hand.store

    assert isinstance(store, Remembering)
    assert not secrets_in(done.raw, done, store.originals, store.decisions)
    assert not validate(read(done.raw, wire)) and all(
        rule in done.raw or name != "elision" for rule in RULES[:2]
    )


@pytest.mark.parametrize("wire", WIRES)
def test_no_secret_is_in_a_plan(wire: Format) -> None:
    planned = look(conversation_of(session(), wire), small("elision"), occasion(3000), means(redact=True))

    assert planned.decision is not Decision.LEAVE and planned.pins
    assert not secrets_in(
        planned, [row.raw for row in planned.messages], [row.was for row in planned.messages]
    )


@pytest.mark.parametrize("wire", WIRES)
def test_a_history_that_is_left_goes_back_without_its_secrets(wire: Format) -> None:
    done = compact(
        conversation_of(session(), wire),
        small("elision"),
        occasion(1_000_000, Cause.CHECK),
        means(redact=True),
    )

    assert done.decision is Decision.LEAVE and "[redacted]" in done.raw
    assert not secrets_in(done.raw) and not validate(read(done.raw, wire))


def test_the_originals_of_a_session_are_read_without_their_secrets() -> None:
    whole = told_secrets()
    behind = tuple((index,) for index in range(len(whole.messages)))
    at_hand = means(redact=True, originals=Originals(whole, behind))
    done = compact(whole, small("elision"), occasion(3000, passes=4), at_hand)

    assert done.decision is Decision.COMPACT
    assert not secrets_in(done.raw, done)


@pytest.mark.parametrize("wire", WIRES)
def test_where_there_is_no_secret_not_a_byte_is_another(wire: Format) -> None:
    conversation = conversation_of(PLAIN, wire)

    assert hidden(conversation) == conversation


@pytest.mark.parametrize("wire", WIRES)
def test_what_holds_the_list_together_is_not_taken_for_a_secret(wire: Format) -> None:
    """Ids and signatures look random, and a provider refuses a call whose id was changed."""
    id = "call_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"
    story: list[Json] = [
        user("go"),
        call(id, "bash", {"command": "echo $TOKEN"}),
        result(id, "ok"),
        assistant("done"),
    ]
    conversation = conversation_of(story, wire)

    assert hidden(conversation) == conversation


def test_without_redaction_nothing_is_hidden() -> None:
    whole = told_secrets()
    kept = compact(whole, small("elision"), occasion(1_000_000, Cause.CHECK), means())

    assert kept.raw == whole.raw


def test_hiding_twice_hides_no_more() -> None:
    once = hidden(told_secrets())

    assert hidden(once) == once and not secrets_in(once.raw)
    assert replace(once, raw="") != replace(told_secrets(), raw="")
