"""What each policy makes of one long history: the facts that only show when it is carried out."""

import json

import pytest
from compactions import COUNTER, WARM, Fixed, means, occasion, scribe, small
from conversations import FORMATS
from messages import Json, assistant, call, result, told, user

from elision.compaction.compact.gate import Past, Recent
from elision.compaction.compact.measure import Window, items
from elision.compaction.compact.run import compact, look
from elision.compaction.compact.trigger import Cause, Reason
from elision.compaction.compact.types import CompactedHistory, Occasion
from elision.compaction.conversation import Format
from elision.compaction.counting import count
from elision.compaction.cuts import validate
from elision.compaction.formats.read import read
from elision.compaction.policies.load import load
from elision.compaction.prices.verdict import Decision

PAGE = " ".join(f"word{n}" for n in range(400))


def loop(calls: int, text: str = PAGE) -> list[Json]:
    """One message of the user and a loop of tools that is not over."""
    return [
        user("Make it fast. Never push."),
        *(
            m
            for n in range(calls)
            for m in (call(f"c{n}", "read", {"path": f"{n}.py"}), result(f"c{n}", text))
        ),
    ]


def done(
    name: str,
    story: list[Json],
    window: int,
    cause: Cause = Cause.CHECK,
    format: Format = Format.OPENAI_CHAT,
    *sets: str,
    recent: Recent | None = None,
) -> tuple[CompactedHistory, Fixed]:
    policy = load(name, sets)
    writer = scribe(policy)
    assert isinstance(writer, Fixed)
    when = Occasion(Window(window), situation=WARM, cause=cause, recent=recent or Recent())
    return compact(read(told(story, format), format), policy, when, means(writer)), writer


@pytest.mark.parametrize("format", FORMATS)
def test_gemini_summarises_nothing_in_a_loop_of_tools(format: Format) -> None:
    found, writer = done("gemini-cli", loop(60), 50_000, format=format)

    assert writer.calls == [] and found.plan.selection is None
    assert "Never push" in found.raw and found.raw.count("word399") >= 1


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("cause", [Cause.CHECK, Cause.OVERFLOW, Cause.REQUEST])
def test_openhands_comes_down_to_half_a_window(format: Format, cause: Cause) -> None:
    """However far over the window it was."""
    found, _ = done("openhands", [*loop(60), assistant("ok"), user("q")], 20_000, cause, format)

    assert found.before > 40_000 and found.after <= 10_000


def test_openhands_comes_down_to_half_its_events() -> None:
    found, _ = done("openhands", [*loop(125, "ok"), assistant("ok"), user("q")], 200_000)

    assert found.decision is Decision.COMPACT and found.plan.reason == "messages"
    assert items(read(found.raw)) <= 120


@pytest.mark.parametrize(("share", "calls", "reason"), [(0.1, 1, "messages"), (0.9, 0, "min_progress")])
def test_openhands_counts_progress_in_events_before_it_asks(share: float, calls: int, reason: str) -> None:
    """Nearly all tokens are in the message that stays; the other events are tiny."""
    story = [user(PAGE * 20), *loop(125, "ok")[1:], assistant("ok"), user("q")]
    found, writer = done(
        "openhands", story, 200_000, Cause.CHECK, Format.OPENAI_CHAT, f"gate.min_progress={share}"
    )

    assert (len(writer.calls), found.plan.reason) == (calls, reason)
    assert found.changed == bool(calls)


def test_nobody_is_asked_where_even_an_empty_summary_would_not_do() -> None:
    story = [
        user("a"),
        assistant(PAGE),
        user(PAGE * 8),
        assistant("d"),
        user("e"),
        assistant(PAGE),
        user("f"),
    ]
    policy = small(
        "pi",
        "gate.min_progress=0.5",
        "select.tail_tokens=none",
        "select.tail_messages=5",
        "trigger.remaining=14000",
    )
    writer = scribe(policy)
    assert isinstance(writer, Fixed)
    found = compact(
        read(told(story, Format.OPENAI_CHAT)), policy, occasion(20_000, Cause.CHECK), means(writer)
    )

    assert (found.decision, found.reason, writer.calls) == (Decision.LEAVE, "min_progress", [])
    assert "at the least" in found.detail


@pytest.mark.parametrize("paste", ["q", PAGE * 8])
def test_aider_keeps_as_much_of_the_talk_whatever_is_said_now(paste: str) -> None:
    talk = [m for n in range(60) for m in (user(f"ask {n} {PAGE[:400]}"), assistant(f"did {n} {PAGE[:400]}"))]
    found, _ = done("aider", [*talk, user(paste)], 200_000)
    tail = found.plan.selection.tail if found.plan.selection else 0
    costs = count(read(told(talk, Format.OPENAI_CHAT)), COUNTER).messages

    assert talk[tail]["role"] == "user" and talk[tail - 1]["role"] == "assistant"
    assert 3_500 < sum(costs[tail:]) < 4_700


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("pi", "attempts"),
        ("opencode", "attempts"),
        ("codex-local", ""),
        ("openhands", ""),
        ("elision", ""),
    ],
)
def test_what_follows_on_an_overflow_at_once_on_another(name: str, reason: str) -> None:
    """An agent that retries once stops, though the first pass saved a lot; one without a guard goes on."""
    story = [*loop(20), assistant("ok"), user("q")]
    tokens = count(read(told(story, Format.OPENAI_CHAT)), COUNTER).total
    refused, grown = (
        Past(2 * tokens, tokens, reason=Reason.OVERFLOW),
        Past(2 * tokens, tokens - 9, reason=Reason.OVERFLOW),
    )

    found, _ = done(name, story, 40_000, Cause.OVERFLOW, recent=Recent([refused]))
    assert (found.reason == "attempts", found.changed) == (bool(reason), not reason)
    found, _ = done(name, story, 40_000, Cause.OVERFLOW, recent=Recent([grown]))
    assert found.reason != "attempts"


@pytest.mark.parametrize("name", ["codex-local", "gemini-cli", "openhands", "aider", "jetbrains-masking"])
def test_agents_without_a_guard_try_again_and_again(name: str) -> None:
    failed = Past(9_000, 9_000, failed=True, reason=Reason.OVERFLOW)
    story = [*loop(20), assistant("ok"), user("q")]
    for cause in Cause:
        when = Occasion(Window(8_000), situation=WARM, cause=cause, recent=Recent([failed] * 9))
        found = look(read(told(story, Format.OPENAI_CHAT)), load(name), when, means())

        assert found.reason not in ("attempts", "stalled", "breaker")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("how", ["select.target=0.5", "select.tail_messages=20", "select.tail_tokens=4000"])
def test_a_range_is_dropped_where_nobody_writes(format: Format, how: str) -> None:
    """A policy of one's own: the first message and the newest stay, what is between them goes."""
    story = [*loop(30), assistant("ok"), user("q")]
    sets = ("summary.writer=none", "select.target=none", "select.head_messages=1", how)
    found, writer = done("openhands", story, 200_000, Cause.REQUEST, format, *sets)
    after = read(found.raw, format)
    raws = [message.span.of(after.raw) for message in after.messages]

    assert found.decision is Decision.COMPACT and writer.calls == [] and found.summary == found.by == ""
    assert not validate(after) and len(after.messages) < len(story) - len(found.plan.covered) + 1
    assert set(map(json.dumps, raws)) <= {
        json.dumps(message.span.of(told(story, format)))
        for message in read(told(story, format), format).messages
    }
