"""What a look at a history says: why, what would become of each message, and what that costs."""

import pytest
from compactions import COUNTER, WARM, Fixed, means, occasion, small
from conversations import FORMATS
from messages import Json, assistant, call, result, system, told, user

from elision.compaction.compact.gate import Past, Recent
from elision.compaction.compact.run import look
from elision.compaction.compact.trigger import Cause
from elision.compaction.compact.types import CompactionPlan, Fate, Occasion
from elision.compaction.conversation import Format
from elision.compaction.counting import count
from elision.compaction.errors import BadPolicy
from elision.compaction.formats.read import read
from elision.compaction.pins.types import PinKind
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.prices.verdict import Decision

ROWS = "".join(f"{n}: value_{n} = read({n})\n" for n in range(60))
WORK = [
    system("You work here."),
    user("Never push to main. Make the parser faster."),
    *(
        message
        for n in range(6)
        for message in (
            call(f"c{n}", "read", {"path": f"src/{n}.py"}),
            result(f"c{n}", ROWS),
            assistant(f"I read file {n}. " * 12),
        )
    ),
    user("Go on with the lexer."),
]
RAW = told(WORK, Format.OPENAI_CHAT)


def plan(
    policy: CompactionPolicy, when: Occasion, raw: str = RAW, writer: Fixed | None = None
) -> CompactionPlan:
    return look(read(raw), policy, when, means(*([writer] if writer else [])))


def fates(found: CompactionPlan) -> list[str]:
    return [row.fate for row in found.messages]


def test_below_the_trigger_it_is_left_and_the_numbers_are_said() -> None:
    found = plan(small("elision"), occasion(100_000, Cause.CHECK))

    assert (found.decision, found.reason, found.triggers_at) == (Decision.LEAVE, "below_trigger", 75_000)
    assert f"{found.measured:,}" in found.detail and "75,000" in found.detail
    assert set(fates(found)) == {Fate.KEEP} and found.bills is None


@pytest.mark.parametrize(
    ("cause", "window", "reason"),
    [
        (Cause.REQUEST, 100_000, "request"),
        (Cause.OVERFLOW, 100_000, "overflow"),
        (Cause.MODEL_SWITCH, 2_000, "model_switch"),
        (Cause.CHECK, 2_000, "window"),
        (Cause.CHECK, 5_500, "tokens"),
    ],
)
def test_the_reason_is_what_makes_it_due(cause: Cause, window: int, reason: str) -> None:
    assert plan(small("elision"), occasion(window, cause)).reason == reason


def test_rows_tell_what_each_message_will_have_and_add_up() -> None:
    found = plan(small("elision", "gate.enough=none"), occasion(2_000))
    costs = count(read(RAW), COUNTER)
    gone = [row for row in found.messages if row.fate is Fate.COVER]

    assert [row.before for row in found.messages] == list(costs.messages) and found.before == costs.total
    assert gone and all(row.after == 0 for row in gone) and found.covered == tuple(row.index for row in gone)
    assert fates(found)[0] == fates(found)[-1] == Fate.KEEP
    assert found.after < found.before and found.selection and found.summary_tokens > 0
    assert {pin.text for pin in found.pins if pin.kind is PinKind.CONSTRAINT} == {"Never push to main."}


def test_what_can_be_had_again_is_masked_before_any_message_goes() -> None:
    """Masking alone brings it far enough, so nothing has to be summarised; and the host is told how to get it back."""
    found = plan(small("elision", "gate.enough=1.0", "reduce.dedupe.on=false"), occasion(3_000, Cause.CHECK))

    assert found.decision is Decision.REDUCE and found.selection is None and found.pins == ()
    assert Fate.REDUCE in fates(found) and Fate.COVER not in fates(found)
    assert "read src/0.py" in found.requests
    assert all(row.raw for row in found.messages if row.fate is Fate.REDUCE)


def test_what_a_policy_does_to_every_request_is_done_below_its_trigger() -> None:
    long = told([user("x"), call("c", "bash", {}), result("c", ROWS * 3), assistant("y")], Format.OPENAI_CHAT)
    found = plan(small("codex-local"), occasion(1_000_000, Cause.CHECK), long)

    assert (found.decision, found.reason) == (Decision.REDUCE, "always") and fates(found)[2] == Fate.REDUCE


@pytest.mark.parametrize(
    ("past", "reason"),
    [
        ([Past(2000, 2000, failed=True)] * 3, "breaker"),
        ([Past(2000, 2000)] * 3, "stalled"),
    ],
)
def test_what_was_tried_in_vain_is_not_tried_again_unless_a_person_asks(
    past: list[Past], reason: str
) -> None:
    check = plan(small("elision"), occasion(5_500, Cause.CHECK, recent=Recent(past)))

    assert (check.decision, check.reason) == (Decision.LEAVE, reason)
    assert plan(small("elision"), occasion(5_500, recent=Recent(past))).decision is not Decision.LEAVE


@pytest.mark.parametrize(("turns", "left"), [(0, True), (10_000, False)])
def test_a_warm_prefix_is_only_touched_where_that_pays(turns: int, left: bool) -> None:
    situation = type(WARM)(WARM.reader, turns_left=turns)
    found = plan(small("elision", "gate.pays=true"), occasion(5_500, Cause.CHECK, situation=situation))

    assert (found.decision is Decision.LEAVE) == left
    assert found.bills and found.bills.cache.warm >= 0
    if left:
        assert found.reason in ("pays_too_late", "never_pays") and "turns" in found.detail + found.reason


def test_looking_asks_nobody() -> None:
    writer = Fixed("x")
    plan(small("elision", "gate.enough=none"), occasion(2_000), writer=writer)

    assert writer.calls == []


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("story", [[], [user("hi")], [system("a"), user("hi")], [assistant("a")]])
def test_what_has_nothing_to_go_is_left(format: Format, story: list[Json]) -> None:
    found = look(read(told(story, format), format), small("elision"), occasion(10), means())

    assert (found.decision, found.reason) == (Decision.LEAVE, "nothing_saved" if story else found.reason)
    assert found.after == found.before


def test_a_target_is_a_reason_of_its_own() -> None:
    found = plan(small("elision"), occasion(1_000_000, Cause.CHECK, target_tokens=700))

    assert found.reason == "request" and found.decision is Decision.COMPACT


def test_a_policy_that_waits_for_more_than_the_window_has_is_refused() -> None:
    with pytest.raises(BadPolicy, match="window takes 1000"):
        plan(small("elision", "trigger.absolute=5000"), occasion(1_000, Cause.CHECK))
