"""Responses: what each item and part is."""

import json
from typing import Any

import pytest

from elision.compaction.conversation import Block, Format, Message, Part, Role
from elision.compaction.formats.read import read


def items(*told: dict[str, Any]) -> tuple[Message, ...]:
    return read(json.dumps({"input": told}), Format.OPENAI_RESPONSES).messages


def texts(block: Block) -> list[str]:
    return [leaf.text for leaf in block.leaves]


def test_an_input_of_one_string_is_one_user_message() -> None:
    conversation = read('{"input": "fix it", "instructions": "Be brief."}')
    (message,) = conversation.messages

    assert (message.role, message.wire_role, texts(message.blocks[0])) == (Role.USER, "", ["fix it"])
    assert message.span == conversation.list_span
    assert texts(conversation.system[0]) == ["Be brief."]


def test_a_body_that_goes_on_with_a_stored_response_has_no_messages() -> None:
    conversation = read('{"previous_response_id": "resp_1", "model": "m"}')

    assert (conversation.format, conversation.messages, conversation.model) == (
        Format.OPENAI_RESPONSES,
        (),
        "m",
    )


def test_messages_may_be_easy_or_full() -> None:
    easy, full = items(
        {"role": "developer", "content": "Be brief.", "phase": "commentary"},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "Done.", "annotations": []},
                {"type": "refusal", "refusal": "No."},
                {"type": "input_image", "image_url": "u"},
                {"type": "input_file", "file_id": "f"},
                {"type": "hologram", "text": "?"},
            ],
        },
    )

    assert (easy.role, texts(easy.blocks[0])) == (Role.DEVELOPER, ["Be brief."])
    assert (full.role, full.id) == (Role.ASSISTANT, "msg_1")
    assert [b.part for b in full.blocks] == [Part.TEXT, Part.TEXT, Part.IMAGE, Part.FILE, Part.OTHER]
    assert [texts(b) for b in full.blocks] == [["Done."], ["No."], [], [], []]


PAIRS = ["function", "custom_tool", "computer", "local_shell", "shell", "apply_patch"]


@pytest.mark.parametrize("kind", PAIRS)
def test_a_call_and_its_output_are_paired_and_named(kind: str) -> None:
    named = {"name": "ls"} if kind in ("function", "custom_tool") else {}
    call, output = items(
        {
            "type": f"{kind}_call" if kind != "function" else "function_call",
            "call_id": "c1",
            "id": "x_1",
            **named,
        },
        {"type": f"{kind}_call_output", "call_id": "c1", "output": "a.py"},
    )

    assert (call.role, call.blocks[0].part, call.blocks[0].call_id) == (Role.ASSISTANT, Part.CALL, "c1")
    assert (output.role, output.blocks[0].part, output.blocks[0].call_id) == (Role.TOOL, Part.RESULT, "c1")
    assert call.blocks[0].name == output.blocks[0].name == named.get("name", kind)
    assert texts(output.blocks[0]) == ["a.py"]


def test_the_arguments_of_a_call_are_its_leaf() -> None:
    function, custom, shell = items(
        {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": '{"a": '},
        {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "***"},
        {"type": "shell_call", "call_id": "c3", "action": {"commands": ["ls"]}},
    )

    assert [texts(m.blocks[0]) for m in (function, custom, shell)] == [['{"a": '], ["***"], []]


def test_outputs_of_every_shape_give_their_texts_and_media() -> None:
    listed, shell, picture, failed, empty = items(
        {
            "type": "function_call_output",
            "output": [{"type": "input_text", "text": "x"}, {"type": "input_image"}, {"type": "input_file"}],
        },
        {
            "type": "shell_call_output",
            "output": [{"stdout": "out", "stderr": "err", "outcome": {"type": "exit"}}],
        },
        {"type": "computer_call_output", "output": {"type": "computer_screenshot", "image_url": "u"}},
        {"type": "apply_patch_call_output", "status": "failed", "output": "no such file"},
        {"type": "function_call_output", "output": None},
    )
    blocks = [m.blocks[0] for m in (listed, shell, picture, failed, empty)]

    assert [texts(b) for b in blocks] == [["x"], ["out", "err"], [], ["no such file"], []]
    assert [b.media for b in blocks] == [(Part.IMAGE, Part.FILE), (), (Part.IMAGE,), (), ()]
    assert [b.is_error for b in blocks] == [False, False, False, True, False]


def test_a_tool_search_is_the_callers_if_it_has_a_call_id() -> None:
    found = items(
        {"type": "tool_search_call", "call_id": "c1"},
        {"type": "tool_search_output", "call_id": "c1", "tools": []},
        {"type": "tool_search_call", "call_id": None, "execution": "server"},
        {"type": "tool_search_output", "call_id": None, "tools": []},
    )

    assert [m.blocks[0].part for m in found] == [Part.CALL, Part.RESULT, Part.SERVER_CALL, Part.SERVER_RESULT]


def test_an_approval_answers_its_request() -> None:
    request, response = items(
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "send", "arguments": "{}"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
    )

    assert request.blocks[0].call_id == response.blocks[0].call_id == "mcpr_1"
    assert (request.blocks[0].part, response.blocks[0].part) == (Part.CALL, Part.RESULT)


@pytest.mark.parametrize(
    "kind", ["file_search_call", "web_search_call", "image_generation_call", "code_interpreter_call", "mcp_call", "program"]
)  # fmt: skip
def test_what_the_provider_runs_is_not_ours(kind: str) -> None:
    (message,) = items({"type": kind, "id": "x", "arguments": "{}", "output": "long"})

    assert [(b.part, b.leaves) for b in message.blocks] == [(Part.SERVER_CALL, ())]


def test_reasoning_is_signed_by_what_is_encrypted_in_it() -> None:
    opaque, open_, compaction = items(
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "short"}],
            "content": [{"type": "reasoning_text", "text": "long"}],
        },
        {"type": "compaction", "encrypted_content": "gAAA"},
    )

    assert [(m.blocks[0].part, m.blocks[0].signed, texts(m.blocks[0])) for m in (opaque, open_, compaction)] == [
        (Part.THINKING, True, []), (Part.THINKING, False, ["short", "long"]), (Part.COMPACTION, True, []),
    ]  # fmt: skip


def test_items_without_a_speaker_are_carried_through() -> None:
    told = [
        {"type": kind}
        for kind in ("additional_tools", "configuration_update", "compaction_trigger", "new_kind")
    ]
    found = items(*told, {"type": "item_reference", "id": "msg_1"}, {"id": "msg_2"})

    assert {m.role for m in found} == {Role.OTHER}
    assert [m.blocks[0].part for m in found] == [Part.OTHER] * 4 + [Part.REFERENCE] * 2


def test_the_tools_of_a_namespace_are_tools_too() -> None:
    tools = [
        {"type": "namespace", "name": "crm", "description": "Customers.", "tools": [{"name": "find", "description": "Find."}]},
        {"type": "web_search"},
    ]  # fmt: skip
    found = read(json.dumps({"input": [], "tools": tools})).tools

    assert [(t.name, t.path, [leaf.text for leaf in t.leaves]) for t in found] == [
        ("crm", "/tools/0", ["Customers."]), ("find", "/tools/0/tools/0", ["Find."]), ("web_search", "/tools/1", []),
    ]  # fmt: skip
