"""Forms about tool definitions that may be shortened."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.cases.grammar import each_run
from tests.cases.outcome import Run, same
from tests.cases.reading import objects


@each_run("every name in a <text> list is in the <text> beside it")
def names_beside(run: Run, names: str, table: str) -> None:
    for found in objects(_tools(run)):
        if isinstance(found.get(names), list) and all(isinstance(name, str) for name in found[names]):
            missing = set(found[names]) - set(found.get(table, {}))
            assert not missing, f"{missing} are not in {table}"


@each_run("the property names at every depth are unchanged")
def property_names(run: Run) -> None:
    before, after = (set(_properties(body.get("tools"))) for body in (run.given, run.output))
    assert before == after, f"differ in {before ^ after}"


@each_run("enum lists are unchanged")
def enums(run: Run) -> None:
    before, after = (
        [o["enum"] for o in objects(b.get("tools")) if "enum" in o] for b in (run.given, run.output)
    )
    assert same(before, after), f"{after} is not {before}"


def _tools(run: Run) -> Any:
    assert run.output.get("tools"), "no tools are left"
    return run.output["tools"]


def _properties(node: Any, path: str = "") -> Iterator[str]:
    """Paths of all property names."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if key == "properties" and isinstance(value, Mapping):
                yield from (f"{path}/{name}" for name in value)
            yield from _properties(value, f"{path}/{key}")
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from _properties(value, f"{path}/{at}")
