"""Gemini: what each part is."""

import json
from typing import Any

import pytest

from elision.compaction.conversation import Block, Format, Message, Part, Role
from elision.compaction.formats.read import read


def contents(*told: dict[str, Any]) -> tuple[Message, ...]:
    return read(json.dumps({"contents": told}), Format.GEMINI).messages


def part(**members: Any) -> Block:
    return contents({"role": "model", "parts": [members]})[0].blocks[0]


def texts(block: Block) -> list[str]:
    return [leaf.text for leaf in block.leaves]


def test_each_turn_is_whose_it_is() -> None:
    response = {"functionResponse": {"name": "ls", "response": {}}}
    found = contents(
        {"parts": [{"text": "hi"}]},
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"text": "hi"}]},
        {"role": "user", "parts": [response, response]},
        {"role": "user", "parts": [response, {"text": "hi"}]},
        {"role": "function", "parts": [response]},
        {"role": "critic", "parts": [{"text": "hi"}]},
    )

    assert [m.role for m in found] == [
        Role.USER, Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.TOOL, Role.OTHER,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "members, kind",
    [
        ({"text": "x"}, Part.TEXT),
        ({"text": "x", "thought": True}, Part.THINKING),
        ({"text": "x", "thought": False}, Part.TEXT),
        ({"inlineData": {"mimeType": "image/png", "data": "A"}}, Part.IMAGE),
        ({"inline_data": {"mime_type": "audio/wav", "data": "A"}}, Part.AUDIO),
        ({"fileData": {"mimeType": "application/pdf", "fileUri": "u"}}, Part.DOCUMENT),
        ({"file_data": {"file_uri": "u"}}, Part.FILE),
        ({"functionCall": {"name": "ls", "args": {}}}, Part.CALL),
        ({"functionResponse": {"name": "ls", "response": {}}}, Part.RESULT),
        ({"executableCode": {"code": "1"}}, Part.SERVER_CALL),
        ({"codeExecutionResult": {"output": "1"}}, Part.SERVER_RESULT),
        ({"toolCall": {}}, Part.SERVER_CALL),
        ({"toolResponse": {}}, Part.SERVER_RESULT),
        ({"thoughtSignature": "s"}, Part.OTHER),
        ({"hologram": {"text": "?"}}, Part.OTHER),
    ],
)
def test_every_part_is_known_for_what_it_is(members: dict[str, Any], kind: Part) -> None:
    assert part(**members).part is kind


@pytest.mark.parametrize("call_key, answer_key", [("functionCall", "functionResponse"), ("function_call", "function_response")])  # fmt: skip
def test_a_call_and_its_answer_are_paired_by_id_in_either_spelling(call_key: str, answer_key: str) -> None:
    call = part(**{call_key: {"id": "c1", "name": "ls", "args": {"path": "."}}, "thought_signature": "s"})
    answer = part(**{answer_key: {"id": "c1", "response": {"error": "none such"}}})

    assert (call.call_id, call.name, call.leaves, call.signed, call.type) == ("c1", "ls", (), True, call_key)
    assert (answer.call_id, texts(answer), answer.is_error) == ("c1", ["none such"], True)


def test_every_string_of_a_response_is_a_leaf_with_its_own_path() -> None:
    response = {"output": {"a/b": ["one", {"n": 1, "deep": "two"}], "empty": ""}, "ok": True}
    answer = part(functionResponse={"name": "ls", "response": response, "parts": [{"inlineData": {"mimeType": "image/png"}}]})  # fmt: skip

    root = "/contents/0/parts/0/functionResponse/response/output"
    assert [(leaf.path, leaf.text) for leaf in answer.leaves] == [
        (root + "/a~1b/0", "one"), (root + "/a~1b/1/deep", "two"), (root + "/empty", ""),
    ]  # fmt: skip
    assert answer.media == (Part.IMAGE,)


@pytest.mark.parametrize("key", ["systemInstruction", "system_instruction"])
@pytest.mark.parametrize("told", ["Be brief.", {"parts": [{"text": "Be brief."}]}])
def test_the_system_text_stands_outside_the_contents(key: str, told: Any) -> None:
    conversation = read(json.dumps({key: told, "contents": []}))

    assert texts(conversation.system[0]) == ["Be brief."]


def test_the_functions_of_a_tool_are_tools_and_the_providers_own_are_named_by_their_member() -> None:
    declared = [{"name": "ls", "description": "List."}, {"name": "cat"}]
    tools = [{"functionDeclarations": declared}, {"googleSearch": {}}]
    found = read(json.dumps({"contents": [], "tools": tools})).tools

    assert [(t.name, len(t.leaves)) for t in found] == [("ls", 1), ("cat", 0), ("googleSearch", 0)]
