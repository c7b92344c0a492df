"""Forms about an output that is a JSON document."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.cases.grammar import each_run
from tests.cases.outcome import Run, same
from tests.cases.reading import objects, texts


@each_run("output JSON parses")
def parses(run: Run) -> None:
    _output(run)


@each_run("output JSON equals the input JSON value")
@each_run("decoding the output gives the input's JSON value")
def equal_value(run: Run) -> None:
    assert same(_output(run), _input(run)), texts(run.output)


@each_run("output JSON has the same keys as the input at every depth")
def same_keys(run: Run) -> None:
    before, after = set(_keys(_input(run))), set(_keys(_output(run)))
    assert before == after, f"differ in {before ^ after}"


@each_run("output JSON array <text> has <int> elements?")
def length(run: Run, key: str, wanted: int) -> None:
    lengths = [len(found[key]) for found in objects(_output(run)) if key in found]
    assert lengths[:1] == [wanted], f"{key} has {lengths} elements"


def _output(run: Run) -> Any:
    text = "".join(texts(run.output))
    try:
        return json.loads(text)
    except ValueError as error:
        raise AssertionError(f"{error}: {text[:500]!r}") from None


def _input(run: Run) -> Any:
    return json.loads("".join(texts(run.given)))


def _keys(node: Any, path: str = "") -> Iterator[str]:
    """Paths of all keys; the elements of an array share one path."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield f"{path}/{key}"
            yield from _keys(value, f"{path}/{key}")
    elif isinstance(node, list):
        for value in node:
            yield from _keys(value, f"{path}/[]")
