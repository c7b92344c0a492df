"""Of a tool definition only the prose is a leaf."""

import json
from typing import Any

from elision.compaction.formats.read import read
from elision.compaction.raw_json import LONGEST_POINTER


def descriptions(schema: dict[str, Any], **members: Any) -> list[str]:
    tool = {"name": "run", "input_schema": schema, **members}
    (found,) = read(json.dumps({"messages": [], "tools": [tool]})).tools
    return [leaf.text for leaf in found.leaves]


def test_the_tools_own_description_comes_first_then_those_of_its_properties_at_every_depth() -> None:
    schema = {
        "description": "arguments",
        "properties": {
            "files": {"type": "array", "description": "files", "items": {"description": "one file"}},
            "mode": {"anyOf": [{"description": "fast"}, {"description": "slow"}]},
        },
        "additionalProperties": {"description": "more"},
        "$defs": {"Line": {"properties": {"n": {"description": "a number"}}}},
    }

    assert descriptions(schema, description="Runs.") == [
        "Runs.", "arguments", "files", "one file", "fast", "slow", "more", "a number",
    ]  # fmt: skip


def test_a_property_called_description_is_a_property() -> None:
    schema = {"properties": {"description": {"type": "string", "description": "what it says"}}}

    assert descriptions(schema) == ["what it says"]


def test_names_enums_defaults_constants_and_examples_are_no_prose() -> None:
    values = [{"description": "a value"}]
    schema = {
        "properties": {"p": {"enum": values, "default": values[0], "const": values[0], "examples": values}}
    }

    assert descriptions(schema, title="Run") == []


def test_a_schema_that_is_true_or_false_has_nothing_to_say() -> None:
    assert descriptions({"properties": {"p": True}, "additionalProperties": False}) == []


def test_a_schema_too_deep_to_point_into_is_left_alone() -> None:
    schema: dict[str, Any] = {"description": "deepest"}
    for _ in range(LONGEST_POINTER // len("/items")):
        schema = {"items": schema}

    assert descriptions({**schema, "description": "top"}) == ["top"]
