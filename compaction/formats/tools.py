"""Tool definitions: what in them is prose, and so a leaf.

A schema is walked by its keywords, so that names, enums, defaults and examples are never met, and a
property that happens to be called ``description`` is a property.
"""

from collections.abc import Iterator

from elision.compaction.conversation import Leaf, Tool
from elision.compaction.formats.at import At
from elision.compaction.raw_json import LONGEST_POINTER, step

# Where the wires put the schemas of a tool's arguments and answers; of Gemini in both spellings.
_SCHEMAS = (
    "parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema",
    "response", "responseJsonSchema", "response_json_schema",
)  # fmt: skip

_HOLDS_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_HOLDS = frozenset(
    {
        "items", "prefixItems", "prefix_items", "additionalItems", "contains", "propertyNames", "unevaluatedItems",
        "additionalProperties", "additional_properties", "unevaluatedProperties",
        "anyOf", "any_of", "oneOf", "allOf", "not", "if", "then", "else",
    }
)  # fmt: skip


def tool(at: At, told: At | None = None) -> Tool:
    """Read one definition.

    Args:
        told: Where its name, description and schema stand, if not directly in it.
    """
    told = told or at
    schemas = [schema for key in _SCHEMAS if (schema := told.get(key))]
    leaves = [*told.leaves("description"), *(leaf for schema in schemas for leaf in _descriptions(schema))]
    return Tool(told.text("name") or at.text("type"), at.path, at.span, tuple(leaves))


def _descriptions(schema: At) -> Iterator[Leaf]:
    waiting = [schema]
    while waiting:
        schema = waiting.pop()
        yield from schema.leaves("description")
        waiting += reversed([below for below in _below(schema) if len(below.path) <= LONGEST_POINTER])


def _below(schema: At) -> Iterator[At]:
    """The schemas directly in this one."""
    for key, node in schema.node.children:
        if key in _HOLDS_NAMED or key in _HOLDS and not isinstance(node.value, dict):
            path = schema.path + step(key)
            yield from (At(child, path + step(name)) for name, child in node.children)
        elif key in _HOLDS:
            yield At(node, schema.path + step(key))
