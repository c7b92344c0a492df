"""What went and cannot be told is counted."""

import json
from typing import Any

import pytest

from elision.compaction.compact.gone_media import gone_media
from elision.compaction.conversation import Format
from elision.compaction.formats.read import read

PICTURE = "iVBORw0KGgo="
CHAT = [
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}},
    {"type": "file", "file": {"filename": "a.pdf", "file_data": PICTURE}},
]
SHOWN = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
WIRES: list[tuple[Format, dict[str, Any], str]] = [
    (Format.OPENAI_CHAT, {"messages": [{"role": "user", "content": CHAT}]}, "[…1 image, 1 file]"),
    (
        Format.OPENAI_RESPONSES,
        {
            "input": [
                {"role": "user", "content": [{"type": "input_image", "image_url": "https://a.b/c.png"}] * 2}
            ]
        },
        "[…2 images]",
    ),
    (
        Format.ANTHROPIC,
        {
            "messages": [
                {"role": "user", "content": [SHOWN]},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}],
                },
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t", "content": [SHOWN]}],
                },
            ]
        },
        "[…2 images]",
    ),
    (
        Format.GEMINI,
        {
            "contents": [
                {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": PICTURE}}]}
            ]
        },
        "[…1 image]",
    ),
]


@pytest.mark.parametrize(
    ("wire", "body", "line"), WIRES, ids=lambda one: one if isinstance(one, Format) else ""
)
def test_pictures_and_files_are_counted_on_every_wire(wire: Format, body: dict[str, Any], line: str) -> None:
    conversation = read(json.dumps(body), wire)

    assert gone_media(conversation, range(len(conversation.messages))) == line


def test_only_the_messages_that_went_are_counted() -> None:
    told = {"role": "user", "content": "hi"}
    conversation = read(
        json.dumps({"messages": [told, {"role": "user", "content": CHAT}]}), Format.OPENAI_CHAT
    )

    assert gone_media(conversation, [0]) == ""
