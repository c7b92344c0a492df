"""A conversation writes nothing but the leaves that changed."""

import json

from messages import call, result, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read

STORY = [user("fix it"), call("c1", "bash", {"command": "ls"}), result("c1", "a.py")]


def test_places_come_in_order_with_what_they_stand_in() -> None:
    conversation = read(told(STORY, Format.OPENAI_CHAT))

    assert [(place.index, place.message.role, place.block.name, place.leaf.text) for place in conversation.places()] == [
        (0, "user", "", "fix it"), (1, "assistant", "bash", '{"command": "ls"}'), (2, "tool", "bash", "a.py"),
    ]  # fmt: skip


def test_a_leaf_that_did_not_change_keeps_its_spelling() -> None:
    raw = (
        r'{ "messages" : [ {"content":"caf\u00e9 \/ ok","role":"user"} ], "temperature": 1.0, "top_k": 1e3 }'
    )
    conversation = read(raw)

    assert conversation.with_texts({"/messages/0/content": "café / ok"}) == raw


def test_a_new_text_is_spelled_in_the_alphabet_of_the_old() -> None:
    escaped = read(r'[{"role":"user","content":"caf\u00e9 two"}]')
    written = read('[{"role":"user","content":"café two"}]')

    assert escaped.with_texts({"/0/content": "café"}) == r'[{"role":"user","content":"caf\u00e9"}]'
    assert written.with_texts({"/0/content": "café"}) == '[{"role":"user","content":"café"}]'


def test_system_texts_and_tools_can_be_changed_too() -> None:
    tools = [{"name": "ls", "description": "Lists.", "input_schema": {}}]
    conversation = read(told(STORY, Format.ANTHROPIC, system="Be brief.", tools=tools))
    changed = json.loads(conversation.with_texts({"/system": "Brief.", "/tools/0/description": "List."}))

    assert (changed["system"], changed["tools"][0]["description"]) == ("Brief.", "List.")


def test_a_path_that_is_no_leaf_changes_nothing() -> None:
    conversation = read(told(STORY, Format.OPENAI_CHAT))

    assert conversation.with_texts({"/model": "x", "/messages/9/content": "x"}) == conversation.raw
