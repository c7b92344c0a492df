"""Of the files of which all that was read goes, the host is asked to read the newest again."""

import pytest
from compactions import COUNTER, means, occasion, small
from conversations import FORMATS
from messages import Json, assistant, call, result, told, user

from elision.compaction.compact.files_again import files_again
from elision.compaction.compact.run import look
from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.policies.load import load, names
from elision.compaction.policies.telling import Select

TEXT = "".join(f"{n}: value_{n} = read({n})\n" for n in range(60))
TOKENS = COUNTER.count(TEXT)


def reads(*paths: str) -> list[Json]:
    return [
        message
        for n, path in enumerate(paths)
        for message in (call(f"c{n}", "read_file", {"path": path}), result(f"c{n}", TEXT))
    ]


STORY = [
    user("Look at them."),
    *reads("a.py", "b.py", "a.py", "c.py"),
    call("x", "bash", {"command": "pytest"}),
    result("x", TEXT),
    call("y", "edit", {"file_path": "d.py", "old_string": "a", "new_string": "b"}),
    result("y", "ok"),
    assistant("Done."),
]


def asked(story: list[Json], how: Select, stay: int = 0, format: Format = Format.OPENAI_CHAT) -> list[str]:
    """What is asked for if all but the last so many messages of a story go."""
    conversation = read(told(story, format), format)
    gone = range(len(conversation.messages) - stay)
    return list(files_again(conversation, gone, how, COUNTER))


@pytest.mark.parametrize("format", FORMATS)
def test_the_newest_come_first_and_each_once(format: Format) -> None:
    assert asked(STORY, Select(files_again=5), format=format) == ["read c.py", "read a.py", "read b.py"]
    assert asked(STORY, Select(files_again=2), format=format) == ["read c.py", "read a.py"]
    assert asked(STORY, Select(), format=format) == []


def test_what_would_be_too_much_is_left_out() -> None:
    assert asked(STORY, Select(files_again=5, files_again_tokens=2 * TOKENS)) == ["read c.py", "read a.py"]
    assert asked(STORY, Select(files_again=5, files_again_tokens=TOKENS - 1)) == []


def test_what_still_stands_is_not_asked_for() -> None:
    story = [user("x"), *reads("a.py", "b.py", "a.py")]

    assert asked(story, Select(files_again=5), stay=2) == ["read b.py"]


def test_a_read_that_failed_is_none() -> None:
    story = [user("x"), call("c", "Read", {"path": "a.py"}), result("c", "no such file")]
    raw = told(story, Format.ANTHROPIC).replace('"tool_result"', '"tool_result", "is_error": true')
    conversation = read(raw, Format.ANTHROPIC)

    assert files_again(conversation, range(3), Select(files_again=5), COUNTER) == ()


@pytest.mark.parametrize("format", FORMATS)
def test_a_plan_tells_it(format: Format) -> None:
    policy = small(
        "elision", "gate.enough=none", "reduce.mask=none", "reduce.dedupe=none", "reduce.skeleton=none"
    )
    conversation = read(told([*STORY, user("go on")], format), format)
    found = look(conversation, policy, occasion(2_000), means())

    assert found.covered and found.requests == ("read c.py", "read a.py", "read b.py")


def test_no_agent_but_ours_asks_for_files() -> None:
    assert {name for name in names() if load(name).select.files_again} == {"elision"}
