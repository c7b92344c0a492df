"""Kinds of fields, and how a parsed body is checked against a model.

pydantic refuses a `str` that holds a lone surrogate; tool output does not. So texts have a
type of their own that takes any string as it is.
"""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from elision.compaction.errors import BadPin
from elision.compaction.pins.text import compile_pins
from elision.serving.errors import FieldError, InvalidFields

Model = TypeVar("Model", bound=BaseModel)


def _any_string(value: object) -> str:
    if not isinstance(value, str):
        raise PydanticCustomError("string_type", "must be a string")
    return value


def _whole(value: object) -> object:
    """JSON has one kind of number: 2.0 is an integer there."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _pattern(value: str) -> str:
    if len(value) > 1000:
        raise PydanticCustomError("too_long", "must have at most 1000 characters")
    try:
        compile_pins([value])
    except BadPin as error:
        raise PydanticCustomError("bad_pin", "{why}", {"why": str(error)}) from None
    return value


AnyText = Annotated[str, PlainValidator(_any_string), WithJsonSchema({"type": "string"})]
Pattern = Annotated[
    str,
    PlainValidator(_any_string),
    AfterValidator(_pattern),
    WithJsonSchema({"type": "string", "format": "regex", "maxLength": 1000}),
]
_MOST = 2**53  # what every JSON library can carry
Positive = Annotated[int, Field(ge=1, le=_MOST), BeforeValidator(_whole)]
Count = Annotated[int, Field(ge=0, le=_MOST), BeforeValidator(_whole)]
Ratio = Annotated[float, Field(gt=0, le=1)]


def inlined(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of a model that refers to nothing: in a larger document ``#/$defs`` leads nowhere."""
    schema = model.model_json_schema()
    shared = schema.pop("$defs", {})

    def resolved(part: Any) -> Any:
        if isinstance(part, list):
            return [resolved(item) for item in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return resolved(shared[part["$ref"].removeprefix("#/$defs/")])
        return {key: resolved(value) for key, value in part.items()}

    return dict(resolved(schema))


def checked(model: type[Model], body: Any) -> Model:
    """Check a parsed body.

    Raises:
        InvalidFields: If it is not what the route takes; says which fields and why.
    """
    if not isinstance(body, dict):
        raise InvalidFields([FieldError("#", "must be an object")])
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise InvalidFields([FieldError(_pointer(e["loc"]), e["msg"]) for e in error.errors()]) from None


def _pointer(path: Sequence[int | str]) -> str:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return "#" + "".join(f"/{step}" for step in steps)
