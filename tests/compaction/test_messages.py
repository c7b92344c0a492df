"""The message path: what may be touched, and that nothing already sent ever changes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assistant, call, calls, result, system, told, user
from remembering import COUNTER, MADE_BY, Remembering, shorten, too_late

from elision.compaction.conversation import Format
from elision.compaction.decisions import Shorten
from elision.compaction.errors import BadPolicy, StoreUnavailable
from elision.compaction.formats.read import read
from elision.compaction.messages import CompressedMessages, compress_messages
from elision.compaction.plan import Action
from elision.compaction.policy import Policy, ToolRule, Treatment
from elision.compaction.store import NoStore, Store, handle_of
from elision.compaction.types import Budget, Compressed

WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
POLICY = Policy(budget=Budget(keep_ratio=0.4, floor_tokens=20))


def log(rows: int, seed: int = 0) -> str:
    return "\n".join(f"10:00:{i % 60:02d} INFO worker {i * 7 + seed} finished its step of the plan" for i in range(rows))


def done(body: str, policy: Policy = POLICY, store: Store | None = None, by: Shorten = shorten) -> CompressedMessages:
    return compress_messages(
        read(body), policy, shorten=by, store=store or NoStore(), counter=COUNTER, made_by=MADE_BY
    )


def texts(body: str) -> list[str]:
    """The texts of all tool results of a Chat body."""
    return [m["content"] for m in json.loads(body)["messages"] if m["role"] == "tool"]


STORY = [system("Be brief."), user("fix it"), call("c1", "bash", {"command": "make"}), result("c1", log(40))]


@pytest.mark.parametrize("wire", WIRES)
def test_only_the_results_of_tools_are_shortened(wire: Format) -> None:
    answer = done(told(STORY, wire))

    assert answer.changed and answer.after.total < answer.before.total
    assert {leaf.planned.action for leaf in answer.leaves if leaf.changed} == {Action.SHORTEN}
    assert [len(leaf.text) < len(log(40)) for leaf in answer.leaves if leaf.changed] == [True]


def test_every_wire_makes_the_same_of_a_result() -> None:
    shorter = [[leaf.text for leaf in done(told(STORY, wire)).leaves if leaf.changed] for wire in WIRES]

    assert len({json.dumps(found) for found in shorter}) == 1


def test_every_byte_but_the_changed_string_is_as_it_came() -> None:
    body = '{ "messages" : [ {"role":"user","content":"h\\u00e9"},{"x":1.0,"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{bad"}}]}, {"role":"tool","tool_call_id":"a","content":%s} ],"n":1e3}'
    spelled = json.dumps(log(40))
    answer = done(body % spelled)
    shorter = next(leaf.text for leaf in answer.leaves if leaf.changed)

    assert answer.raw == body % json.dumps(shorter, ensure_ascii=False)


@st.composite
def stories(draw: st.DrawFn) -> list[dict[str, Any]]:
    story: list[dict[str, Any]] = [user(draw(st.sampled_from(["fix the build", "why is it slow?"])))]
    for turn in range(draw(st.integers(1, 4))):
        made = [(f"c{turn}_{n}", draw(st.sampled_from(["bash", "grep", "read_file"])), {"n": n}) for n in range(draw(st.integers(1, 2)))]
        story.append(calls(*made, text=draw(st.sampled_from([None, "looking"]))))
        story += [result(id, log(draw(st.integers(0, 30)), draw(st.integers(0, 2)))) for id, _, _ in made]
        if draw(st.booleans()):
            story += [assistant("that was it"), user("go on")]
    return story


@given(stories(), st.sampled_from(WIRES), st.booleans(), st.data())
def test_the_first_messages_become_what_they_would_alone(
    story: list[dict[str, Any]], wire: Format, warm: bool, data: st.DataObject
) -> None:
    whole, k = told(story, wire), data.draw(st.integers(1, len(story)))
    part = told(story[:k], wire)
    store: Store = Remembering() if warm else NoStore()
    first, later = done(part, store=store).raw, done(whole, store=store).raw

    assert messages_of(later, wire)[: len(messages_of(first, wire))] == messages_of(first, wire) or merged(first, later, wire)


def messages_of(body: str, wire: Format) -> list[str]:
    parsed = json.loads(body)
    found = parsed[{Format.OPENAI_RESPONSES: "input", Format.GEMINI: "contents"}.get(wire, "messages")]
    return [json.dumps(message) for message in found]


def merged(first: str, later: str, wire: Format) -> bool:
    """Whether only the last message of the shorter list went on: parallel results share one message there."""
    head, whole = messages_of(first, wire), messages_of(later, wire)
    return wire in (Format.ANTHROPIC, Format.GEMINI) and whole[: len(head) - 1] == head[:-1] and whole[len(head) - 1].startswith(head[-1][:-3])


def test_what_went_out_because_time_was_over_goes_out_again() -> None:
    store = Remembering()
    first = done(told(STORY, Format.OPENAI_CHAT), store=store, by=too_late)
    again = done(told([*STORY, assistant("ok")], Format.OPENAI_CHAT), store=store)

    assert not first.changed and not again.changed
    assert again.leaves[3].reason == "deadline"


def test_what_was_decided_is_not_decided_again() -> None:
    store = Remembering()
    first = done(told(STORY, Format.OPENAI_CHAT), store=store)
    again = done(told([*STORY, assistant("ok")], Format.OPENAI_CHAT), store=store, by=too_late)

    assert texts(again.raw) == texts(first.raw)


def test_a_second_pass_with_the_same_store_changes_nothing() -> None:
    store = Remembering()
    once = done(told(STORY, Format.OPENAI_CHAT), store=store).raw

    assert done(once, store=store).raw == once


def test_a_tool_that_prints_what_we_wrote_is_decided_once_too() -> None:
    store = Remembering()
    (ours,) = texts(done(told(STORY, Format.OPENAI_CHAT)).raw)
    story = [*STORY, call("c2", "cat", {}), result("c2", ours)]
    first = done(told(story, Format.OPENAI_CHAT), store=store)
    again = done(told([*story, assistant("ok")], Format.OPENAI_CHAT), store=store)

    assert texts(again.raw) == texts(first.raw)


def test_another_budget_is_another_decision() -> None:
    store = Remembering()
    first = done(told(STORY, Format.OPENAI_CHAT), store=store)
    other = done(told(STORY, Format.OPENAI_CHAT), Policy(budget=Budget(keep_ratio=0.2, floor_tokens=20)), store)

    assert len(texts(other.raw)[0]) < len(texts(first.raw)[0])


def test_the_original_is_kept_under_its_handle() -> None:
    store = Remembering()
    leaf = next(leaf for leaf in done(told(STORY, Format.OPENAI_CHAT), store=store).leaves if leaf.changed)

    assert leaf.handle == handle_of(log(40)) and store.original(leaf.handle) == log(40)


class Broken(NoStore):
    def decision(self, key: str) -> Compressed | None:
        raise StoreUnavailable("the disk is full")

    def remember(self, key: str, original: str, compressed: Compressed) -> Compressed:
        raise StoreUnavailable("the disk is full")

    def wrote(self, text: str) -> bool:
        raise StoreUnavailable("the disk is full")


def test_a_store_that_fails_costs_no_request_and_no_prefix() -> None:
    body = told(STORY, Format.OPENAI_CHAT)

    assert done(body, store=Broken()).raw == done(body).raw


@pytest.mark.parametrize("tool", ["Read", "read_file", "mcp__files__read_file", "Skill", "headroom_retrieve", "mcp__x__ctx_retrieve"])
def test_what_must_be_exact_is_left_whole(tool: str) -> None:
    story = [user("x"), call("a", tool, {}), result("a", log(40))]
    answer = done(told(story, Format.OPENAI_CHAT))

    assert not answer.changed and answer.leaves[-1].reason == "tool_rule"


def test_the_callers_rules_come_first_and_the_first_that_fits_decides() -> None:
    policy = Policy(
        budget=POLICY.budget,
        tool_rules=[ToolRule("read*", 0.3), ToolRule("bash", Treatment.NEVER), ToolRule("*", 0.9)],
    )
    story = [user("x"), calls(("a", "read_file", {}), ("b", "bash", {})), result("a", log(40)), result("b", log(39))]
    answer = done(told(story, Format.OPENAI_CHAT), policy)

    assert [leaf.changed for leaf in answer.leaves[-2:]] == [True, False]


def test_a_rule_that_is_no_ratio_is_refused() -> None:
    with pytest.raises(BadPolicy, match="bash.*1.5"):
        ToolRule("bash", 1.5)


def test_tagged_text_stays_whole() -> None:
    kept = "<keep>10:01 INFO exactly   this line, and the\nnext one</keep>"
    story = [user("x"), call("a", "bash", {}), result("a", f"{log(30)}\n{kept}\n{log(30, 5)}")]

    assert kept in texts(done(told(story, Format.OPENAI_CHAT)).raw)[0]


def test_frozen_and_protected_messages_stay_as_they_came() -> None:
    body = told(STORY, Format.OPENAI_CHAT)

    assert done(body, Policy(budget=POLICY.budget, frozen_messages=4)).leaves[-1].reason == "frozen"
    assert done(body, Policy(budget=POLICY.budget, protected=frozenset({3}))).leaves[-1].reason == "protected"


def test_a_repeated_output_points_to_the_earlier_one() -> None:
    story = [*STORY, call("c2", "bash", {"command": "make"}), result("c2", log(40))]
    first, second = texts(done(told(story, Format.OPENAI_CHAT)).raw)

    assert first.startswith("10:00:00") and second == '[…40 lines, the same as the earlier result of bash {"command": "make"}]'


def test_whoever_keeps_everything_keeps_repeats_too() -> None:
    body = told([*STORY, call("c2", "bash", {"command": "make"}), result("c2", log(40))], Format.OPENAI_CHAT)

    assert done(body, Policy(budget=Budget(keep_ratio=1))).raw == body


def test_fold_only_leaves_every_word() -> None:
    policy = Policy(budget=POLICY.budget, tool_rules=[ToolRule("bash", Treatment.FOLD_ONLY)])
    data = json.dumps({"rows": [{"id": n, "state": "up"} for n in range(60)]}, indent=2)
    story = [user("x"), call("a", "bash", {}), result("a", data), call("b", "bash", {}), result("b", log(40))]
    folded, whole = texts(done(told(story, Format.OPENAI_CHAT), policy).raw)

    assert len(folded) < len(data) and json.loads(folded) == json.loads(data) and whole == log(40)


def signed(story: list[dict[str, Any]]) -> str:
    body = json.loads(told(story, Format.ANTHROPIC))
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    said = [m for m in body["messages"] if m["role"] == "assistant"][-1]
    said["content"] = [thought, *([said["content"]] if isinstance(said["content"], dict) else blocks(said["content"]))]
    return json.dumps(body)


def blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def test_what_a_later_signature_covers_is_touched_only_if_we_did_so_before() -> None:
    later = [*STORY[1:], call("c2", "bash", {"n": 2}, text="next"), result("c2", log(30, 9))]
    store = Remembering()
    cold = done(signed(later))
    done(told(STORY[1:], Format.ANTHROPIC), store=store)
    warm = done(signed(later), store=store)

    assert [leaf.reason for leaf in cold.leaves if leaf.planned.tool == "bash"] == ["sent_before", ""]
    assert [leaf.changed for leaf in warm.leaves if leaf.planned.tool == "bash"] == [True, True]


def test_a_cache_mark_freezes_what_was_sent_but_not_what_is_new() -> None:
    story = [*STORY[1:], call("c2", "bash", {"n": 2}), result("c2", log(30, 9))]
    body = json.loads(told(story, Format.ANTHROPIC))
    body["messages"][-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
    answer = done(json.dumps(body))

    assert [leaf.reason for leaf in answer.leaves if leaf.planned.tool == "bash"] == ["sent_before", ""]


def test_prose_of_the_assistant_and_descriptions_are_touched_only_when_asked() -> None:
    prose = " ".join(f"The worker {n} was moved to the queue so that the team could look at it later on." for n in range(30))
    tools = [{"type": "function", "function": {"name": "bash", "description": prose, "parameters": {"type": "object"}}}]
    body = told([user("x"), assistant(prose), user("y")], Format.OPENAI_CHAT, tools=tools)
    asked = done(body, Policy(budget=POLICY.budget, assistant_text=True, tool_descriptions=True))

    assert not done(body).changed
    assert [leaf.planned.index for leaf in asked.leaves if leaf.changed] == [-1, 1]


def test_a_handle_ends_the_text_where_it_is_wanted() -> None:
    answer = done(told(STORY, Format.OPENAI_CHAT), Policy(budget=POLICY.budget, show_handles=True))

    assert texts(answer.raw)[0].endswith(f"\n[…original: {handle_of(log(40))}]")


def test_a_request_that_is_broken_already_is_shortened_all_the_same_and_said_so() -> None:
    answer = done(told([user("x"), result("gone", log(40))], Format.OPENAI_CHAT))

    assert answer.changed and answer.problems
