"""What tools do, by their names, and under which keys their arguments name files and commands.

A tool that is not in ``tools.toml`` is of no kind.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import regex

_NOT_IN_NAMES = regex.compile(r"[^a-z0-9]")


def tool_name(name: str) -> str:
    """A tool's name in small letters and digits, without the server in front."""
    own = name.replace("__", ".").replace("/", ".").rstrip(".").rpartition(".")[2]
    return _NOT_IN_NAMES.sub("", own.lower())


def is_a(tool: str, *kinds: str) -> bool:
    """Whether a tool, by the name that `tool_name` gives it, is of one of these kinds of ``tools.toml``."""
    return any(tool in _named(kind) for kind in kinds)


def argument_keys(*lists: str) -> list[str]:
    """Keys of arguments, as they are spelled, of these lists of ``tools.toml``."""
    return [key for listed in lists for key in _tools()[listed]]


@cache
def _named(kind: str) -> frozenset[str]:
    return frozenset(_tools()[kind])


@cache
def _tools() -> Mapping[str, list[str]]:
    return tomllib.loads((files("elision.compaction.calls") / "tools.toml").read_text(encoding="utf-8"))
