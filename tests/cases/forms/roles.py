"""Forms about roles, the order of messages, and messages without content."""

from collections import Counter

from tests.cases.grammar import compares, each_run
from tests.cases.outcome import Run
from tests.cases.reading import (
    Message,
    blocks,
    calls_of,
    images,
    messages,
    objects,
    plain,
    results_of,
    role,
    searchable,
    thoughts,
)


@each_run("roles alternate user/assistant")
def alternate(run: Run) -> None:
    found = [role(message) for message in messages(run.output) if role(message) != "system"]
    wanted = [("user", "assistant")[at % 2] for at in range(len(found))]
    assert found == wanted, found


@each_run("no two neighbouring messages have the same role")
def no_neighbours(run: Run) -> None:
    check_neighbours(messages(run.output))


def check_neighbours(found: list[Message]) -> None:
    """Results of parallel calls do stand side by side."""
    roles = [role(message) for message in found]
    pairs = [one for one, other in zip(roles, roles[1:], strict=False) if one == other != "tool"]
    assert not pairs, roles


@each_run("first non-system message has role <text>")
def first_role(run: Run, wanted: str) -> None:
    roles = [role(message) for message in messages(run.output) if role(message) != "system"]
    assert roles[:1] == [wanted], roles


@each_run("at least one message has role <text>")
def some_role(run: Run, wanted: str) -> None:
    count_of_role(run, "at least", 1, wanted)


@each_run("the output has <how> <int> messages? of role <text>")
def count_of_role(run: Run, how: str, wanted: int, name: str) -> None:
    roles = [role(message) for message in messages(run.output)]
    assert compares(how, roles.count(name), wanted), roles


@each_run("there is exactly one system message and it is first")
def one_system(run: Run) -> None:
    roles = [role(message) for message in messages(run.output)]
    assert roles.count("system") == 1 and roles[0] == "system", roles


@each_run("no message of role <text> contains <text>")
def role_without(run: Run, name: str, text: str) -> None:
    found = [
        message for message in _of_role(run, name) if text in "\n".join(searchable({"messages": [message]}))
    ]
    assert not found, found


@each_run("no message of role <text> starts with <text>")
def role_not_starting(run: Run, name: str, text: str) -> None:
    found = [message for message in _of_role(run, name) if _text(message).lstrip().startswith(text)]
    assert not found, found


@each_run("messages with the text <text> have role <text>")
def text_in_role(run: Run, text: str, wanted: str) -> None:
    """A tool's words may stand in a user message, as results do in Anthropic's format."""
    for message in messages(run.output):
        if text in _text(message):
            heard = {role(message)} | ({"tool"} if any(results_of(message)) else set())
            assert wanted in heard, f"{role(message)}: {_text(message)[:300]}"


@each_run("the message <text> is the last message of role <text>")
def last_of_role(run: Run, text: str, name: str) -> None:
    found = _of_role(run, name)
    assert found and _text(found[-1]) == text, found[-1:]


@each_run("the last message contains the text <text>")
def last_contains(run: Run, text: str) -> None:
    assert text in _text(messages(run.output)[-1]), messages(run.output)[-1]


@each_run("no message is empty")
def no_empty_message(run: Run) -> None:
    empty = [message for message in messages(run.output) if not _says_something(message)]
    assert not empty, empty


@each_run("no text block is empty")
def no_empty_block(run: Run) -> None:
    empty = [block for block in objects(messages(run.output)) if not block.get("text", "text").strip()]
    assert not empty, empty


@each_run("no assistant message holds only thinking blocks")
def not_only_thoughts(run: Run) -> None:
    for message in _of_role(run, "assistant"):
        assert not thoughts(message) or len(thoughts(message)) < len(blocks(message)), message


@each_run("no two messages have the same id")
def ids_differ(run: Run) -> None:
    counts = Counter(message["id"] for message in messages(run.output) if "id" in message)
    assert max(counts.values(), default=0) <= 1, counts


def _of_role(run: Run, name: str) -> list[Message]:
    apart = [{"role": "system", "content": run.output["system"]}] if "system" in run.output else []
    return [message for message in [*apart, *messages(run.output)] if role(message) == name]


def _text(message: Message) -> str:
    return "\n".join(plain(message))


def _says_something(message: Message) -> bool:
    """Text, a call, a result or a block of another kind; a Responses item without a role always does."""
    other = any(block.get("type") != "text" for block in blocks(message)) or images(message)
    return "role" not in message or bool(_text(message).strip() or other or any(calls_of(message)))
