"""Read policies: those that come with the package, and users' own.

A policy is data, so a wrong one is a wrong file: every mistake is told with the file or setting, the field
and what may stand there. What is not said keeps the value of the policy that a file extends, or of the
schema. ``none`` switches a field off that can be; ``on = false`` a whole table.
"""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any, get_args

import regex
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from elision.compaction.errors import BadPolicy
from elision.compaction.policies.schema import CompactionPolicy

OURS = "elision"
_FIELD = regex.compile(r"[a-z_]++(?:\.[a-z_]++){0,7}+")

Tree = dict[str, Any]  # of a TOML document


def names() -> list[str]:
    """The policies that come with the package; ours first."""
    found = [
        file.name.removesuffix(".toml")
        for file in files(__package__).iterdir()
        if file.name.endswith(".toml")
    ]
    return sorted(found, key=lambda name: (name != OURS, name))


def load(name: str, sets: Sequence[str] = (), read: Callable[[str], str] | None = None) -> CompactionPolicy:
    """Read a policy.

    Args:
        name: Of one that comes with the package; else what ``read`` finds the text of a file by.
        sets: Overrides such as ``trigger.ratio=0.8``: a field and a TOML value; words need no quotes.
        read: Reads a user's file. Without one only the package's policies are known.

    Raises:
        BadPolicy: If there is none of that name, or it makes no sense: says where, which field, what is allowed.
    """
    return parse_policy(*_text(name, read), sets)


def settings(name: str, sets: Sequence[str] = (), read: Callable[[str], str] | None = None) -> Tree:
    """What a policy says, as a file of its own would: with what it extends and all overrides, without defaults.

    Args:
        name, sets, read: As for `load`.

    Raises:
        BadPolicy: As `load` does.
    """
    load(name, sets, read)
    return _tree(*_text(name, read), sets)


def parse_policy(text: str, where: str, sets: Sequence[str] = ()) -> CompactionPolicy:
    """Read a policy from the text of its file.

    Args:
        text: TOML; ``extends = "pi"`` begins with that policy of the package and says what is different.
        where: How errors call the file.
        sets: As for `load`.

    Raises:
        BadPolicy: If it makes no sense: says where, which field, what is allowed.
    """
    try:
        return _parsed(text, where, sets)
    except RecursionError as error:
        raise BadPolicy(f"{where}: is nested too deeply") from error


def _text(name: str, read: Callable[[str], str] | None) -> tuple[str, str]:
    """The text of a policy's file, and how errors call it."""
    if name in (known := names()):
        return _shipped(name), f"policy {name}"
    if read is None:
        raise BadPolicy(f"no policy {name!r}; there are {', '.join(known)}")
    try:
        return read(name), name
    except (OSError, UnicodeError) as error:
        raise BadPolicy(
            f"no policy {name!r} and no such file ({error}); there are {', '.join(known)}"
        ) from error


def _parsed(text: str, where: str, sets: Sequence[str]) -> CompactionPolicy:
    tree = _tree(text, where, sets)
    for setting in sets:
        _refuse_if_off(tree, setting, where)
    tree["changed"] = list(sets)
    return _validated(_switched(tree, CompactionPolicy), where, sets)


def _tree(text: str, where: str, sets: Sequence[str]) -> Tree:
    """What a file says, with what it extends and the settings over it."""
    tree = _toml(text, where)
    if (base := tree.pop("extends", None)) is not None:
        if base not in names():
            raise BadPolicy(f"{where}: extends is {base!r}; allowed: {', '.join(names())}")
        tree = _merged(_toml(_shipped(str(base)), f"policy {base}"), {"name": f"{base}-own"} | tree)
    for setting in sets:
        tree = _merged(tree, _override(setting, where))
    return tree


def _shipped(name: str) -> str:
    return files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")


def _toml(text: str, where: str) -> Tree:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy(f"{where}: is no TOML: {error}") from error


def _merged(tree: Tree, over: Mapping[str, Any]) -> Tree:
    """Tables are merged, all else is replaced."""
    merged = dict(tree)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(value, dict):
            value = _merged(below if isinstance(below, dict) else {}, value)
        merged[key] = value
    return merged


def _override(setting: str, where: str) -> Tree:
    """The tree that holds one setting alone."""
    field, equals, value = _name(setting), *setting.partition("=")[1:]
    if not equals or not _FIELD.fullmatch(field):
        raise BadPolicy(f"{where}: {setting!r} is no setting; write field=value, such as trigger.ratio=0.8")
    tree: Any = _value(value.strip())
    for key in reversed(field.split(".")):
        tree = {key: tree}
    return dict(tree)


def _refuse_if_off(tree: Tree, setting: str, where: str) -> None:
    """A setting in a table that is off would do nothing, and nobody would know."""
    path = _name(setting).split(".")
    for depth, key in enumerate(path[:-1], start=1):
        below = tree[key]
        if not isinstance(below, dict):
            return
        tree = below
        if tree.get("on") is False and path[depth] != "on":
            table = ".".join(path[:depth])
            raise BadPolicy(f"{where}, {setting!r}: {table} is off; set {table}.on=true as well")


def _name(setting: str) -> str:
    return setting.partition("=")[0].strip()


def _value(text: str) -> Any:
    """A TOML value; what is none is a word."""
    try:
        read = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return read["value"] if len(read) == 1 else text


def _switched(tree: Tree, table: type[BaseModel]) -> Tree:
    """``none`` where a field can be off, and no table that is not on."""
    found: Tree = {}
    for key, value in tree.items():
        field = _fields(table).get(key)
        below = _table(field)
        if isinstance(value, dict) and "on" in value and below and _can_be_off(field):
            value, on = {name: one for name, one in value.items() if name != "on"}, value["on"]
            value = None if on is False else value if on is True else value | {"on": on}
        if isinstance(value, dict) and below:
            value = _switched(value, below)
        if isinstance(value, str) and value.lower() == "none" and field and _can_be_off(field):
            value = None
        found[key] = value
    return found


def _validated(tree: Tree, where: str, sets: Sequence[str]) -> CompactionPolicy:
    try:
        # As JSON, so that nothing is taken for what it is not: no "0.8", no true for 1.
        return CompactionPolicy.model_validate_json(json.dumps(tree, default=str), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        path = [part for part in first["loc"] if isinstance(part, str)]
        raise BadPolicy(
            f"{_origin(path, where, sets)}: {'.'.join(map(str, first['loc']))} {_told(first, path)}"
        ) from error


def _origin(path: Sequence[str], where: str, sets: Sequence[str]) -> str:
    """The setting that a field was given by, else the file."""
    field = f"{'.'.join(path)}."
    named = [
        setting
        for setting in sets
        if f"{_name(setting)}.".startswith(field) or field.startswith(f"{_name(setting)}.")
    ]
    return f"{where}, {named[-1]!r}" if named else where


def _told(error: Mapping[str, Any], path: Sequence[str]) -> str:
    if error["type"] == "extra_forbidden":
        return f"is no field; allowed: {', '.join(_siblings(path))}"
    if error["type"] == "missing":
        return "is missing"
    given = json.dumps(error["input"], ensure_ascii=False, default=str)[:80]
    message = str(error["msg"])
    return f"is {given}: {message[:1].lower()}{message[1:]}"


def _siblings(path: Sequence[str]) -> list[str]:
    """The fields of the table that the last of the path should be one of."""
    table: type[BaseModel] = CompactionPolicy
    for key in path[:-1]:
        table = _table(_fields(table).get(key)) or table
    return [name for name in _fields(table) if name != "changed"]


def _fields(table: type[BaseModel]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in table.model_fields.items()}


def _table(field: FieldInfo | None) -> type[BaseModel] | None:
    """The table that a field holds, of a list what each entry is."""
    if field is None:
        return None
    candidates = [field.annotation, *get_args(field.annotation)]
    return next((one for one in candidates if isinstance(one, type) and issubclass(one, BaseModel)), None)


def _can_be_off(field: FieldInfo | None) -> bool:
    return field is not None and type(None) in get_args(field.annotation)
