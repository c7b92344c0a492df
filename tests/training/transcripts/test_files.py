"""Sessions come back as they were written, or the message says which line and field is wrong."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessions import agent, result, session, user

from elision.training.errors import BadTranscript
from elision.training.transcripts.files import read_transcripts, transcript_files, write_transcripts
from elision.training.transcripts.types import Transcript

FULL = Transcript(
    id="s1",
    source="ours",
    task="one",
    messages=(user("fix it"), agent(None, c1=("bash", {"command": "make"})), result("c1", "no rule")),
    kind="coding-agent",
    licence="MIT",
    split="dev",
    tools=({"type": "function", "function": {"name": "bash"}},),
    answer="a rule",
)


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz"])
def test_sessions_come_back_as_they_were(tmp_path: Path, name: str) -> None:
    written = [FULL, session([]), session([user("only this")], "t2")]

    assert write_transcripts(tmp_path / name, written) == 3
    assert list(read_transcripts(tmp_path / name)) == written


@given(st.text(st.sampled_from("a\"\\\n\r\x00\x85\u2028é中\ud800")).filter(lambda text: "\ud800" not in text[1:]))
def test_any_text_comes_back_a_lone_surrogate_too(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("files") / "s.jsonl.gz"
    written = session([user(text)])

    write_transcripts(path, [written])

    assert list(read_transcripts(path)) == [written]


def test_a_file_that_breaks_off_leaves_what_was_there(tmp_path: Path) -> None:
    def broken() -> Iterator[Transcript]:
        yield session([user("second")])
        raise KeyboardInterrupt

    path = tmp_path / "s.jsonl"
    write_transcripts(path, [session([user("first")])])

    with pytest.raises(KeyboardInterrupt):
        write_transcripts(path, broken())
    assert [t.messages[0]["content"] for t in read_transcripts(path)] == ["first"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"id": ""}, "id must be"),
        ({"source": 3}, "source must be a string, is 3"),
        ({"messages": {}}, "messages must be a list"),
        ({"messages": [{"role": "robot"}]}, r"messages\[0\].role"),
        ({"messages": [{"role": "user", "content": ["x"]}]}, r"messages\[0\].content"),
        ({"messages": [{"role": "assistant", "tool_calls": [{"id": "c"}]}]}, r"messages\[0\].tool_calls\[0\] needs"),
        ({"messages": [{"role": "assistant", "tool_calls": 5}]}, r"messages\[0\].tool_calls must be a list"),
        ({"tools": "bash"}, "tools must be a list"),
    ],
)
def test_a_broken_row_is_named_by_line_and_field(tmp_path: Path, changed: dict[str, Any], says: str) -> None:
    good: dict[str, Any] = {"id": "a", "messages": []}
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (good, {**good, **changed})))

    with pytest.raises(BadTranscript, match=rf"s\.jsonl:2: {says}"):
        list(read_transcripts(path))


@pytest.mark.parametrize("line", ["{", "[" * 100_000, "1" * 5000, "[]"])
def test_a_line_that_is_no_row_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"\n{line}\n")

    with pytest.raises(BadTranscript, match=r"s\.jsonl:2: "):
        list(read_transcripts(path))


def test_what_cannot_be_read_says_so(tmp_path: Path) -> None:
    plain = tmp_path / "plain.jsonl.gz"
    plain.write_text("{}")

    for path in (tmp_path / "missing.jsonl", plain):
        with pytest.raises(BadTranscript, match="cannot be read"):
            list(read_transcripts(path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadTranscript, match="holds no"):
        transcript_files(tmp_path / "empty")
