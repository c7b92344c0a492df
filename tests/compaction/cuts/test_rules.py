"""Each rule: what it finds when one thing is broken, and that it finds nothing else."""

import json
from typing import Any

import pytest
from conversations import LISTS, read_json

from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts import cut_points, last_signed, validate
from elision.compaction.formats.read import read

CHAT, RESPONSES, ANTHROPIC, GEMINI = Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI
EPHEMERAL = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}


def says(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def text(said: str, **members: Any) -> dict[str, Any]:
    return {"type": "text", "text": said} | members


def use(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "bash", "input": {}}


def gives(id: str, content: Any = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def thinks(signature: str = "c2ln", **members: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": "Hm.", "signature": signature} | members


def chat_call(*ids: str) -> dict[str, Any]:
    made = [{"id": id, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": made}


def chat_result(id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": "ok"}


def item(kind: str, **members: Any) -> dict[str, Any]:
    return {"type": kind} | members


def fn_call(name: str = "bash", **members: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}}} | members


def fn_response(name: str = "bash") -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": "ok"}}}


def content(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


USER = says("user", text("go"))
ASKED = {"role": "user", "content": "go"}
SAID = {"role": "assistant", "content": "done"}
CALLED = item("function_call", call_id="c1", name="bash", arguments="{}")
OUTPUT = item("function_call_output", call_id="c1", output="ok")
REASONING = item("reasoning", id="rs_1", summary=[], encrypted_content="b3A=")
COMPACTED = item("compaction", id="cmp_1", encrypted_content="b3A=")
TRIGGER = item("compaction_trigger")
QUESTION = content("user", {"text": "go"})


def conversation_of(format: Format, *messages: Any, **members: Any) -> Conversation:
    return read_json({LISTS[format]: list(messages)} | members, format)


@pytest.mark.parametrize(
    ("format", "messages", "rule", "pointer"),
    [
        (CHAT, [ASKED, chat_call("c1"), ASKED], "answered_calls", "/messages/1/tool_calls/0"),
        (CHAT, [ASKED, chat_call("c1"), SAID], "answered_calls", "/messages/1/tool_calls/0"),
        (CHAT, [ASKED, chat_call("c1"), ASKED, chat_result("c1")], "answered_calls", "/messages/3/content"),
        (CHAT, [ASKED, chat_result("c9"), SAID], "known_results", "/messages/1/content"),
        (CHAT, [ASKED, chat_call("c1"), chat_result("c1"), chat_result("c1")], "known_results", "/messages/3/content"),
        (CHAT, [ASKED, {"role": "assistant", "content": None}], "non_empty", "/messages/1"),
        (CHAT, [{"role": "user", "content": "\ud83d…"}], "surrogates", "/messages/0/content"),
        (RESPONSES, [ASKED, CALLED, ASKED], "answered_calls", "/input/1"),
        (RESPONSES, [ASKED, OUTPUT, ASKED], "known_results", "/input/1"),
        (RESPONSES, [CALLED, OUTPUT, OUTPUT], "known_results", "/input/2"),
        (RESPONSES, [ASKED, REASONING, ASKED], "reasoning_followers", "/input/1"),
        (RESPONSES, [ASKED, REASONING], "reasoning_followers", "/input/1"),
        (RESPONSES, [ASKED, TRIGGER, ASKED], "compaction_items", "/input/1"),
        (RESPONSES, [ASKED, SAID, COMPACTED, ASKED], "compaction_items", "/input/2"),
        (RESPONSES, [CALLED | {"id": "msg_1"}, OUTPUT], "item_ids", "/input/0/id"),
        (ANTHROPIC, [USER, says("assistant", use("t1")), USER], "answered_calls", "/messages/1/content/0"),
        (ANTHROPIC, [USER, says("assistant", use("t1")), says("user", text("x"), gives("t1"))], "answered_calls", "/messages/2/content/1"),
        (ANTHROPIC, [USER, says("assistant", use("t1"), use("t2")), says("user", gives("t1"))], "answered_calls", "/messages/1/content/1"),
        (ANTHROPIC, [USER, says("assistant", use("t1")), USER, SAID, says("user", gives("t1"))], "answered_calls", "/messages/4/content/0"),
        (ANTHROPIC, [says("user", gives("t9"), text("x"))], "known_results", "/messages/0/content/0"),
        (ANTHROPIC, [USER, says("assistant", use("t1")), says("user", gives("t1"), gives("t1"))], "known_results", "/messages/2/content/1"),
        (ANTHROPIC, [USER, says("assistant", {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []})], "known_results", "/messages/1/content/0"),
        (ANTHROPIC, [SAID, USER], "roles", "/messages/0"),
        (ANTHROPIC, [USER, SAID, says("system", text("x"))], "roles", "/messages/2"),
        (ANTHROPIC, [USER, says("system", text("x")), USER], "roles", "/messages/1"),
        (ANTHROPIC, [USER, says("assistant", text(""), text("x"))], "non_empty", "/messages/1/content/0/text"),
        (ANTHROPIC, [USER, says("assistant", text("x"), text(" \n"))], "non_empty", "/messages/1/content/1/text"),
        (ANTHROPIC, [USER, says("assistant", use("t1")), says("user", gives("t1", [text("")]))], "non_empty", "/messages/2/content/0/content/0/text"),
        (ANTHROPIC, [USER, says("assistant"), USER], "non_empty", "/messages/1"),
        (ANTHROPIC, [USER, says("assistant", thinks()), USER], "non_empty", "/messages/1"),
        (ANTHROPIC, [says("user", *[text("x", cache_control=EPHEMERAL)] * 5)], "cache_marks", "/messages/0/content/4"),
        (ANTHROPIC, [says("user", text("x", cache_control=EPHEMERAL), text("y", cache_control=HOUR))], "cache_marks", "/messages/0/content/1"),
        (ANTHROPIC, [USER, says("assistant", thinks(cache_control=EPHEMERAL), text("x"))], "cache_marks", "/messages/1/content/0"),
        (GEMINI, [QUESTION, content("model", fn_call(), fn_call()), content("user", fn_response())], "answered_calls", "/contents/1/parts/1"),
        (GEMINI, [QUESTION, content("user", fn_response())], "known_results", "/contents/1/parts/0"),
        (GEMINI, [QUESTION, content("model", {"text": "x"}), content("model", fn_call())], "roles", "/contents/2"),
        (GEMINI, [content("model", fn_call()), content("user", fn_response())], "roles", "/contents/0"),
        (GEMINI, [QUESTION, content("model")], "non_empty", "/contents/1"),
    ],
)  # fmt: skip
def test_one_broken_thing_is_one_problem(format: Format, messages: list[Any], rule: str, pointer: str) -> None:
    found = validate(conversation_of(format, *messages))

    assert [(problem.rule, problem.pointer) for problem in found] == [(rule, pointer)]


@pytest.mark.parametrize(
    ("format", "messages"),
    [
        (CHAT, [SAID, {"role": "user", "content": ""}, {"role": "assistant", "content": ""}]),
        (CHAT, [chat_call("c1", "c2"), chat_result("c2"), chat_result("c1")]),
        (CHAT, [{"role": "user", "content": "whole pair 🚀"}]),
        (RESPONSES, [CALLED, ASKED, OUTPUT]),
        (RESPONSES, [REASONING, item("web_search_call", id="ws_1", status="completed"), SAID]),
        (RESPONSES, [REASONING, {"type": "item_reference", "id": "fc_1"}, OUTPUT]),
        (RESPONSES, [COMPACTED, ASKED, TRIGGER]),
        (RESPONSES, [item("mcp_list_tools", id="mcpl_1", server_label="s", tools=[])]),
        (ANTHROPIC, [USER, USER, says("assistant", use("t1")), says("assistant", use("t2")), says("user", gives("t1")), says("user", gives("t2"), text("x"))]),
        (ANTHROPIC, [USER, says("assistant", thinks()), says("assistant", use("t1"))]),
        (ANTHROPIC, [USER, says("assistant", use("t1")), says("user", gives("t1", ""))]),
        (ANTHROPIC, [{"type": "compaction", "content": "before", "signature": "c2ln"}, USER]),
        (ANTHROPIC, [USER, says("system", text("x")), SAID]),
        (ANTHROPIC, [USER, says("assistant", use("t1") | {"input": {"cache_control": 1}})]),
        (GEMINI, [QUESTION, content("model", fn_call(), fn_call()), content("user", fn_response(), fn_response())]),
    ],
)  # fmt: skip
def test_what_a_provider_takes_is_no_problem(format: Format, messages: list[Any]) -> None:
    assert validate(conversation_of(format, *messages)) == []


@pytest.mark.parametrize(
    ("format", "messages", "members"),
    [
        (RESPONSES, [OUTPUT], {"previous_response_id": "resp_1"}),
        (RESPONSES, [OUTPUT], {"conversation": {"id": "conv_1"}}),
        (GEMINI, [content("user", fn_response())], {"cachedContent": "cachedContents/1"}),
    ],
)
def test_a_call_may_stand_in_turns_that_are_stored_elsewhere(format: Format, messages: list[Any], members: Any) -> None:
    assert validate(conversation_of(format, *messages, **members)) == []


def test_the_order_of_cache_marks_is_the_prompts_not_the_bodys() -> None:
    said = says("user", text("x", cache_control=EPHEMERAL))

    assert validate(conversation_of(ANTHROPIC, said, system=[text("s", cache_control=HOUR)])) == []


def test_pointers_lead_from_the_whole_document() -> None:
    document = {"params": {"messages": [says("user", *[text("x", cache_control=EPHEMERAL)] * 5)]}}
    conversation = read(json.dumps(document), ANTHROPIC, "/params")

    assert [problem.pointer for problem in validate(conversation)] == ["/params/messages/0/content/4"]


def test_a_running_loop_must_open_with_a_thought_if_thinking_is_enabled() -> None:
    messages = [USER, says("assistant", use("t1")), says("user", gives("t1"))]

    assert validate(conversation_of(ANTHROPIC, *messages, thinking={"type": "adaptive"})) == []
    [problem] = validate(conversation_of(ANTHROPIC, *messages, thinking={"type": "enabled", "budget_tokens": 1024}))
    assert (problem.rule, problem.pointer) == ("signed_thinking", "/messages/1")
    finished = [*messages, SAID, USER]
    assert validate(conversation_of(ANTHROPIC, *finished, thinking={"type": "enabled", "budget_tokens": 1024})) == []


def test_new_gemini_models_want_the_first_call_of_each_current_step_signed() -> None:
    signed, bare = fn_call(thoughtSignature="c2ln"), fn_call()
    old = [QUESTION, content("model", bare), content("user", fn_response()), content("model", {"text": "x"})]
    step = [QUESTION, content("model", signed, bare), content("user", fn_response(), fn_response())]
    broken = [QUESTION, content("model", bare, signed), content("user", fn_response(), fn_response())]

    assert validate(conversation_of(GEMINI, *old, *step, model="gemini-3-pro")) == []
    assert validate(conversation_of(GEMINI, *broken, model="gemini-2.5-pro")) == []
    [problem] = validate(conversation_of(GEMINI, *broken, model="models/gemini-3.8-flash"))
    assert (problem.rule, problem.pointer) == ("signed_thinking", "/contents/1/parts/0")


def test_a_cut_in_a_running_loop_leaves_no_call_without_the_thought_that_opened_it() -> None:
    opened = [USER, says("assistant", thinks(), use("t1")), says("user", gives("t1"))]
    bare = [says("assistant", use("t2")), says("user", gives("t2"))]
    thought = [says("assistant", thinks(), use("t3")), says("user", gives("t3"))]

    assert cut_points(conversation_of(ANTHROPIC, *opened, *bare, *thought)) == [0, 1, 5, 7]
    assert cut_points(conversation_of(ANTHROPIC, *opened, *bare, SAID, USER)) == [0, 1, 3, 5, 6, 7]


def test_reasoning_and_what_followed_it_are_one_group() -> None:
    other = CALLED | {"call_id": "c2"}
    messages = [ASKED, REASONING, CALLED, OUTPUT, other, OUTPUT | {"call_id": "c2"}, REASONING, SAID, ASKED]

    assert cut_points(conversation_of(RESPONSES, *messages)) == [0, 1, 6, 8, 9]


def test_no_cut_drops_what_only_the_provider_can_read() -> None:
    assert cut_points(conversation_of(RESPONSES, COMPACTED, ASKED, SAID)) == [0]


def test_what_the_provider_ran_stays_with_its_result() -> None:
    server = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}

    assert cut_points(conversation_of(ANTHROPIC, USER, says("assistant", server), says("assistant", found))) == [0, 1, 3]


def test_the_last_signed_thought_is_found() -> None:
    messages = [USER, says("assistant", thinks(), text("x")), USER, says("assistant", thinks(""), text("x")), USER]

    assert last_signed(conversation_of(ANTHROPIC, *messages)) == 1
    assert last_signed(conversation_of(ANTHROPIC, USER)) == -1


def test_the_detail_names_ids_and_indexes() -> None:
    [problem] = validate(conversation_of(CHAT, ASKED, chat_result("c9")))

    assert "'c9'" in problem.detail and "message 1" in problem.detail
