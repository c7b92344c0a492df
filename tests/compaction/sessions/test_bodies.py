"""Bodies taken apart and put together."""

import json

import pytest
from conversations import FORMATS, LISTS, stories
from hypothesis import given
from hypothesis import strategies as st
from messages import Json, told, user

from elision.compaction.conversation import Format
from elision.compaction.errors import BadConversation, NotJson
from elision.compaction.sessions.bodies import joined, split
from elision.compaction.sessions.types import Configured

SPELLINGS: list[Json] = [{}, {"indent": 2}, {"separators": (",", ":")}, {"indent": 1, "ensure_ascii": True}]


@pytest.mark.law
@given(
    story=stories(), format=st.sampled_from(FORMATS), spelling=st.sampled_from(SPELLINGS), bare=st.booleans()
)
def test_a_body_taken_apart_comes_back_byte_for_byte(
    story: list[Json], format: Format, spelling: Json, bare: bool
) -> None:
    body = json.loads(told(story, format, model="m", tools=[]))
    raw = json.dumps(body[LISTS[format]] if bare else body, **spelling)

    configured, entries = split(raw, format)

    assert joined(configured, [entry.raw for entry in entries]) == raw
    assert [json.loads(entry.raw) for entry in entries] == body[LISTS[format]]
    shorter = joined(configured, [entry.raw for entry in entries[1:]])
    assert json.loads(shorter) == (
        body | {LISTS[format]: body[LISTS[format]][1:]} if not bare else body[LISTS[format]][1:]
    )


def test_ids_of_the_wire_are_the_messages_ids() -> None:
    raw = json.dumps({"input": [{"type": "message", "id": "msg_1", "role": "user", "content": "x"}]})

    assert [entry.id for entry in split(raw)[1]] == ["msg_1"]


def test_one_message_joined_by_more_is_spelled_as_it_was() -> None:
    configured, entries = split('{"messages": [\n  {"role": "user"}\n]}', Format.OPENAI_CHAT)

    assert joined(configured, [entries[0].raw, "{}"]) == '{"messages": [\n  {"role": "user"},\n  {}\n]}'


def test_input_that_is_a_string_becomes_a_message() -> None:
    configured, entries = split('{"input": "na\\u00efve", "model": "m"}')

    assert configured.head == '{"input": [], "model": "m"}'
    assert entries[0].raw == '{"role": "user", "content": "na\\u00efve"}'


@pytest.mark.parametrize(
    ("raw", "head"),
    [
        ('{"instructions": "x"}', '{"instructions": "x", "input": []}'),
        ('{"input": null, "model": "m" }', '{"input": null, "model": "m" , "input": []}'),
    ],
)
def test_a_body_without_input_gets_room_for_it(raw: str, head: str) -> None:
    configured, entries = split(raw, Format.OPENAI_RESPONSES)

    assert (configured.head, entries) == (head, ())
    assert json.loads(joined(configured, ["{}"]))["input"] == [{}]


def test_no_messages_at_all() -> None:
    configured, entries = split('{"messages": []}', Format.ANTHROPIC)

    assert entries == ()
    assert joined(configured, ["{}", "{}"]) == '{"messages": [{}, {}]}'
    assert joined(None, ["{}"]) == "[{}]"


def test_what_is_no_body_is_said() -> None:
    with pytest.raises(NotJson):
        split("{")
    with pytest.raises(BadConversation, match="a text has no messages"):
        split("x", Format.TEXT)
    with pytest.raises(BadConversation, match="messages"):
        joined(Configured(Format.OPENAI_CHAT, "{}"), [])


def test_a_large_body_is_split_and_joined() -> None:
    raw = told([user("x" * 1000) for _ in range(1000)], Format.OPENAI_CHAT)
    configured, entries = split(raw)

    assert joined(configured, [entry.raw for entry in entries]) == raw
