"""Pictures and files of old turns become a line that says so."""

import json
from typing import Any

import pytest
from conversations import FORMATS, listed
from histories import history, picture
from messages import assistant, call, result, user

from elision.compaction.compact.edits import reduced
from elision.compaction.conversation import Format
from elision.compaction.counting import PER_MEDIUM
from elision.compaction.cuts import validate
from elision.compaction.formats.read import read
from elision.compaction.policies.reductions import StripMedia
from elision.compaction.reduce.media import strip_media
from elision.compaction.tokens import counter

COUNTER = counter()
STORY = [
    user("look"),
    call("c", "screenshot", {}),
    result("c", "taken"),
    assistant("I see."),
    user("more"),
    assistant("ok"),
]
LINE = "[…image, 1 of 1]"


def stripped(body: Any, format: Format, protect_turns: int = 1) -> Any:
    conversation = read(json.dumps(body), format)
    changed = reduced(
        conversation, strip_media(conversation, StripMedia(protect_turns=protect_turns), counter=COUNTER)
    )
    assert validate(changed) == validate(conversation)
    return listed(json.loads(changed.raw), format)


@pytest.mark.parametrize("format", FORMATS)
def test_a_picture_of_an_old_turn_becomes_a_block_of_text_and_those_of_the_latest_stay(
    format: Format,
) -> None:
    conversation = history(STORY, format, media=True)
    before = listed(json.loads(conversation.raw), format)
    after = stripped(json.loads(conversation.raw), format)

    text = {Format.OPENAI_RESPONSES: {"type": "input_text", "text": LINE}, Format.GEMINI: {"text": LINE}}
    assert text.get(format, {"type": "text", "text": LINE}) in (
        after[0].get("content") or after[0].get("parts")
    )
    assert picture(format) not in (after[0].get("content") or after[0].get("parts"))
    assert after[-2:] == before[-2:]


def test_pictures_in_results_go_where_the_wire_has_them() -> None:
    anthropic = stripped(json.loads(history(STORY, Format.ANTHROPIC, True).raw), Format.ANTHROPIC)
    responses = stripped(
        json.loads(history(STORY, Format.OPENAI_RESPONSES, True).raw), Format.OPENAI_RESPONSES
    )
    gemini = stripped(json.loads(history(STORY, Format.GEMINI, True).raw), Format.GEMINI)

    assert anthropic[2]["content"][0]["content"][1] == {"type": "text", "text": LINE}
    assert responses[2]["output"][1] == {"type": "input_text", "text": LINE}
    response = gemini[2]["parts"][0]["functionResponse"]
    assert (response["parts"], response["response"]) == ([], {"output": "taken", "media": LINE})


def test_several_media_of_a_message_are_counted_and_named() -> None:
    pdf = {"type": "document", "title": "a [1].pdf", "source": {"type": "url", "url": "https://e.com/a.pdf"}}
    marked = picture(Format.ANTHROPIC) | {"cache_control": {"type": "ephemeral"}}
    body = {"messages": [{"role": "user", "content": [pdf, marked]}, {"role": "assistant", "content": "ok"}]}
    conversation = read(json.dumps(body), Format.ANTHROPIC)
    changes = strip_media(conversation, StripMedia(protect_turns=0), counter=COUNTER)

    assert listed(json.loads(reduced(conversation, changes).raw), Format.ANTHROPIC)[0]["content"] == [
        {"type": "text", "text": "[…document a (1).pdf, 1 of 2]"},
        {"type": "text", "text": "[…image, 2 of 2]", "cache_control": {"type": "ephemeral"}},
    ]
    assert [one.again for one in changes] == ["fetch https://e.com/a.pdf", ""]
    assert changes[1].tokens_saved == PER_MEDIUM - COUNTER.count("[…image, 2 of 2]")
    assert [one.path for one in changes] == ["/messages/0/content/0", "/messages/0/content/1"]


@pytest.mark.parametrize(
    "block",
    [
        {
            "type": "document",
            "citations": {"enabled": True},
            "source": {"type": "text", "media_type": "text/plain", "data": "x"},
        },
        {"type": "search_result", "source": "x", "title": "y", "content": [{"type": "text", "text": "z"}]},
        {"type": "container_upload", "file_id": "f"},
    ],
)
def test_what_is_cited_later_or_opened_by_programs_stays(block: Any) -> None:
    body = {"messages": [{"role": "user", "content": [block]}, {"role": "assistant", "content": "ok"}]}

    assert stripped(body, Format.ANTHROPIC, 0) == body["messages"]


def test_a_signed_part_and_a_picture_not_seen_yet_stay() -> None:
    signed = picture(Format.GEMINI) | {"thoughtSignature": "c2ln"}
    contents = [{"role": "model", "parts": [signed]}, {"role": "user", "parts": [picture(Format.GEMINI)]}]

    assert stripped({"contents": contents}, Format.GEMINI, 0) == contents
