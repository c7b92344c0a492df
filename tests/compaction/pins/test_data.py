"""Files, errors, todos, identifiers: what calls and outputs give."""

import json
from typing import Any

import pytest
from messages import assistant, call, result, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect
from elision.compaction.pins.types import HistoryPin, PinKind

Story = list[dict[str, Any]]


def pins_of(kind: PinKind, story: Story, format: Format = Format.OPENAI_CHAT) -> list[HistoryPin]:
    return [pin for pin in collect(read(told(story, format), format)) if pin.kind is kind]


def ran(*steps: tuple[str, dict[str, Any], str]) -> Story:
    """A story of calls: tool, arguments, output."""
    story: Story = [user("Fix it")]
    for number, (tool, arguments, output) in enumerate(steps):
        story += [call(f"c{number}", tool, arguments), result(f"c{number}", output)]
    return story


def files(*steps: tuple[str, dict[str, Any], str]) -> list[tuple[str, str]]:
    return [(pin.text, pin.state) for pin in pins_of(PinKind.FILE, ran(*steps))]


@pytest.mark.parametrize(
    "format", [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
)
def test_a_file_has_its_last_state_in_every_format(format: Format) -> None:
    story = ran(
        ("Read", {"file_path": "a.py"}, "x"),
        ("Edit", {"file_path": "a.py"}, "ok"),
        ("Read", {"file_path": "b.py"}, "y"),
    )
    found = [(pin.text, pin.state) for pin in pins_of(PinKind.FILE, story, format)]

    assert found == [("a.py", "changed"), ("b.py", "read")]


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("mcp__fs__read_file", {"path": "./a.py"}, [("./a.py", "read")]),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a.py"}, [("a.py", "read")]),
        ("str_replace_based_edit_tool", {"command": "create", "path": "a.py"}, [("a.py", "changed")]),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, [("n.ipynb", "changed")]),
        ("move_file", {"source": "a", "destination": "b"}, [("a", "deleted"), ("b", "changed")]),
        ("read_many_files", {"paths": ["a.py", "b.py"]}, [("a.py", "read"), ("b.py", "read")]),
        ("shell", {"command": ["bash", "-lc", "cat a.py"]}, [("a.py", "read")]),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n*** Delete File: b.py\n*** End Patch"},
         [("a.py", "changed"), ("b.py", "deleted")]),
        ("bash", {"command": "git apply <<'E'\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\nE"}, [("x.py", "changed")]),
        ("Grep", {"pattern": "x", "path": "src"}, []),
        ("list_dir", {"path": "src"}, []),
        ("Read", {"file_path": 3}, []),
    ],
)  # fmt: skip
def test_what_tools_do_to_files(
    tool: str, arguments: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert files((tool, arguments, "ok")) == expected


def test_a_failed_call_touched_nothing() -> None:
    assert files(("Edit", {"file_path": "a.py"}, "Error: not found")) == []


def errors(*steps: tuple[str, dict[str, Any], str]) -> list[str]:
    return [pin.text for pin in pins_of(PinKind.ERROR, ran(*steps))]


FAILS = "collected 3 items\nE   ValueError: no such port\nE   ValueError: bad port 2\n1 failed in 0.1s"


def test_what_went_wrong_is_open_until_the_command_succeeds() -> None:
    failing = ("bash", {"command": "pytest tests/a.py -q"}, FAILS)

    assert errors(failing) == ["E   ValueError: no such port"]
    assert errors(failing, ("bash", {"command": "pytest tests/a.py"}, "1 passed in 0.1s")) == []
    assert errors(failing, ("bash", {"command": "pytest"}, "9 passed in 1s")) == []
    assert errors(failing, ("bash", {"command": "pytest tests/b.py"}, "1 passed in 0.1s")) == errors(failing)
    assert errors(failing, ("bash", {"command": "ls"}, "a.py")) == errors(failing)


def test_a_failing_test_is_open_until_it_passes() -> None:
    report = "ok 1\nFAILED tests/test_tax.py::test_vat - assert 21 == 22\n1 failed, 1 passed"
    failing = ("run", {"cmd": "pytest"}, report)

    assert errors(failing) == ["FAILED tests/test_tax.py::test_vat - assert 21 == 22"]
    assert errors(failing, failing) == errors(failing)
    assert errors(failing, ("run", {"cmd": "pytest"}, "2 passed")) == []


def test_what_reading_shows_is_no_error_of_the_session() -> None:
    assert (
        errors(
            ("bash", {"command": "cat old.log"}, "ERROR: it broke"), ("Read", {"file_path": "a"}, "fatal: x")
        )
        == []
    )


def test_an_edit_that_failed_is_resolved_by_the_next_one() -> None:
    failed = ("Edit", {"file_path": "a.py", "old": "x"}, "Error: string to replace not found")

    assert errors(failed) == ["Error: string to replace not found"]
    assert errors(failed, ("Write", {"file_path": "a.py"}, "ok")) == []


def todo_texts(story: Story) -> list[tuple[str, str]]:
    return [(pin.text, pin.state) for pin in pins_of(PinKind.TODO, story)]


def test_the_newest_list_of_todos_wins() -> None:
    first = ("TodoWrite", {"todos": [{"content": "a", "status": "pending"}]}, "ok")
    second = (
        "update_plan",
        {"plan": [{"step": "b", "status": "completed"}, {"step": "c", "status": "in_progress"}]},
        "ok",
    )

    assert todo_texts(ran(first, second)) == [("b", "completed"), ("c", "in_progress")]
    assert todo_texts([*ran(first), assistant("Plan:\n- [x] one\n- [ ] two")]) == [
        ("one", "completed"),
        ("two", "pending"),
    ]


def test_an_amended_list_keeps_its_other_entries() -> None:
    first = (
        "todo_write",
        {"todos": [{"content": "a", "status": "pending"}, {"content": "b", "status": "pending"}]},
        "ok",
    )
    more = ("todo_write", {"merge": True, "todos": [{"content": "a", "status": "completed"}]}, "ok")

    assert todo_texts(ran(first, more)) == [("b", "pending"), ("a", "completed")]


@pytest.mark.parametrize(
    "arguments", [{}, {"todos": "no list"}, {"todos": [1, None, {"status": "x"}]}, {"todos": "[1"}]
)
def test_a_malformed_list_has_no_entries(arguments: dict[str, Any]) -> None:
    assert todo_texts(ran(("TodoWrite", arguments, "- [ ] not mine"))) == []


def test_identifiers_of_the_user_or_used_again() -> None:
    story = [
        user("Look at https://ex.org/a?b=1, ticket ABC-123 on 10.0.0.5:8080; it costs $1,200."),
        *ran(("bash", {"command": "git show 9fceb02d0"}, "9fceb02d0 and 1a2b3c4d5"))[1:],
    ]
    found = {pin.text for pin in pins_of(PinKind.IDENTIFIER, story)}

    assert found == {"https://ex.org/a?b=1", "ABC-123", "10.0.0.5:8080", "$1,200", "9fceb02d0"}


@pytest.mark.parametrize("name", ["UTF-8", "SHA-256", "GPT-4", "#1", "$1", "$5."])
def test_names_of_standards_numbers_of_a_list_and_arguments_are_no_identifiers(name: str) -> None:
    assert pins_of(PinKind.IDENTIFIER, [user(f"Look at {name} again, then at {name}")]) == []


@pytest.mark.parametrize("colour", ["#990099", "#303030", "283228", "2E3440", "#333"])
def test_a_colour_among_colours_is_no_identifier(colour: str) -> None:
    assert pins_of(PinKind.IDENTIFIER, [user(f"Make the border {colour} and the text #8abeb7.")]) == []


def test_a_number_with_a_hash_is_an_identifier_where_no_colour_is_spoken_of() -> None:
    found = {pin.text for pin in pins_of(PinKind.IDENTIFIER, [user("Fix #990099 and #12 for $15.")])}

    assert found == {"#990099", "#12", "$15"}


def test_secrets_are_no_identifiers() -> None:
    secret = "sk-ant-REDACTED"

    assert all(
        pin.text not in secret
        for pin in pins_of(PinKind.IDENTIFIER, [user(f"key {secret} and API_KEY=8f3a9c2b7d1e4f60")])
    )


def test_choices_are_pinned_and_ranked() -> None:
    story = [
        user("We decided to keep SQLite."),
        assistant(
            "I'll go with tabs. The queue was rejected because it is slow. Should we have chosen Kafka?"
        ),
    ]
    pins = collect(read(told(story, Format.OPENAI_CHAT)))

    assert [pin.text for pin in pins if pin.kind is PinKind.DECISION] == [
        "We decided to keep SQLite.",
        "I'll go with tabs.",
    ]
    assert [pin.text for pin in pins if pin.kind is PinKind.REJECTED] == [
        "The queue was rejected because it is slow."
    ]


def test_of_too_many_choices_the_most_valued_stay() -> None:
    texts = [f"We decided to use library{number}." for number in range(50)]
    conversation = read(told([user("go"), assistant("\n".join(texts))], Format.OPENAI_CHAT))
    valued = collect(conversation, values=lambda ones: [float(text.endswith("library3.")) for text in ones])

    assert texts[3] in [pin.text for pin in valued]
    assert texts[3] not in [pin.text for pin in collect(conversation)]


def test_arguments_that_are_no_json_break_nothing() -> None:
    body = {"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "Read", "arguments": "{\"file_path\": "}}]}]}  # fmt: skip

    assert [pin.kind for pin in collect(read(json.dumps(body)))] == [PinKind.GOAL, PinKind.OPEN_CALL]
