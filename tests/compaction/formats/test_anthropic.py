"""Anthropic Messages: what each block is."""

import json
from typing import Any

import pytest

from elision.compaction.conversation import Block, Format, Message, Part, Role
from elision.compaction.formats.read import read


def messages(*told: dict[str, Any]) -> tuple[Message, ...]:
    return read(json.dumps({"messages": told}), Format.ANTHROPIC).messages


def block(**members: Any) -> Block:
    return messages({"role": "assistant", "content": [members]})[0].blocks[0]


def texts(block: Block) -> list[str]:
    return [leaf.text for leaf in block.leaves]


def test_every_block_is_known_for_what_it_is() -> None:
    assert {kind: block(type=kind).part for kind in ANSWERS} == ANSWERS


ANSWERS = {
    "text": Part.TEXT,
    "image": Part.IMAGE,
    "document": Part.DOCUMENT,
    "search_result": Part.DOCUMENT,
    "thinking": Part.THINKING,
    "redacted_thinking": Part.THINKING,
    "tool_use": Part.CALL,
    "tool_result": Part.RESULT,
    "server_tool_use": Part.SERVER_CALL,
    "web_search_tool_result": Part.SERVER_RESULT,
    "bash_code_execution_tool_result": Part.SERVER_RESULT,
    "mcp_tool_use": Part.SERVER_CALL,
    "mcp_tool_result": Part.SERVER_RESULT,
    "compaction": Part.COMPACTION,
    "container_upload": Part.FILE,
    "container_upload_v9": Part.OTHER,
    "mcp_tool_listing": Part.OTHER,
    "fallback": Part.OTHER,
}


def test_a_user_message_is_the_tools_only_if_it_holds_nothing_but_results() -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}
    text = {"type": "text", "text": "and now?"}
    found = messages(
        *({"role": "user", "content": blocks} for blocks in ([result, result], [result, text], [], "hi"))
    )

    assert [m.role for m in found] == [Role.TOOL, Role.USER, Role.USER, Role.USER]
    assert [b.part for b in found[1].blocks] == [Part.RESULT, Part.TEXT]


def test_a_call_and_its_result_are_paired_and_named() -> None:
    call, result = messages(
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "."}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True}]},
    )

    assert [(b.call_id, b.name, b.leaves) for b in call.blocks] == [("t1", "ls", ())]
    assert [(b.call_id, b.name, b.is_error) for b in result.blocks] == [("t1", "ls", True)]


@pytest.mark.parametrize(
    "content, found",
    [(None, []), ("", [""]), ("a.py", ["a.py"]), ([], []), ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], ["a", "b"])],
)  # fmt: skip
def test_a_result_has_every_text_in_it(content: Any, found: list[str]) -> None:
    assert texts(block(type="tool_result", content=content)) == found


def test_a_result_says_what_it_holds_beside_text() -> None:
    result = block(
        type="tool_result",
        content=[
            {"type": "text", "text": "page 1"},
            {"type": "image", "source": {}},
            {"type": "document", "source": {"type": "base64", "data": "AAAA"}},
            {"type": "document", "source": {"type": "text", "data": "plain"}},
            {
                "type": "search_result",
                "source": "u",
                "title": "t",
                "content": [{"type": "text", "text": "found"}],
            },
            {"type": "tool_reference", "tool_name": "x"},
            {"type": "browser_state"},
        ],
    )

    assert texts(result) == ["page 1", "plain", "found"]
    assert result.media == (Part.IMAGE, *[Part.DOCUMENT] * 3, Part.REFERENCE, Part.OTHER)


@pytest.mark.parametrize(
    "members, signed",
    [
        ({"type": "thinking", "thinking": "hm", "signature": "s"}, True),
        ({"type": "thinking", "thinking": "hm", "signature": ""}, False),
        ({"type": "redacted_thinking", "data": "x"}, True),
        ({"type": "compaction", "content": "so far", "signature": "s"}, True),
        ({"type": "web_search_tool_result", "content": [{"encrypted_content": "x"}]}, True),
        ({"type": "web_search_tool_result", "content": {"error_code": "x"}}, False),
    ],
)
def test_what_neighbours_are_bound_to_is_signed(members: dict[str, Any], signed: bool) -> None:
    assert block(**members).signed is signed


def test_thoughts_and_compactions_can_be_read_and_what_the_provider_ran_cannot() -> None:
    assert texts(block(type="thinking", thinking="hm")) == ["hm"]
    assert texts(block(type="compaction", content="so far")) == ["so far"]
    assert texts(block(type="mcp_tool_result", content="x")) == []


def test_a_compaction_may_stand_in_the_list_without_a_message() -> None:
    compaction, _ = messages(
        {"type": "compaction", "content": "so far"}, {"role": "user", "content": "go on"}
    )

    assert (compaction.role, compaction.blocks[0].part) == (Role.ASSISTANT, Part.COMPACTION)
    assert compaction.blocks[0].path == compaction.path


def test_a_cache_mark_is_seen_on_a_block_and_inside_a_result() -> None:
    text = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}

    assert block(**text).cache_mark
    assert block(type="tool_result", content=[text]).cache_mark
    assert not block(type="tool_result", content="x").cache_mark


@pytest.mark.parametrize("system", ["Be brief.", [{"type": "text", "text": "Be brief."}]])
def test_the_system_text_stands_outside_the_messages(system: Any) -> None:
    conversation = read(
        json.dumps({"system": system, "messages": [{"role": "system", "content": "Now in French."}]})
    )

    assert texts(conversation.system[0]) == ["Be brief."]
    assert [m.role for m in conversation.messages] == [Role.SYSTEM]
