"""Before and after of a tool output are cut where the agent stood: nothing looks ahead."""

from typing import Any

from elision.training.transcripts.outputs import outputs_of
from elision.training.transcripts.types import Transcript


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def agent(text: str | None, **calls: tuple[str, str]) -> dict[str, Any]:
    made = [
        {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
        for key, (name, arguments) in calls.items()
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def result(call: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": text}


def session(messages: list[dict[str, Any]], kind: str = "") -> Transcript:
    return Transcript("t", "ours", "one task", tuple(messages), kind)


TALK = [
    user("fix the build"),
    agent(
        "I look.", c1=("bash", '{"command": "make"}'), c2=("read", '{"path": "Makefile", "lines": [1, 20]}')
    ),
    result("c1", "make: *** No rule"),
    result("c2", "all: main.o"),
    agent("main.c is missing.", c3=("write", '{"path": "main.c", "text": "int main;\\n"}')),
    result("c3", ""),
    agent(None, c4=("bash", "not json")),
]


def test_the_query_is_of_the_call_that_gave_the_output_and_what_stood_before() -> None:
    first, second = outputs_of(session(TALK))

    assert first.query == 'bash {"command": "make"} | I look. | fix the build'
    assert second.query.startswith("read ")


def test_earlier_holds_all_up_to_the_output_and_not_the_output() -> None:
    first, second = outputs_of(session(TALK))

    assert "Makefile" in first.earlier and "No rule" not in first.earlier
    assert "No rule" in second.earlier and "main.o" not in second.earlier


def test_later_holds_the_agents_texts_and_calls_without_json_escapes() -> None:
    first, _ = outputs_of(session(TALK))

    assert first.later == ("main.c is missing.", "write\nmain.c\nint main;\n", "bash\nnot json")


def test_later_is_five_items_long_and_holds_no_users_or_tools_words() -> None:
    talk = [
        user("q"),
        agent("", c=("a", "{}")),
        result("c", "out"),
        user("hm"),
        *(agent(f"t{i}") for i in range(9)),
    ]

    assert next(outputs_of(session(talk))).later == ("t0", "t1", "t2", "t3", "t4")


def test_empty_outputs_are_left_out() -> None:
    assert [output.name for output in outputs_of(session(TALK))] == ["t#2", "t#3"]


def test_an_output_knows_the_kind_of_its_transcript() -> None:
    assert {output.kind for output in outputs_of(session(TALK, "coding-agent"))} == {"coding-agent"}
