"""Whole conversations for the laws of cutting and repairing: valid ones, and the lists inside a body."""

import json
from typing import Any

from hypothesis import strategies as st
from messages import Json, assistant, calls, result, told, user

from elision.compaction.conversation import Conversation, Format
from elision.compaction.formats.read import read

FORMATS = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
LISTS = {
    Format.OPENAI_CHAT: "messages",
    Format.OPENAI_RESPONSES: "input",
    Format.ANTHROPIC: "messages",
    Format.GEMINI: "contents",
}
_WORDS = st.sampled_from(["fix it", "done", "a.py: 3 lines", "naïve 🚀", "[1, 2]", "{\"k\": \"v\"}"])


@st.composite
def stories(draw: st.DrawFn, whole: bool = False) -> list[Json]:
    """Some questions, each with steps of parallel calls and an answer.

    Args:
        whole: Whether the last question is always answered; else its last calls may be open.
    """
    story: list[Json] = []
    names = iter(range(10_000))
    for _ in range(draw(st.integers(1, 3))):
        story.append(user(draw(_WORDS)))
        for width in draw(st.lists(st.integers(1, 3), max_size=3)):
            made = [(f"c{next(names)}", draw(st.sampled_from(["bash", "read"])), {"k": "v"}) for _ in range(width)]
            story.append(calls(*made, text=draw(st.sampled_from([None, "Let me look."]))))
            story += [result(id, draw(_WORDS)) for id, _, _ in made]
        story.append(assistant(draw(_WORDS)))
    if not whole and draw(st.booleans()):
        story += [user("go on"), calls(("open", "bash", {}))]
    return story


def read_json(body: Any, format: Format) -> Conversation:
    return read(json.dumps(body), format)


def body_of(story: list[Json], format: Format, thoughts: bool = False) -> Json:
    """The body that tells a story, with a thought before every step of calls where the wire knows them."""
    body: Json = json.loads(told(story, format))
    if thoughts and format is Format.OPENAI_RESPONSES:
        body["input"] = _with_reasoning(body["input"])
    for message in body["messages"] if thoughts and format is Format.ANTHROPIC else []:
        if message["role"] == "assistant" and isinstance(message["content"], list):
            message["content"].insert(0, {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
    return body


def listed(body: Json, format: Format) -> list[Json]:
    """The list of messages in a body."""
    found: list[Json] = body[LISTS[format]]
    return found


def asked(text: str, format: Format) -> Json:
    """One message of the user."""
    return listed(json.loads(told([user(text)], format)), format)[0]


def _with_reasoning(items: list[Json]) -> list[Json]:
    found: list[Json] = []
    for item in items:
        if item.get("type") == "function_call" and (not found or found[-1].get("type") != "function_call"):
            found.append({"type": "reasoning", "id": f"rs_{len(found)}", "summary": [], "encrypted_content": "b3A="})
        found.append(item)
    return found
