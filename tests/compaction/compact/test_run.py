"""A look and a compaction from end to end."""

import dataclasses
import json

import pytest
from compactions import COUNTER, Fixed, means, occasion, scribe, small
from conversations import FORMATS
from messages import assistant, call, result, told, user

from elision.compaction.compact.run import compact, look
from elision.compaction.compact.types import Originals
from elision.compaction.conversation import Format
from elision.compaction.counting import count
from elision.compaction.cuts import validate
from elision.compaction.formats.read import read
from elision.compaction.pins.types import PinKind
from elision.compaction.policies.load import names
from elision.compaction.prices.verdict import Decision

ROWS = "".join(f"{n}: value_{n} = read({n})\n" for n in range(60))
WORK = [
    user("Never push to main. Make the parser faster."),
    *(
        message
        for n in range(8)
        for message in (
            call(f"c{n}", "read", {"path": f"src/{n}.py"}),
            result(f"c{n}", ROWS.replace("value", f"row{n}")),
            assistant(f"I read file {n}. " * 12),
            user(f"Now file {n + 1}."),
        )
    ),
]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", names())
def test_every_policy_makes_a_long_history_shorter_in_every_format(name: str, format: Format) -> None:
    policy = small(name)
    conversation = read(told(WORK, format), format)
    found = compact(conversation, policy, occasion(2_000), means(scribe(policy)))
    after = read(found.raw, format)

    assert found.changed and found.after < 0.9 * found.before and not validate(after)
    assert found.after == count(after, COUNTER).total
    assert found.decision is (Decision.REDUCE if name == "jetbrains-masking" else Decision.COMPACT)
    assert found.plan == look(conversation, policy, occasion(2_000), means(scribe(policy)))


def test_the_classifier_shortens_what_stays_where_the_policy_wants_it() -> None:
    policy = small("elision", "gate.enough=none", "reduce.mask=none", "reduce.dedupe=none", "reduce.skeleton=none",
                   "select.tail_min=1500", "select.tail_max=1500", "reduce.compress.protect_turns=1")  # fmt: skip
    conversation = read(told(WORK, Format.OPENAI_CHAT))
    without = compact(conversation, policy, occasion(2_000), means(scribe(policy)))
    found = compact(conversation, policy, occasion(2_000), means(scribe(policy), classifier=True))
    rows = {row.index for row in found.plan.messages if "compress" in row.reasons}

    assert rows and found.after < without.after
    assert not validate(read(found.raw))


def test_a_focus_and_a_language_reach_the_writer() -> None:
    writer = Fixed("nothing")
    policy = small("elision", "gate.enough=none")
    compact(
        read(told(WORK, Format.OPENAI_CHAT)),
        policy,
        occasion(2_000, focus="look at row 7", language="Deutsch"),
        means(writer),
    )

    assert "look at row 7" in writer.calls[0].prompt and "in Deutsch" in writer.calls[0].system


def test_where_the_originals_are_known_pins_come_from_them_and_every_fifth_summary_is_written_anew() -> None:
    policy = small("elision", "gate.enough=none")
    more = [
        assistant("I went on with the parser. " * 40),
        user("Go on."),
        assistant("Yes. " * 40),
        user("More."),
    ]
    before, whole = (read(told(story, Format.OPENAI_CHAT)) for story in (WORK, [*WORK, *more]))
    first = json.loads(compact(before, policy, occasion(2_000), means(scribe(policy, "An old note"))).raw)
    view = read(json.dumps({"messages": [*first["messages"], *more]}))
    gone = len(whole.messages) - len(view.messages) + 1
    behind = (tuple(range(gone)), *((index,) for index in range(gone, len(whole.messages))))
    known = Originals(whole, behind)
    prompts = []
    for passes in (1, 4):
        writer = Fixed("nothing")
        found = compact(view, policy, occasion(2_000, passes=passes), means(writer, originals=known))
        prompts.append(writer.calls[0].prompt)

        assert [pin.text for pin in found.plan.pins if pin.kind is PinKind.CONSTRAINT] == [
            "Never push to main."
        ]
    assert "An old note" in prompts[0] and "I read file 0." not in prompts[0]
    assert "An old note" not in prompts[1] and "I read file 0." in prompts[1]


def test_secrets_stay_with_us() -> None:
    token = "ghp_" + "Ab3dE9" * 6
    story = [user(f"The token is {token}. Never print it."), *WORK[1:]]
    writer = Fixed("nothing")
    policy = small("elision", "gate.enough=none")
    found = compact(read(told(story, Format.OPENAI_CHAT)), policy, occasion(2_000), means(writer))

    assert (
        token not in writer.calls[0].prompt + writer.calls[0].system and "[secret-" in writer.calls[0].prompt
    )
    assert token in found.raw  # the user's own words, which the agent needs


def test_with_redaction_they_stand_in_nothing_that_is_written() -> None:
    token = "ghp_" + "Ab3dE9" * 6
    story = [user(f"Make it faster. The token is {token}."), *WORK[1:]]
    policy = small("elision", "gate.enough=none")
    found = compact(read(told(story, Format.OPENAI_CHAT)), policy, occasion(2_000), means(redact=True))

    assert token not in found.summary and found.by == "extractive"


def test_nothing_handed_in_is_changed() -> None:
    policy = small("elision", "gate.enough=none")
    conversation, at_hand = read(told(WORK, Format.GEMINI)), means(scribe(policy))
    before = repr((conversation, policy, [field.name for field in dataclasses.fields(at_hand)]))
    compact(conversation, policy, occasion(2_000), at_hand)

    assert repr((conversation, policy, [field.name for field in dataclasses.fields(at_hand)])) == before


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", names())
def test_a_target_beyond_the_window_limits_nothing(name: str, format: Format) -> None:
    policy = small(name)
    conversation = read(told(WORK, format), format)
    found = compact(conversation, policy, occasion(2_000, target_tokens=5_000), means(scribe(policy)))
    without = compact(conversation, policy, occasion(2_000), means(scribe(policy)))

    assert found == without and found.target_met is (found.after <= 2_000)
