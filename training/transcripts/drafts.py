"""What every importer is given and gives: a source in, drafts of sessions out.

An importer passes over what it does not know, and notes it: kind, how often, where first. So nothing
is lost in silence, and no file stops the others.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_LONGEST_KIND = 80  # characters: a file says what kinds it has
_WORKTREE = re.compile(r"[\\/](?:\.claude[\\/]worktrees|\.worktrees|\.codex[\\/]worktrees)[\\/].*$")
_HOME = re.compile(r"^(?:[A-Za-z]:)?[\\/](?:Users|home)[\\/][^\\/]+$|^[\\/]root$")


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of a file, and the line it begins on, from 1."""

    line: int
    value: Any


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or the event files of one folder.

    Attributes:
        path: Where it was found.
        records: Its JSON values in order; none if it is no JSON.
        text: All of it, if it is no JSON.
    """

    path: Path
    records: tuple[Record, ...] = ()
    text: str = ""

    @property
    def stem(self) -> str:
        """The name without its suffixes, packing included."""
        name = self.path.name.removesuffix(".gz").removesuffix(".zst")
        return Path(name).stem or name

    def objects(self) -> Iterator[tuple[int, Json]]:
        """The objects, those inside of lists included, each with its line."""
        for record in self.records:
            values = record.value if isinstance(record.value, list) else [record.value]
            yield from ((record.line, value) for value in values if isinstance(value, dict))


@dataclass(slots=True)
class Notes:
    """What was passed over in one file: how often each kind, and the line of the first."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)

    def skip(self, what: str, line: int = 0) -> None:
        """Note one thing passed over; ``line`` is 0 where a file has no lines to speak of."""
        what = " ".join(what.encode("utf-8", "replace").decode().split())[:_LONGEST_KIND]
        self.counts[what] += 1
        self.first.setdefault(what, line)


@dataclass(frozen=True, slots=True)
class Draft:
    """A session as its file has it; not yet tidy, not yet scrubbed.

    Attributes:
        name: What the file calls the session.
        task: The project or task, empty if the file does not say.
        messages: Chat messages; results may stand anywhere after their calls.
        tools: Tool definitions as chat completions have them.
        kind: What the agent does.
    """

    name: str
    task: str
    messages: list[Json]
    tools: tuple[Json, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Importer:
    """One format: its name, how a file of it is told, and how it is read."""

    name: str
    matches: Callable[[Source], bool]
    read: Callable[[Source, Notes], Iterator[Draft]]


def say(role: str, content: str | None, *calls: Json) -> Json:
    """A chat message."""
    return {"role": role, "content": content, **({"tool_calls": list(calls)} if calls else {})}


def call(key: str, name: str, arguments: str) -> Json:
    """A call of a tool; ``arguments`` is JSON text."""
    return {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}


def answer(key: str, content: str) -> Json:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": key, "content": content}


def project_of(folder: str) -> str:
    """The name of a project from the folder an agent worked in; a home folder has none of its own.

    The last part only, so that two people's checkouts of a project, and its worktrees, are one task.
    """
    folder = _WORKTREE.sub("", folder.rstrip("\\/"))
    if _HOME.match(folder):
        return "home"
    return re.split(r"[\\/]", folder)[-1]


def text_of(content: Any) -> str:
    """The text of a content: a string, or a list of strings and parts with a ``text``."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    return "\n".join(filter(None, map(_part, content)))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    if "image" in str(part.get("type", "")):
        return "[image]"
    found = part.get("text", part.get("content"))
    return found if isinstance(found, str) else ""


def string(value: Any) -> str:
    """The value if it is a string, else the empty string."""
    return value if isinstance(value, str) else ""


def object_(value: Any) -> Json:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []
