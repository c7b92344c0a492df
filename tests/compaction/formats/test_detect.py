"""A body's format is told from what only that format can hold."""

import json
from typing import Any

import pytest
from messages import assistant, call, result, told, user

from elision.compaction.conversation import Format
from elision.compaction.errors import UnknownFormat
from elision.compaction.formats.detect import detect
from elision.compaction.raw_json import parse


def format_of(body: Any) -> Format:
    return detect(parse(json.dumps(body)))


STORY = [user("fix it"), call("c1", "bash", {"command": "ls"}), result("c1", "a.py"), assistant("Done.")]


@pytest.mark.parametrize("format", [format for format in Format if format is not Format.TEXT])
def test_a_story_with_a_tool_is_told_apart_in_every_format(format: Format) -> None:
    assert detect(parse(told(STORY, format))) is format


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "user", "content": "hi"}],
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
        [{"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image_url"}]}],
        [{"role": "user", "content": [{"type": "input_audio"}]}],
        [{"role": "assistant", "content": [{"type": "thinking"}]}, {"role": "tool", "content": "x"}],
        [{"role": "assistant", "content": None, "tool_calls": None}],
    ],
)
def test_messages_without_a_sign_of_another_format_are_chat(messages: Any) -> None:
    assert format_of({"messages": messages}) is format_of(messages) is Format.OPENAI_CHAT


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": "hi"}], "system": "Be brief."},
        {"messages": [{"role": "user", "content": "hi"}], "tools": [{"name": "ls", "input_schema": {}}]},
        {
            "messages": [
                {"role": "system", "content": "x"},
                {"role": "assistant", "content": [{"type": "tool_use"}]},
            ]
        },
        [{"role": "user", "content": [{"type": "image", "source": {}}]}],
        [{"role": "assistant", "content": [{"type": "code_execution_tool_result"}]}],
        {"messages": [{"type": "compaction", "content": "so far"}]},
    ],
)
def test_what_only_anthropic_has_is_anthropic(body: Any) -> None:
    assert format_of(body) is Format.ANTHROPIC


@pytest.mark.parametrize(
    "body",
    [
        {"input": "hi"},
        {"instructions": "Be brief."},
        [{"type": "message", "role": "user", "content": "hi"}],
        [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
        [{"type": "compaction", "encrypted_content": "x"}, {"role": "user", "content": "hi"}],
    ],
)
def test_what_only_responses_has_is_responses(body: Any) -> None:
    assert format_of(body) is Format.OPENAI_RESPONSES


@pytest.mark.parametrize("body", [{}, {"text": "x"}, [1], [{"a": 1}], "hi", 5, None, True])
def test_what_is_no_conversation_is_refused(body: Any) -> None:
    with pytest.raises(UnknownFormat):
        format_of(body)
