"""The newest list of things to do: of a todo tool's arguments, or of check boxes in what the agent wrote."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import regex

from elision.compaction.pins.calls import Call
from elision.compaction.pins.speech import Utterance
from elision.compaction.pins.types import HistoryPin, PinKind

MOST = 60
_LISTS = ("todos", "plan", "items", "tasks", "todoList", "todo_list", "todo", "newTodos", "list")
_TEXTS = ("content", "step", "text", "title", "task", "description", "subject", "name", "activeForm")
_BOX = regex.compile(
    r"^[ \t]{0,12}(?:[-*+]|\d{1,3}[.)])?[ \t]*\[(?P<mark>[ xX~/\-])\][ \t]+(?P<text>[^\r\n]{1,500})",
    regex.MULTILINE,
)
_MARKS = {
    " ": "pending",
    "x": "completed",
    "X": "completed",
    "~": "in_progress",
    "/": "in_progress",
    "-": "in_progress",
}


def todos(made: Sequence[Call], said: Sequence[Utterance]) -> list[HistoryPin]:
    """The entries of the newest list, in its order; of a list that was only amended, with what it was before.

    Args:
        made: The calls; of a tool of todos the arguments are read, never the result.
        said: What the assistant wrote.
    """
    written = [(one.index, _of_text(one)) for one in said if "[" in one.text]
    lists = [(call.index, _of_call(call)) for call in made if call.is_a("todos")]
    amends = {call.index for call in made if call.is_a("todos") and call.arguments.get("merge") is True}
    newest: list[HistoryPin] = []
    for index, found in sorted((one for one in written + lists if one[1]), key=lambda one: one[0]):
        if index in amends:
            changed = {pin.text for pin in found}
            found = [pin for pin in newest if pin.text not in changed] + found
        newest = found
    return newest[:MOST]


def _of_text(utterance: Utterance) -> list[HistoryPin]:
    return [
        HistoryPin(
            PinKind.TODO, match["text"].strip(), utterance.source, utterance.index, _MARKS[match["mark"]]
        )
        for part in utterance.parts
        for match in _BOX.finditer(utterance.text, part.start, part.stop)
    ]


def _of_call(call: Call) -> list[HistoryPin]:
    listed = next((call.arguments[key] for key in _LISTS if call.arguments.get(key)), None)
    return [
        HistoryPin(PinKind.TODO, text, call.source, call.index, state) for text, state in _entries(listed)
    ]


def _entries(listed: Any) -> Iterator[tuple[str, str]]:
    if isinstance(listed, str):
        try:
            yield from _entries(
                json.loads(listed) if listed.lstrip()[:1] == "[" and listed.lstrip()[:2] != "[ " else None
            )
        except (ValueError, RecursionError):
            pass
        for match in _BOX.finditer(listed):
            yield match["text"].strip(), _MARKS[match["mark"]]
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, str) and one.strip():
            yield one.strip(), "pending"
        elif isinstance(one, Mapping):
            text = next(
                (one[key] for key in _TEXTS if isinstance(one.get(key), str) and one[key].strip()), ""
            )
            state = one.get("status") or (
                "completed" if one.get("done") or one.get("completed") else "pending"
            )
            if text and isinstance(state, str):
                yield text.strip(), state
