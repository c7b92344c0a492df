"""What every importer is given and gives: a source in, drafts of sessions out.

An importer passes over what it does not know, and notes it: kind, how often, where first. So nothing
is lost in silence, and no file stops the others.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_LONGEST_KIND = 80  # characters: a file says what kinds it has
_HOME = re.compile(r"^(?:(?:[a-z]:|/mnt/[a-z])?/(?:users|home)/[^/]+|/root|~|[a-z]:|/mnt/[a-z])(?=/|$)", re.IGNORECASE)
_WORKTREES = ((".claude", "worktrees"), (".codex", "worktrees"), (".worktrees",))
# Folders that hold projects and are none, if all above them are such too: ~/src, ~/Documents/GitHub, /var/www.
_HOLDERS = frozenset(
    """
    code coding data desktop dev devel develop development documents downloads git github github.com gitlab go home
    local media mnt opt private project projects repos repositories root sites source sources src srv tmp users usr
    var volumes work workspace workspaces www
    """.split()
)


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


class Folder(str):
    """The folder an agent worked in; `projects` tells of which project, once all folders are known."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A session as its file has it; not yet tidy, not yet scrubbed.

    Attributes:
        name: What the file calls the session.
        task: The project or task, a `Folder` if only that is known, empty if the file does not say.
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


def project_of(folder: str) -> Folder:
    """The task of a session of which only the folder is known in which the agent worked."""
    return Folder(folder)


def projects(tasks: Sequence[str]) -> list[str]:
    """The tasks, with the name of its project in place of every `Folder`.

    A folder belongs to the topmost of the given folders that holds it: ``/src/shop`` makes
    ``/src/shop/web`` and ``/src/shop/api`` one project. Folders that hold many projects join none: the
    root, a home folder, and one whose parts below these all have a name as ``src`` or ``Documents`` have.

    Where somebody's home lies does not count, a worktree is the folder it belongs to, and a project's name
    is the last part of its folder only: so two people's checkouts are one task. What was done in a home
    folder itself, or in the root, is of the project ``home``.
    """
    places = [_place(task) if isinstance(task, Folder) else () for task in tasks]
    tops = {place for place in places if any(part.lower() not in _HOLDERS for part in place)}
    both = zip(tasks, places, strict=True)
    return [_project(place, tops) if isinstance(task, Folder) else task for task, place in both]


def _project(place: tuple[str, ...], tops: set[tuple[str, ...]]) -> str:
    holding = (place[:stop] for stop in range(1, len(place)) if place[:stop] in tops)
    return [*next(holding, place or ("home",))][-1]


def _place(folder: str) -> tuple[str, ...]:
    """The parts of a folder below its home or the root; of a worktree those of what it belongs to."""
    below = _HOME.sub("", folder.replace("\\", "/"))
    parts = tuple(part for part in below.split("/") if part not in ("", "."))
    for start in range(len(parts)):
        if any(parts[start : start + len(marker)] == marker for marker in _WORKTREES):
            # Codex keeps those of all projects in ~/.codex/worktrees/ID/PROJECT.
            return parts[:start] or (parts[3:4] if parts[0] == ".codex" else ())
    return parts


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
