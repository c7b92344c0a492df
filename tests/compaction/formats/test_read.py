"""One story reads alike in every format; what contradicts its format says where."""

import json
from pathlib import Path
from typing import Any

import pytest
from messages import assistant, calls, result, system, told, user

from elision.compaction.conversation import Format, Part, Role
from elision.compaction.errors import BadConversation, NotJson
from elision.compaction.formats.read import read

STORY = [
    system("Be brief."),
    user("fix it"),
    calls(("c1", "bash", {"command": "ls"}), ("c2", "read", {"path": "a.py"}), text="I look."),
    result("c1", "a.py"),
    result("c2", "A = 1\n"),
    assistant("Done."),
]
WIRES = [format for format in Format if format is not Format.TEXT]


@pytest.mark.parametrize("format", WIRES)
def test_a_story_reads_alike_in_every_format(format: Format) -> None:
    conversation = read(told(STORY, format, model="m"))
    blocks = [(m.role, b) for m in conversation.messages for b in m.blocks if m.role is not Role.SYSTEM]

    assert conversation.model == "m"
    assert [(role, b.part, b.call_id, b.name) for role, b in blocks] == [
        (Role.USER, Part.TEXT, "", ""),
        (Role.ASSISTANT, Part.TEXT, "", ""),
        (Role.ASSISTANT, Part.CALL, "c1", "bash"),
        (Role.ASSISTANT, Part.CALL, "c2", "read"),
        (Role.TOOL, Part.RESULT, "c1", "bash"),
        (Role.TOOL, Part.RESULT, "c2", "read"),
        (Role.ASSISTANT, Part.TEXT, "", ""),
    ]
    assert [leaf.text for _, b in blocks for leaf in b.leaves if b.part is not Part.CALL] == [
        "fix it", "I look.", "a.py", "A = 1\n", "Done.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "format, body, pointer",
    [
        (Format.OPENAI_CHAT, {"messages": {}}, "/messages"),
        (Format.OPENAI_CHAT, {"messages": ["hi"]}, "/messages/0"),
        (Format.OPENAI_CHAT, {"input": "hi"}, ""),
        (Format.OPENAI_CHAT, {"messages": [{"role": "user", "content": 5}]}, "/messages/0/content"),
        (Format.OPENAI_CHAT, {"messages": [{"role": "user", "content": [5]}]}, "/messages/0/content/0"),
        (Format.OPENAI_CHAT, {"messages": [{"role": "assistant", "tool_calls": {}}]}, "/messages/0/tool_calls"),
        (Format.OPENAI_CHAT, {"messages": [], "tools": [None]}, "/tools/0"),
        (Format.OPENAI_CHAT, "hi", ""),
        (Format.OPENAI_RESPONSES, {"input": 5}, "/input"),
        (Format.OPENAI_RESPONSES, {"input": [[]]}, "/input/0"),
        (Format.ANTHROPIC, {"messages": [], "system": 5}, "/system"),
        (Format.ANTHROPIC, [{"role": "user", "content": [{"type": "tool_result", "content": {}}]}], "/0/content/0/content"),
        (Format.GEMINI, {"contents": "hi"}, "/contents"),
        (Format.GEMINI, {"contents": [{"parts": {}}]}, "/contents/0/parts"),
        (None, {"messages": 5}, "/messages"),
    ],
)  # fmt: skip
def test_a_body_that_contradicts_its_format_says_where(
    format: Format | None, body: Any, pointer: str
) -> None:
    with pytest.raises(BadConversation) as refused:
        read(json.dumps(body), format)

    assert refused.value.pointer == pointer


def test_a_body_that_is_no_json_is_refused() -> None:
    with pytest.raises(NotJson):
        read("fix it")


def test_a_root_where_nothing_stands_is_refused() -> None:
    with pytest.raises(BadConversation, match="/body: nothing stands here"):
        read('{"messages": []}', root="/body")


@pytest.mark.parametrize("text", ["", "fix it", '{"messages": []}', '"quoted"'])
def test_plain_text_is_one_user_message_and_is_written_as_it_is(text: str) -> None:
    conversation = read(text, Format.TEXT)

    assert [(m.role, [leaf.text for leaf in m.blocks[0].leaves]) for m in conversation.messages] == [
        (Role.USER, [text])
    ]
    assert conversation.with_texts({}) == text
    assert conversation.with_texts({"": 'a "new" one\n'}) == 'a "new" one\n'


def test_a_text_inside_a_document_is_spelled_as_json() -> None:
    conversation = read('{"text": "old", "n": 1.0}', Format.TEXT, "/text")

    assert conversation.with_texts({"/text": 'a "new" one\n'}) == '{"text": "a \\"new\\" one\\n", "n": 1.0}'
    with pytest.raises(BadConversation, match="/n: must be a string"):
        read('{"n": 1}', Format.TEXT, "/n")


def test_the_inputs_of_reported_failures_are_read_and_written_as_they_were(shared: Path) -> None:
    for path in sorted((shared / "reference/cases").glob("[0-9]*.json")):
        case = json.loads(path.read_text())
        if {"messages", "input"} & case["input"].keys():
            raw = json.dumps(case["input"])
            named = Format(case["format"].replace("-messages", "").replace("-", "_"))
            conversation = read(raw, named)

            assert conversation.with_texts({}) == raw
            assert all(message.role is not Role.OTHER for message in conversation.messages), path.stem
