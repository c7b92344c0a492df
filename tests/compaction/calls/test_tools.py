"""Kinds of tools."""

import pytest

from elision.compaction.calls.tools import argument_keys, is_a, tool_name

KINDS = ("read", "changed", "deleted", "moved", "editors", "shells", "looks", "fetches", "searches", "todos")
NAMES = [
    "Read",
    "str_replace_editor",
    "mcp__files__read_text_file",
    "functions.exec_command/",
    "get_weather",
    "",
]


@pytest.mark.parametrize(("name", "kind"), [*zip(NAMES, ["read", "editors", "read", "shells"], strict=False)])
def test_a_tool_is_known_by_its_name_however_it_is_spelled(name: str, kind: str) -> None:
    assert [one for one in KINDS if is_a(tool_name(name), one)] == [kind]


@pytest.mark.parametrize("name", NAMES[4:])
def test_a_tool_that_nobody_knows_is_of_no_kind(name: str) -> None:
    assert not is_a(tool_name(name), *KINDS)


def test_lists_of_keys_are_joined_in_the_order_asked_for() -> None:
    assert argument_keys("to", "from") == argument_keys("to") + argument_keys("from")
    assert "file_path" in argument_keys("paths")
