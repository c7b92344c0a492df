"""What holds for every body of every format, however its JSON is written."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import Json

from elision.compaction.conversation import Block, Conversation, Format, Leaf, Message, Tool
from elision.compaction.formats.read import read, read_node
from elision.compaction.raw_json import Node, find, parse, plain
from elision.model.types import Span

TOOL: Json = {
    "name": "grep",
    "description": "Search.",
    "parameters": {"properties": {"p": {"description": "A pattern."}}},
}
CHAT: Json = {
    "model": "m",
    "messages": [
        {"role": "developer", "content": [{"type": "text", "text": "Be brief.", "prompt_cache_breakpoint": {}}]},
        {"role": "user", "content": [{"type": "text", "text": "Look ☃"}, {"type": "image_url", "image_url": {"url": "u"}}]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "grep", "arguments": "{\"p\": "}},
            {"id": "c2", "type": "custom", "custom": {"name": "patch", "input": "*** \ud83d"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "a/b.py:1: café"},
        {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "done\n"}, {"type": "new_kind"}]},
        {"role": "narrator", "content": "later", "mood": 1.5},
    ],
    "tools": [{"type": "function", "function": TOOL}],
}  # fmt: skip
RESPONSES: Json = {
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": "Look ☃"},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "e"},
        {"type": "function_call", "call_id": "c1", "name": "grep", "arguments": "{\"p\": "},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "a/b.py:1: café"}]},
        {"type": "shell_call_output", "call_id": "c2", "output": [{"stdout": "x", "stderr": "\ud83d"}]},
        {"type": "new_kind", "text": "?"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    ],
    "tools": [{"type": "function", **TOOL}],
}  # fmt: skip
ANTHROPIC: Json = {
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": "Look ☃"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "tool_use", "id": "c1", "name": "grep", "input": {"p": "x", "description": "not a leaf"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": [
                {"type": "text", "text": "a/b.py:1: café"},
                {"type": "document", "source": {"type": "text", "data": "page"}}]},
            {"type": "tool_result", "tool_use_id": "c0", "content": "\ud83d"}]},
        {"role": "assistant", "content": [{"type": "new_kind", "text": "?"}]},
    ],
    "tools": [{"name": "grep", "description": "Search.", "input_schema": TOOL["parameters"]}],
}  # fmt: skip
GEMINI: Json = {
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [
        {"role": "user", "parts": [{"text": "Look ☃"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
        {"role": "model", "parts": [{"thought": True, "text": "hm"}, {"functionCall": {"name": "grep", "args": {"p": "x"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "grep", "response": {
            "output": "a/b.py:1: café", "more": [{"a/b": "\ud83d", "n": 1.0}, "x"]}}}]},
        {"role": "model", "parts": [{"newKind": {"text": "?"}}]},
    ],
    "tools": [{"functionDeclarations": [TOOL]}],
}  # fmt: skip
BODIES = {
    Format.OPENAI_CHAT: CHAT,
    Format.OPENAI_RESPONSES: RESPONSES,
    Format.ANTHROPIC: ANTHROPIC,
    Format.GEMINI: GEMINI,
}
FORMATS = st.sampled_from(list(BODIES))
SEEDS = st.integers(0, 10**6)  # drawing each character from hypothesis takes seconds


class Scribe:
    """Writes JSON as no one else does: odd spacing, key order, escapes, numbers, unknown and repeated keys."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def write(self, value: Any) -> str:
        if isinstance(value, dict):
            members = [
                self._string(key) + self._space() + ":" + self.write(item) for key, item in value.items()
            ]
            members += self.random.sample(['"x_new":{"a":[1.0,1e3,null]}', '"x_far":9007199254740993'], 1)
            self.random.shuffle(members)
            repeated = self.random.choice([[], [self._string(key) + ':"first"' for key in value][:1]])
            return self._wrapped("{", [*repeated, *members], "}")
        if isinstance(value, list):
            return self._wrapped("[", [self.write(item) for item in value], "]")
        return (
            self._space()
            + (self._string(value) if isinstance(value, str) else json.dumps(value))
            + self._space()
        )

    def _wrapped(self, opened: str, items: list[str], closed: str) -> str:
        return (
            self._space()
            + opened
            + self._space()
            + ("," + self._space()).join(items)
            + closed
            + self._space()
        )

    def _string(self, text: str) -> str:
        return '"' + "".join(map(self._character, text)) + '"'

    def _character(self, character: str) -> str:
        code = ord(character)
        if character == "/" and self.random.random() < 0.5:
            return "\\/"
        if code < 0x20 or 0xD800 <= code < 0xE000 or self.random.random() < 0.2:
            return f"\\u{code:04x}"
        return json.dumps(character, ensure_ascii=False)[1:-1]

    def _space(self) -> str:
        return self.random.choice(["", "", " ", "\n\t", "\r\n"])


def leaves(conversation: Conversation) -> list[Leaf]:
    owners: list[Block | Tool] = [*blocks(conversation), *conversation.tools]
    return [leaf for owner in owners for leaf in owner.leaves]


def blocks(conversation: Conversation) -> list[Block]:
    return [*conversation.system, *(block for message in conversation.messages for block in message.blocks)]


@given(FORMATS, SEEDS)
def test_a_body_in_which_nothing_changed_is_the_same_text(format: Format, seed: int) -> None:
    raw = Scribe(seed).write(BODIES[format])
    conversation = read(raw)

    assert conversation.format is format
    assert conversation.with_texts({}) == raw
    assert conversation.with_texts({leaf.path: leaf.text for leaf in leaves(conversation)}) == raw


@given(FORMATS, SEEDS, st.text(), st.integers(0, 100))
def test_changing_a_leaf_changes_that_string_and_nothing_else(
    format: Format, seed: int, text: str, which: int
) -> None:
    raw = Scribe(seed).write(BODIES[format])
    conversation = read(raw)
    leaf = leaves(conversation)[which % len(leaves(conversation))]
    changed = conversation.with_texts({leaf.path: text})

    assert plain(parse(changed)) == with_value(plain(parse(raw)), leaf.path, text)
    assert changed.startswith(raw[: leaf.span.start])
    assert changed.endswith(raw[leaf.span.stop :])


def with_value(document: Any, pointer: str, value: str) -> Any:
    *above, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    at = document
    for part in above:
        at = at[int(part)] if isinstance(at, list) else at[part]
    at[int(last) if isinstance(at, list) else last] = value
    return document


@given(FORMATS, SEEDS)
def test_everything_stands_where_it_says(format: Format, seed: int) -> None:
    raw = Scribe(seed).write({"batch": [{"body": BODIES[format]}]})
    document = parse(raw)
    conversation = read(raw, format, "/batch/0/body")
    owned = leaves(conversation)

    assert all(json.loads(leaf.span.of(raw)) == leaf.text for leaf in owned)
    assert len({leaf.path for leaf in owned}) == len(owned)
    said: list[Leaf | Block | Message | Tool] = [
        *owned,
        *blocks(conversation),
        *conversation.messages,
        *conversation.tools,
    ]
    assert all(found(document, one.path).span == one.span for one in said)
    for message in conversation.messages:
        assert within(message.span, conversation.list_span)
        assert all(within(block.span, message.span) for block in message.blocks)


def found(document: Node, pointer: str) -> Node:
    node = find(document, pointer)
    assert node is not None
    return node


def within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start < inner.stop <= outer.stop


@pytest.mark.parametrize("format", BODIES)
def test_how_a_body_is_written_does_not_change_what_is_read(format: Format) -> None:
    first, second = read(json.dumps(BODIES[format])), read(Scribe(1).write(BODIES[format]))

    assert facts(first) == facts(second)


def facts(conversation: Conversation) -> list[object]:
    """What is read but where it stands."""
    told = [
        (m.role, b.part, b.call_id, b.name, b.signed, b.media)
        for m in conversation.messages
        for b in m.blocks
    ]
    return [*told, *sorted((leaf.path, leaf.text) for leaf in leaves(conversation))]


@pytest.mark.parametrize("format", BODIES)
def test_a_bare_list_reads_as_the_messages_of_its_body(format: Format) -> None:
    key = {Format.OPENAI_RESPONSES: "input", Format.GEMINI: "contents"}.get(format, "messages")
    bare = read(json.dumps(BODIES[format][key]))

    assert bare.format is format
    assert len(bare.messages) == len(BODIES[format][key])
    assert bare.list_span.stop == len(bare.raw)


def test_the_paths_of_a_part_of_a_document_begin_with_its_own() -> None:
    raw = json.dumps({"params": CHAT})
    conversation = read_node(raw, parse(raw)["params"], path="/params")

    assert conversation.messages[3].blocks[0].path == "/params/messages/3/content"
    assert json.loads(conversation.with_texts({"/params/messages/3/content": "-"}))["params"]["messages"][
        3
    ] == {
        **CHAT["messages"][3],
        "content": "-",
    }


@pytest.mark.parametrize("format", BODIES)
def test_depth_is_no_limit(format: Format) -> None:
    deep = '{"properties":{"a":' * 3000 + '"x"' + "}}" * 3000
    raw = (
        json.dumps(BODIES[format])
        .replace('{"p": "x"', '{"p": ' + deep)
        .replace('{"p": {', '{"q": ' + deep + ', "p": {')
    )

    assert read(raw).with_texts({}) == raw
