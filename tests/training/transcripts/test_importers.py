"""Each format's fixture holds the oddities of its kind; what comes of it is told message by message."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from elision.compaction.conversation import Format, Part
from elision.compaction.formats.read import read
from elision.training.audits.convert import convert
from elision.training.errors import BadTranscript
from elision.training.transcripts.importing import FORMATS, Imported, import_transcripts, write_imported
from elision.training.transcripts.reports import FileReport
from elision.training.transcripts.types import Transcript

FIXTURES = Path(__file__).parent / "fixtures"
WIRES = [format for format in Format if format is not Format.TEXT]


def imported(*names: str, **options: Any) -> Imported:
    return import_transcripts([str(FIXTURES / name) for name in names], scrub=False, **options)


def sessions(*names: str) -> dict[str, Transcript]:
    return {one.id.partition(":")[2]: one for one in imported(*names).transcripts}


def told(transcript: Transcript) -> list[tuple[Any, ...]]:
    """Role, content, and the calls by name and arguments."""
    return [
        (m["role"], m["content"], *((c["function"]["name"], json.loads(c["function"]["arguments"])) for c in m.get("tool_calls", ())))
        for m in transcript.messages
    ]


def skipped(*names: str) -> dict[str, tuple[int, int]]:
    return {one.what: (one.count, one.line) for file in imported(*names).report.files for one in file.skipped}


ALL = imported("").transcripts


@pytest.mark.parametrize("format", WIRES)
@pytest.mark.parametrize("transcript", ALL, ids=lambda one: one.id)
def test_every_imported_session_is_a_valid_request_of_every_provider(transcript: Transcript, format: Format) -> None:
    request = convert(transcript.messages, format, tools=transcript.tools, seed=transcript.id)
    conversation = read(request.body(), format)
    blocks = [block for message in conversation.messages for block in message.blocks]
    calls = [block.call_id for block in blocks if block.part is Part.CALL]

    assert not request.repairs.keys() & {"result without call", "call without result", "empty message"}
    assert calls == [block.call_id for block in blocks if block.part is Part.RESULT]
    assert len(set(calls)) == len(calls)


def test_every_format_has_a_fixture_and_is_told_from_what_is_in_it() -> None:
    assert {file.format for file in imported("").report.files} == set(FORMATS)


def test_the_lines_of_a_claude_code_answer_are_one_message_and_its_results_stand_behind_it() -> None:
    main = sessions("claude")["5d1e"]

    assert told(main) == [
        ("user", "Why does checkout fail?"),
        (
            "assistant",
            "I look at both.",
            ("Bash", {"command": "pytest -q"}),
            ("Read", {"file_path": "/Users/nina/src/shop/cart.py"}),
        ),
        ("tool", "1 failed: test_total"),
        ("tool", "def total(): ...\n[image]"),
        ("assistant", "total() is empty.", ("Task", {"prompt": "look around"})),
        ("tool", "Nothing here."),
        ("user", "[Request interrupted by user]"),
    ]
    assert (main.task, main.source, main.kind) == ("shop", "claude-code", "coding-agent")


def test_a_claude_code_subagent_and_what_follows_a_compaction_are_sessions_of_their_own() -> None:
    found = sessions("claude")

    assert set(found) == {"5d1e", "5d1e/ag1", "5d1e#2"}
    assert told(found["5d1e/ag1"]) == [("user", "look around"), ("assistant", "Nothing here.")]
    assert told(found["5d1e#2"])[0] == ("user", "Summary: checkout fails as total() is empty.")


def test_what_is_passed_over_in_claude_code_is_counted_with_its_first_line() -> None:
    found = skipped("claude")

    assert found["broken line"] == (1, 23)
    assert found["line of a branch given up"] == (1, 6)
    assert found["meta line"] == (1, 3) and found["API error message"] == (1, 13)
    assert found["thinking"][0] == 1 and found["tools-used"] == (1, 22)


def line(key: str, parent: str | None, role: str, content: Any, **more: Any) -> str:
    message = {"role": role, "content": content, **({"id": f"m{key}"} if role == "assistant" else {})}
    value = {"uuid": key, "parentUuid": parent, "type": role, "sessionId": "s", "message": message, **more}
    return json.dumps(value)


def claude(tmp_path: Path, lines: Sequence[str]) -> list[list[tuple[Any, ...]]]:
    path = tmp_path / "shop" / "s.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines))
    return [told(one) for one in import_transcripts([str(path)], scrub=False).transcripts]


def test_a_line_that_is_broken_does_not_cost_what_stood_before_it(tmp_path: Path) -> None:
    lines = [line("1", None, "user", "a"), line("2", "1", "assistant", "b"), '{"uuid": "3", ', line("4", "3", "assistant", "d")]

    assert claude(tmp_path, lines) == [[("user", "a"), ("assistant", "b"), ("assistant", "d")]]


def test_of_an_edited_prompt_the_branch_that_ends_last_is_kept(tmp_path: Path) -> None:
    lines = [
        line("1", None, "user", "a"),
        line("2", "1", "assistant", "b"),
        line("3", "2", "user", "typo"),
        line("4", "3", "assistant", "what?"),
        line("5", "2", "user", "mended"),
        line("6", "5", "assistant", "yes"),
    ]

    assert claude(tmp_path, lines) == [[("user", "a"), ("assistant", "b"), ("user", "mended"), ("assistant", "yes")]]


def test_codex_items_are_read_from_their_envelopes_and_events_do_not_double_them() -> None:
    found = sessions("codex")

    assert told(found["cx1"]) == [
        ("system", "Be a coder."),
        ("user", "List the tests.\n[image]"),
        (
            "assistant",
            "I list them.",
            ("exec_command", {"cmd": "ls tests"}),
            ("local_shell", {"type": "exec", "command": ["bash", "-lc", "git status"]}),
        ),
        ("tool", "test_cart.py"),
        ("tool", "nothing to commit"),
        ("assistant", None, ("apply_patch", {"input": "*** Begin Patch\n*** End Patch"})),
        ("tool", "Done!"),
    ]
    assert told(found["cx1#2"])[1:] == [("user", "The tests were listed."), ("assistant", "All listed.")]
    assert found["cx1"].task == "shop"
    assert skipped("codex")["event_msg/user_message"] == (1, 4)


def test_old_codex_rollouts_have_bare_items_or_are_one_document() -> None:
    found = sessions("codex")

    assert [message["role"] for message in found["cx0"].messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert told(found["cx-1"])[1:3] == [
        ("assistant", None, ("local_shell", {"type": "exec", "command": ["ls"]})),
        ("tool", "README"),
    ]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (json.dumps({"output": "1 failed\n2 passed\n", "metadata": {"exit_code": 1, "duration_seconds": 0.4}}), "1 failed\n2 passed\n"),
        ({"content": json.dumps({"output": "1 failed", "metadata": {}}), "success": False}, "1 failed"),
        ('{"output": "a", "rows": 3}', '{"output": "a", "rows": 3}'),
        ('{"output": ["a"], "metadata": {}}', '{"output": ["a"], "metadata": {}}'),
        ('{"output": "cut off', '{"output": "cut off'),
        ("[" * 100_000, "[" * 100_000),
    ],
    ids=["wrapped", "wrapped twice", "other members", "no text", "cut off", "deep"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["function_call", "custom_tool_call", "local_shell_call"])
def test_a_codex_shell_output_is_taken_out_of_the_json_it_is_wrapped_in(tmp_path: Path, kind: str, output: Any, told: str) -> None:
    items = [
        {"type": "message", "role": "user", "content": "test it"},
        {"type": kind, "call_id": "c", "name": "shell", "arguments": "{}", "input": "", "action": {"type": "exec", "command": []}},
        {"type": f"{kind}_output", "call_id": "c", "output": output},
    ]
    path = tmp_path / "rollout.jsonl"
    path.write_text("\n".join(json.dumps({"type": "response_item", "payload": item}) for item in items))

    (found,) = import_transcripts([str(path)], scrub=False).transcripts

    assert found.messages[-1]["content"] == told


def test_sessions_below_a_project_are_of_its_task_whatever_agent_ran_them(tmp_path: Path) -> None:
    rollout = [
        {"type": "session_meta", "payload": {"id": "cx", "cwd": "/home/nina/src/shop/web"}},
        {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": "hi"}},
    ]
    (tmp_path / "rollout.jsonl").write_text("\n".join(map(json.dumps, rollout)))
    (tmp_path / "s.jsonl").write_text(line("1", None, "assistant", "ho", cwd="/home/nina/src/shop"))

    assert {one.task for one in import_transcripts([str(tmp_path)]).transcripts} == {"shop"}


def test_of_requests_that_continue_one_another_the_longest_is_kept_with_its_response() -> None:
    done = imported("requests/chat.jsonl")
    found = {one.id: one for one in done.transcripts}

    assert (done.report.beginnings, done.report.silent) == (1, 1)
    assert told(found["requests:chat-2"])[-3:] == [
        ("assistant", None, ("weather", {"city": "Bonn"})),
        ("tool", "12 degrees"),
        ("assistant", "12 degrees."),
    ]
    assert found["requests:chat-2"].tools[0]["function"]["name"] == "weather"


def test_requests_of_all_providers_are_read() -> None:
    found = sessions("requests")

    assert told(found["batch-1"]) == [
        ("system", "Be kind."),
        ("user", "Read it."),
        ("assistant", "I do.", ("read", {"path": "a.txt"})),
        ("tool", "hello"),
        ("user", "And?"),
        ("assistant", "It says hello."),
    ]
    assert told(found["r-1"])[0] == ("system", "Be exact.")
    assert told(found["r-1"])[2:] == [("assistant", None, ("sum", {"a": 2, "b": 2})), ("tool", "4"), ("assistant", "4.")]
    assert told(found["r-2"]) == [("user", "Just a string?"), ("assistant", "Just that.")]
    assert told(found["gemini-1"])[2:4] == [("assistant", None, ("day", {"zone": "UTC"})), ("tool", "Monday")]
    assert told(found["chat-5"])[1:3] == [("assistant", None, ("now", {})), ("tool", "12:00")]


@pytest.mark.parametrize(
    ("row", "last"),
    [
        ({"input": [{"role": "user", "content": "a"}], "output": {"role": "assistant", "content": "b"}}, ("assistant", "b")),
        ({"messages": [{"role": "user", "content": "a"}], "completion": "b"}, ("assistant", "b")),
        ({"request_body": '{"messages": [{"role": "user", "content": "a"}]}', "response_body": '{"choices": [{"message": {"role": "assistant", "content": "b"}}]}'}, ("assistant", "b")),
        ({"params": {"messages": [{"role": "user", "content": "a"}]}, "result": {"type": "succeeded", "message": {"role": "assistant", "content": [{"type": "text", "text": "b"}]}}}, ("assistant", "b")),
        ({"body": {"contents": [{"parts": [{"text": "a"}]}]}, "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "b"}]}}]}}, ("assistant", "b")),
        ({"input": [{"role": "user", "content": "a"}, {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "1", "content": "b"}]}, ("tool", "b")),
    ],
)  # fmt: skip
def test_a_request_and_its_response_are_found_under_many_names(tmp_path: Path, row: dict[str, Any], last: tuple[str, str]) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(row))

    (found,) = import_transcripts([str(tmp_path / "a.jsonl")]).transcripts

    assert told(found)[0] == ("user", "a") and told(found)[-1] == last


def test_a_streamed_response_is_told_and_the_request_kept(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    (tmp_path / "a.jsonl").write_text(json.dumps({"request": {"messages": talk}, "response": 'data: {"choices": []}'}))

    done = import_transcripts([str(tmp_path / "a.jsonl")])

    assert told(done.transcripts[0]) == [("user", "a"), ("assistant", "b")]
    assert done.report.files[0].skipped[0].what == "streamed response"


def test_openhands_actions_of_one_answer_are_one_message() -> None:
    found = sessions("openhands")

    assert told(found["acme__shop-12"])[2:5] == [
        ("assistant", "I look first.", ("execute_bash", {"command": "ls"}), ("think", {"thought": "two"})),
        ("tool", "cart.py"),
        ("tool", "Your thought has been logged."),
    ]
    assert told(found["acme__shop-13"])[1] == ("assistant", "Where?", ("run", {"command": "pwd"}))


def test_the_event_files_of_a_folder_are_one_session() -> None:
    assert told(sessions("openhands")["conv-7"]) == [
        ("system", "You are V1."),
        ("user", "Say hi."),
        ("assistant", "I run it.", ("terminal", {"command": "echo hi"})),
        ("tool", "hi"),
        ("assistant", "It said hi."),
    ]


def test_swe_agent_actions_become_calls_and_demonstrations_are_left_out() -> None:
    found = sessions("swe")

    assert told(found["acme__shop-14"]) == [
        ("system", "SETTING: a shell."),
        ("user", "Fix the issue."),
        ("assistant", "I look.", ("bash", {"command": "ls"})),
        ("tool", "setup.py"),
        ("assistant", "Now a call.", ("bash", {"command": "cat setup.py"})),
        ("tool", "from setuptools import setup"),
        ("assistant", "It is fixed."),
    ]
    assert told(found["acme__shop-15"])[-1] == ("tool", "cart.py:1:def total()")


def test_specstory_calls_are_read_back_from_markdown() -> None:
    found = sessions("shop")
    main = found["77aa-11"]

    assert main.task == "shop"
    assert told(main)[:8] == [
        ("user", "Why is it slow?"),
        ("assistant", "I measure it."),
        ("assistant", None, ("Bash", {"description": "Time the suite", "command": "time pytest -q"})),
        ("tool", "real 0m3s"),
        ("assistant", None, ("Bash", {"description": "Print a file", "command": "cd docs\ncat notes.md"})),
        ("tool", "Notes:\n```sh\nmake\n```\n</details></tool-use>\n\nquoted by a file that is like this one"),
        (
            "assistant",
            None,
            ("Grep", {"path": "./src", "pattern": "def total"}),
            ("ToolSearch", {"max_results": "3", "query": "select:Read"}),
        ),
        ("tool", "cart.py"),
    ]
    assert told(main)[-2:] == [("assistant", "It waits for the network."), ("user", "Thanks.")]
    assert told(next(one for name, one in found.items() if "/" in name))[0] == ("user", "Look for loops.")


def test_otel_spans_are_sessions_by_conversation() -> None:
    found = sessions("otel")

    assert told(found["conv-1-s3"]) == [
        ("system", "Be good."),
        ("user", "Rain in Rome?"),
        ("assistant", None, ("rain", {"city": "Rome"})),
        ("tool", "heavy"),
        ("assistant", "Heavy rain."),
    ]
    assert found["conv-1-s3"].task == "conv-1"
    assert told(found["0xt2-0xs9"]) == [("user", "Hi."), ("assistant", "Hello.")]


def test_a_file_of_no_known_format_is_an_error_that_lists_the_formats(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("milk\n")

    with pytest.raises(BadTranscript, match=r"notes\.txt: of no known format \(claude-code, codex, .*--format says which"):
        import_transcripts([str(path)])


def test_in_a_folder_such_a_file_is_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk\n")
    (tmp_path / "a.jsonl").write_text('{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}')

    done = import_transcripts([str(tmp_path)])

    assert done.report.files == (
        FileReport(str(tmp_path / "a.jsonl"), "requests", 1, 2, ()),
        FileReport(str(tmp_path / "notes.txt"), ""),
    )


TALK = '{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}'


def test_what_cannot_be_read_in_a_folder_is_told_and_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "b.jsonl")
    (tmp_path / "c.jsonl").write_text(TALK)

    for argument in (tmp_path, tmp_path / "*.jsonl"):
        files = import_transcripts([str(argument)]).report.files

        assert [[one.what for one in file.skipped] for file in files] == [
            ["cannot be read: No such file or directory"],
            ["cannot be read: not a regular file"],
            [],
        ]
        assert [file.sessions for file in files] == [0, 0, 1]


def test_if_nothing_can_be_read_the_error_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "gone")

    with pytest.raises(BadTranscript, match=r"no session found in .*; 1 cannot be read, first .*a\.jsonl$"):
        import_transcripts([str(tmp_path)])


def test_of_the_folder_of_the_outputs_all_but_these_is_read(tmp_path: Path) -> None:
    (tmp_path / "s1.jsonl").write_text(TALK)
    first = import_transcripts([str(tmp_path / "s1.jsonl")], out=tmp_path)
    write_imported(first, tmp_path)
    (tmp_path / "train.jsonl.gz.partial").write_text(TALK)

    again = import_transcripts([str(tmp_path)], out=tmp_path)

    assert [file.path for file in again.report.files] == [str(tmp_path / "s1.jsonl")]


def test_a_dev_of_far_more_than_its_share_is_told_in_the_report(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(TALK.replace('"b"', f'"{name}"'))

    assert "dev holds 50%" in import_transcripts([str(tmp_path)]).public.json()["warnings"][0]
    assert import_transcripts([str(tmp_path)], dev_share=0.5).report.warnings == ()


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_an_empty_file_has_no_session(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(content)

    with pytest.raises(BadTranscript, match="no session found in"):
        import_transcripts([str(path)])


def test_a_named_task_and_a_licence_are_those_of_all_sessions() -> None:
    found = imported("codex", "swe", task="ours", licence="MIT").transcripts

    assert {(one.task, one.licence) for one in found} == {("ours", "MIT")}


def test_ids_are_unique() -> None:
    twice = import_transcripts([str(FIXTURES), str(FIXTURES / "codex")], scrub=False).transcripts
    ids = [one.id for one in twice]

    assert len(set(ids)) == len(ids) == len(ALL)
