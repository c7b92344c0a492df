"""Which files the agent read, changed and deleted, by the arguments of its calls; the last state counts.

A read after a change leaves it changed. Calls that failed touched nothing.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.calls.tools import argument_keys
from elision.compaction.pins import shell
from elision.compaction.pins.calls import Call, strings_of
from elision.compaction.pins.types import HistoryPin, PinKind

_LONGEST_PATH = 300
_PATCH = regex.compile(
    r"""^(?:
        \*\*\*\s(?P<verb>Add|Update|Delete)\sFile:\s(?P<path>[^\n]{1,300})
      | \*\*\*\sMove\sto:\s(?P<to>[^\n]{1,300})
      | ---\s(?P<old>[^\t\n]{1,300})(?:\t[^\n]*)?\n\+\+\+\s(?P<new>[^\t\n]{1,300})
    )""",
    regex.VERBOSE | regex.MULTILINE,
)
_STATES = {"Add": shell.CHANGED, "Update": shell.CHANGED, "Delete": shell.DELETED}
_EDITOR = {"view": shell.READ, "read": shell.READ, "delete": shell.DELETED}
_WORDS = (
    (shell.DELETED, regex.compile("delete|remove")),
    (shell.CHANGED, regex.compile("write|edit|create|replace|patch|insert|append|save|update|modify")),
    (shell.READ, regex.compile("read|view|open|cat|getfile")),
)
_NO_FILES = regex.compile("list|search|grep|glob|find|fetch|browse|dir|todo|plan|task|memory")


def files(made: Sequence[Call]) -> list[HistoryPin]:
    """One pin a file, in the order in which they were last touched."""
    last: dict[str, HistoryPin] = {}
    for call in made:
        if call.failed:
            continue
        for path, state in _touched(call):
            key = path.removeprefix("./")
            known = last.pop(key, None)
            kept = known.state if known and state == shell.READ and known.state == shell.CHANGED else state
            last[key] = HistoryPin(PinKind.FILE, path, call.source, call.index, state=kept)
    return list(last.values())


def _touched(call: Call) -> Iterator[tuple[str, str]]:
    for path, state in _named(call):
        path = path.strip()
        if (
            path
            and len(path) <= _LONGEST_PATH
            and "\n" not in path
            and "://" not in path.removeprefix("file://")
        ):
            yield path, state


def _named(call: Call) -> Iterator[tuple[str, str]]:
    if command := call.command:
        yield from shell.touched(command)
    texts = (
        [call.text]
        if not call.arguments
        else [one for one in call.arguments.values() if isinstance(one, str)]
    )
    texts += (
        [one for one in call.arguments.get("command", ()) if isinstance(one, str)]
        if isinstance(call.arguments.get("command"), list)
        else []
    )
    for text in texts:
        if "*** " in text or "\n+++ " in text:
            yield from _patched(text)
    state = _state(call)
    if not state:
        return
    if state == "moved":
        yield from ((path, shell.DELETED) for path in strings_of(call.arguments, argument_keys("from")))
        yield from ((path, shell.CHANGED) for path in strings_of(call.arguments, argument_keys("to")))
    else:
        yield from ((path, state) for path in strings_of(call.arguments, argument_keys("paths", "lists")))


def _patched(text: str) -> Iterator[tuple[str, str]]:
    before = ""
    for match in _PATCH.finditer(text):
        if match["verb"]:
            before = match["path"].strip()
            yield before, _STATES[match["verb"]]
        elif match["to"]:
            yield before, shell.DELETED
            yield match["to"].strip(), shell.CHANGED
        else:
            old, new = (match[side].strip() for side in ("old", "new"))
            gone = new == "/dev/null"
            yield _of_diff(old if gone else new), shell.DELETED if gone else shell.CHANGED


def _of_diff(path: str) -> str:
    return path[2:] if path[:2] in ("a/", "b/") else path


def _state(call: Call) -> str:
    """What the tool does to the files it names, empty if it does nothing that shows."""
    if call.is_a("shells", "looks", "fetches", "searches", "todos"):
        return ""
    if call.is_a("editors") and isinstance(call.arguments.get("command"), str):
        return _EDITOR.get(call.arguments["command"], shell.CHANGED)
    for kind, state in (
        ("read", shell.READ),
        ("changed", shell.CHANGED),
        ("deleted", shell.DELETED),
        ("moved", "moved"),
    ):
        if call.is_a(kind):
            return state
    if _NO_FILES.search(call.tool):
        return ""
    return next((state for state, words in _WORDS if words.search(call.tool)), "")
