"""What a request costs its reader."""

import json

import pytest
from messages import Json, assistant, call, calls, result, told, user
from remembering import COUNTER

from elision.compaction.conversation import Format
from elision.compaction.counting import PER_ITEM, PER_MEDIUM, count
from elision.compaction.formats.read import read

WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]


STORIES = [
    [user("go"), call("c1", "bash", {"command": "ls -la /srv", "n": [1, "ä"]}), result("c1", "a.py b.py"), user("and?")],
    [user("go"), calls(("c1", "a", {}), ("c2", "b", {"x": 1})), result("c1", "one"), result("c2", "two"), assistant("Both.")],
    [user("go"), call("c1", "a", {"path": "x y"}, "I look."), result("c1", "one"), assistant("Done.")],
]


@pytest.mark.parametrize("story", STORIES)
def test_the_same_story_costs_the_same_on_every_wire(story: list[Json]) -> None:
    assert len({count(read(told(story, wire)), COUNTER).total for wire in WIRES}) == 1


def test_a_message_costs_its_text_and_a_little() -> None:
    assert count(read(told([user("hello there")], Format.OPENAI_CHAT)), COUNTER).messages == (2 + PER_ITEM,)


@pytest.mark.parametrize("wire", WIRES)
def test_calls_and_results_cost_about_the_same_in_every_wire(wire: Format) -> None:
    story = [user("go"), call("c1", "bash", {"command": "ls -la /srv"}), result("c1", "a.py b.py c.py")]

    assert 25 <= count(read(told(story, wire)), COUNTER).total <= 32


def test_a_picture_costs_a_flat_price_wherever_it_stands() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 40_000}}
    inside = {"type": "tool_result", "tool_use_id": "t", "content": [picture]}
    body = {"system": "s", "messages": [{"role": "user", "content": [picture, inside]}]}
    size = count(read(json.dumps(body)), COUNTER)

    assert size.total == 1 + 3 * PER_ITEM + 2 * PER_MEDIUM and not size.exact


def test_tools_are_counted_apart() -> None:
    tools = [{"type": "function", "function": {"name": "bash", "description": "runs a command " * 50}}]
    with_tools = count(read(told([user("x")], Format.OPENAI_CHAT, tools=tools)), COUNTER)

    assert with_tools.tools > 100 and with_tools.total == count(read(told([user("x")], Format.OPENAI_CHAT)), COUNTER).total


def test_special_tokens_are_text() -> None:
    assert count(read(told([user("<|endoftext|><|im_start|>")], Format.OPENAI_CHAT)), COUNTER).total > 8
