"""A view has no more cache marks than its provider takes."""

import json
from typing import Any

import pytest
from messages import assistant

from elision.compaction.conversation import Format
from elision.compaction.cuts import validate
from elision.compaction.formats.read import read
from elision.compaction.sessions.cache_marks import within_marks

MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
TTLS = {"5": MARK, "1": HOUR, "m": {"type": "ephemeral", "ttl": "5m"}}


def body(marked: int, **members: Any) -> str:
    messages: list[Any] = []
    for turn in range(marked):
        content = [{"type": "text", "text": f"cache_control {turn}", "cache_control": MARK}]
        messages += [{"role": "user", "content": content}, assistant("ok")]
    return json.dumps({"messages": messages, **members})


def marks(raw: str) -> list[bool]:
    return [bool(one["content"][0]["cache_control"]) for one in json.loads(raw)["messages"][::2]]


def test_the_newest_marks_stay() -> None:
    system = [{"type": "text", "text": "s", "cache_control": MARK}]
    found = within_marks(body(6, system=system), Format.ANTHROPIC)

    assert marks(found) == [False, False, False, True, True, True]
    assert not validate(read(found, Format.ANTHROPIC))


def test_as_many_as_are_taken_change_nothing() -> None:
    assert within_marks(body(4), Format.ANTHROPIC) == body(4)
    assert within_marks(body(9), Format.OPENAI_CHAT) == body(9)


def lives(value: Any) -> str:
    """How long each mark lives, 5 minutes or 1 hour; a dash where one was taken away."""
    return "".join("-" if mark is None else mark.get("ttl", "5")[0] for mark in value)


@pytest.mark.parametrize(
    ("system", "messages", "whole", "found"),
    [
        ("", "551", "", "--1"),
        ("", "5m1", "", "--1"),
        ("", "5515", "", "--15"),
        ("", "1155", "", "1155"),
        ("", "115511", "", "11--11"),
        ("", "11555", "", "-1555"),
        ("1", "511", "", "-11"),
        ("1", "155555", "", "---555"),
        ("5", "1155", "", "--55"),
        ("", "555", "1", "---"),
        ("", "15555", "5", "--555"),
    ],
)
def test_what_lives_an_hour_stands_before_what_lives_five_minutes(
    system: str, messages: str, whole: str, found: str
) -> None:
    content = [[{"type": "text", "text": "t", "cache_control": TTLS[ttl]}] for ttl in messages]
    request: dict[str, Any] = {"messages": [{"role": "user", "content": one} for one in content]}
    request["system"] = [{"type": "text", "text": "s", "cache_control": TTLS[ttl]} for ttl in system]
    request |= {"cache_control": TTLS[whole]} if whole else {}
    sent = json.loads(within_marks(json.dumps(request), Format.ANTHROPIC))

    assert lives(message["content"][0]["cache_control"] for message in sent["messages"]) == found
    assert {key: sent[key] for key in sent if key != "messages"} == {
        key: request[key] for key in request if key != "messages"
    }
