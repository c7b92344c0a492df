"""What a call does: whether it only looks, at what, and what it changes.

Told by the tool's name and its arguments; of shells by the programs they run. What is not in the tables
is taken for something that cannot be repeated and that changes no file.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache

import regex

from elision.compaction.calls.tools import argument_keys, is_a, tool_name
from elision.compaction.conversation import Block
from elision.compaction.reduce.shell_uses import shell_use
from elision.compaction.reduce.use import Rests, Use

_LONGEST_TOLD = 80  # characters


_PATCHED = regex.compile(
    r"^(?:\*\*\* (?:Add File|Update File|Delete File|Move to): |(?:---|\+\+\+) (?:[ab]/)?+)([^\n\t]++)",
    regex.M,
)
_SUBJECTS = ("command", "cmd", "pattern", "query", "regex", "url", "name", "id")


def use_of(call: Block | None, raw: str) -> Use:
    """What a call does.

    Args:
        call: The call; of None nothing can be told.
        raw: The body it stands in.
    """
    if call is None:
        return Use()
    given = arguments(call, raw)
    tool = tool_name(call.name)
    views = is_a(tool, "editors", "changed") and given.get("command") == "view"
    if views or is_a(tool, "read"):
        paths = tuple(_paths(given))
        return Use(f"read {', '.join(paths)}", Rests.FILES, paths, whole=True) if paths else Use()
    if is_a(tool, "looks"):
        paths = tuple(path for path in _paths(given) if path.strip("./"))
        return Use(told(call, raw), Rests.FILES if paths else Rests.TREE, paths)
    if is_a(tool, "fetches"):
        url = given.get("url")
        return Use(f"fetch {url}", Rests.NOTHING) if isinstance(url, str) else Use()
    if is_a(tool, "changed", "deleted", "moved", "editors"):
        paths = (*_paths(given), *_patched(given))
        return Use(writes=paths, everywhere=not paths)
    return shell_use(_command(given)) if is_a(tool, "shells") else Use()


def told(call: Block | None, raw: str) -> str:
    """A call in a few words: its tool, and what it was about."""
    if call is None:
        return ""
    given = arguments(call, raw)
    subjects = (given[key] for key in _SUBJECTS if isinstance(given.get(key), str))
    about = next(_paths(given), "") or next((str(one) for one in subjects), "")
    words = " ".join(f"{call.name} {about}".split())
    return words if len(words) <= _LONGEST_TOLD else words[: _LONGEST_TOLD - 1] + "…"


def arguments(call: Block, raw: str) -> Mapping[str, object]:
    """A call's arguments; of one that has a text instead, that under ``input``."""
    spelled = call.arguments.of(raw)
    try:
        value = json.loads(spelled, strict=False)
        if isinstance(value, str):
            spelled = value
            value = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return {"input": spelled}
    return value if isinstance(value, dict) else {"input": spelled}


def _paths(given: Mapping[str, object]) -> Iterator[str]:
    for key, value in given.items():
        if _letters(key) in _path_keys():
            yield from _strings(value)


@cache
def _path_keys() -> frozenset[str]:
    # `from` and `to` alone are lines or dates as well.
    return frozenset(map(_letters, argument_keys("paths", "lists", "from", "to"))) - {"from", "to"}


def _strings(value: object) -> Iterator[str]:
    """The strings in a value, which is one, a list of them, or a list of objects that have paths."""
    if isinstance(value, str) and value.strip():
        yield value.strip()
    elif isinstance(value, list):
        for one in value:
            yield from _paths(one) if isinstance(one, dict) else _strings(one) if isinstance(one, str) else ()


def _patched(given: Mapping[str, object]) -> Iterator[str]:
    """Files that a patch among the arguments names."""
    for value in given.values():
        if isinstance(value, str):
            yield from (name.strip() for name in _PATCHED.findall(value) if name.strip() != "/dev/null")


def _command(given: Mapping[str, object]) -> str | list[str]:
    value = next((given[key] for key in argument_keys("commands") if given.get(key)), "")
    if isinstance(value, list):
        words = [
            one if isinstance(one, str) else str(one.get("command", "")) if isinstance(one, dict) else ""
            for one in value
        ]
        return words if "commands" not in given else "\n".join(words)
    return value if isinstance(value, str) else ""


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))
