"""What `POST /v1/compress/text` takes and gives."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from elision.serving.fields import AnyText, Count, Pattern, Positive, Ratio


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

    clean: Annotated[bool, Field(description="Take control characters out, whatever the budget.")] = False
    redact: Annotated[bool, Field(description="Replace secrets, whatever the budget.")] = False
    overflow: Annotated[
        Literal["keep", "clip"],
        Field(description="clip: what choosing cannot bring under the target is clipped to its ends."),
    ] = "keep"
    session_id: Annotated[AnyText | None, Field(description="Under which the originals can be deleted.")] = None

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
    """A shortened text; replacing every dropped span of the input gives ``text`` exactly.

    ``handle`` is where the original can be had, if the text changed and the service has a store.
    """

    text: AnyText
    handle: str | None
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
