"""What `POST /v1/compress/text` takes and gives.

pydantic refuses a `str` that holds a lone surrogate; tool output does not. So texts have a
type of their own that takes any string as it is.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from elision.compaction.errors import BadPin
from elision.compaction.pins import compile_pins
from elision.serving.errors import FieldError, InvalidFields


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


def _given(name: str, kind: str) -> JsonDict:
    return {"required": [name], "properties": {name: {"type": kind}}}


class CompressText(BaseModel):
    """Texts to shorten, each with its own budget; null is the same as leaving a field out."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "oneOf": [_given("text", "string"), _given("texts", "array")],
            "not": {"allOf": [_given("keep_ratio", "number"), _given("target_tokens", "integer")]},
        },
    )

    text: Annotated[AnyText | None, Field(description="One text; the answer is one object.")] = None
    texts: Annotated[
        list[AnyText] | None, Field(max_length=1000, description="Several; the answer is a list.")
    ] = None
    query: Annotated[AnyText | None, Field(description="What the reader is after.")] = None
    keep_ratio: Annotated[
        Ratio | None, Field(description="Share of the tokens to keep; 0.5 if no budget is given.")
    ] = None
    target_tokens: Annotated[Positive | None, Field(description="Tokens to keep.")] = None
    model: Annotated[
        AnyText | None, Field(description="The reading model; its tokens are counted, if known.")
    ] = None
    floor_tokens: Annotated[Count | None, Field(description="Shorter texts are left alone.")] = None
    pins: Annotated[
        list[Pattern] | None, Field(max_length=64, description="Regular expressions; what matches must stay.")
    ] = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.text is None) == (self.texts is None):
            raise PydanticCustomError("one_of", "give exactly one of text and texts")
        if self.keep_ratio is not None and self.target_tokens is not None:
            raise PydanticCustomError("one_of", "give at most one of keep_ratio and target_tokens")
        return self

    @property
    def all(self) -> Sequence[str]:
        """The texts, be it one or several."""
        return [self.text] if self.text is not None else self.texts or []


class DroppedSpan(BaseModel):
    start: int
    end: int
    replacement: str
    reason: str


class PinnedSpan(BaseModel):
    start: int
    end: int
    reason: str


class CountedBy(BaseModel):
    encoding: str
    exact: bool


class CompressedText(BaseModel):
    """A shortened text; replacing every dropped span of the input gives ``text`` exactly."""

    text: AnyText
    tokens_before: int
    tokens_after: int
    tokens_saved: int
    target_met: bool
    changed: bool
    reason: str
    dropped: list[DroppedSpan]
    pinned: list[PinnedSpan]
    bundle: str
    runner: str
    token_counter: CountedBy


class FieldProblem(BaseModel):
    pointer: str
    detail: str


class Problem(BaseModel):
    """An error as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: list[FieldProblem] = []


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


def read_compress_text(body: Any) -> CompressText:
    """Check a parsed body.

    Raises:
        InvalidFields: If it is not what the route takes; says which fields and why.
    """
    if not isinstance(body, dict):
        raise InvalidFields([FieldError("#", "must be an object")])
    try:
        return CompressText.model_validate(body)
    except ValidationError as error:
        raise InvalidFields([FieldError(_pointer(e["loc"]), e["msg"]) for e in error.errors()]) from None


def _pointer(path: Sequence[int | str]) -> str:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return "#" + "".join(f"/{step}" for step in steps)
