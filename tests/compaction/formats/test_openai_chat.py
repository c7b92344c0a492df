"""Chat Completions: what each message and part is."""

import json
from typing import Any

import pytest

from elision.compaction.conversation import Block, Format, Message, Part, Role
from elision.compaction.formats.read import read


def messages(*told: dict[str, Any]) -> tuple[Message, ...]:
    return read(json.dumps({"messages": told}), Format.OPENAI_CHAT).messages


def texts(block: Block) -> list[str]:
    return [leaf.text for leaf in block.leaves]


def test_each_role_is_what_it_says_and_a_strange_one_is_carried_through() -> None:
    wire = ["system", "developer", "user", "assistant", "tool", "function", "critic"]
    read_ = messages(*({"role": role, "content": "x"} for role in wire))

    assert [m.wire_role for m in read_] == wire
    assert [m.role for m in read_] == [
        Role.SYSTEM, Role.DEVELOPER, Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL, Role.OTHER,
    ]  # fmt: skip


def test_every_part_is_known_for_what_it_is() -> None:
    parts = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "file", "file": {"file_id": "f"}},
        {"type": "hologram", "text": "?"},
        "bare",
    ]
    (message,) = messages({"role": "user", "content": parts})

    assert [b.part for b in message.blocks] == [
        Part.TEXT, Part.IMAGE, Part.AUDIO, Part.FILE, Part.OTHER, Part.TEXT,
    ]  # fmt: skip
    assert [texts(b) for b in message.blocks] == [["look"], [], [], [], [], ["bare"]]
    assert [b.path for b in message.blocks] == [f"/messages/0/content/{i}" for i in range(6)]


def test_what_the_agent_says_comes_before_what_it_calls() -> None:
    (message,) = messages(
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"path": '}},
                {"id": "c2", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}},
            ],
            "content": "I look.",
            "reasoning_content": "hm",
            "refusal": "No.",
            "audio": {"id": "a"},
        }
    )

    assert [(b.part, b.type, b.call_id, b.name, texts(b)) for b in message.blocks] == [
        (Part.THINKING, "reasoning_content", "", "", ["hm"]),
        (Part.TEXT, "text", "", "", ["I look."]),
        (Part.TEXT, "refusal", "", "", ["No."]),
        (Part.AUDIO, "audio", "", "", []),
        (Part.CALL, "function", "c1", "ls", ['{"path": ']),
        (Part.CALL, "custom", "c2", "patch", ["*** Begin"]),
    ]


@pytest.mark.parametrize("content, found", [({"content": None}, []), ({}, []), ({"content": ""}, [""]), ({"content": []}, [])])  # fmt: skip
def test_a_result_without_text_is_still_a_result(content: dict[str, Any], found: list[str]) -> None:
    (message,) = messages({"role": "tool", "tool_call_id": "c1", **content})

    assert [(b.part, b.call_id, texts(b)) for b in message.blocks] == [(Part.RESULT, "c1", found)]


def test_a_result_of_several_parts_is_one_block_that_says_what_else_it_holds() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "b"},
    ]
    (message,) = messages({"role": "tool", "tool_call_id": "c1", "content": parts})

    assert [(b.path, texts(b), b.media) for b in message.blocks] == [
        ("/messages/0/content", ["a", "b"], (Part.IMAGE,))
    ]


def test_a_result_is_named_after_the_newest_call_before_it() -> None:
    def call(name: str) -> dict[str, Any]:
        made = {"id": "c1", "type": "function", "function": {"name": name, "arguments": "{}"}}
        return {"role": "assistant", "tool_calls": [made]}

    answer = {"role": "tool", "tool_call_id": "c1", "content": "x"}
    found = messages(answer, call("ls"), answer, call("cat"), answer)

    assert [found[i].blocks[0].name for i in (0, 2, 4)] == ["", "ls", "cat"]


def test_the_one_function_of_old_is_a_call_and_its_answer_a_result() -> None:
    call, answer = messages(
        {"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{}"}},
        {"role": "function", "name": "ls", "content": "a.py"},
    )

    assert [(b.part, b.name, texts(b)) for b in call.blocks] == [(Part.CALL, "ls", ["{}"])]
    assert [(b.part, b.name, texts(b)) for b in answer.blocks] == [(Part.RESULT, "ls", ["a.py"])]


@pytest.mark.parametrize("mark", ["cache_control", "prompt_cache_breakpoint"])
def test_a_cache_mark_is_seen_on_a_message_a_part_and_inside_a_result(mark: str) -> None:
    part = {"type": "text", "text": "x", mark: {"ttl": "30m"}}
    on_message, on_part, inside, none = messages(
        {"role": "user", "content": "x", mark: {}},
        {"role": "user", "content": [part]},
        {"role": "tool", "content": [part]},
        {"role": "user", "content": [{"type": "text", "text": "x", mark: None}]},
    )

    assert [m.cache_mark for m in (on_message, on_part, inside, none)] == [True, False, False, False]
    assert [m.blocks[0].cache_mark for m in (on_message, on_part, inside, none)] == [False, True, True, False]


def test_tools_and_functions_of_old_are_tools() -> None:
    body = {
        "messages": [],
        "tools": [
            {"type": "function", "function": {"name": "ls", "description": "List."}},
            {"type": "custom", "custom": {"name": "patch", "description": "Edit."}},
        ],
        "functions": [{"name": "old", "description": "Once."}],
    }
    tools = read(json.dumps(body)).tools

    assert [(t.name, [leaf.text for leaf in t.leaves]) for t in tools] == [
        ("ls", ["List."]), ("patch", ["Edit."]), ("old", ["Once."]),
    ]  # fmt: skip
