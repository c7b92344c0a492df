"""What the message routes take beside the provider's own body, and what they give."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from elision.compaction.conversation import Format
from elision.compaction.pins.text import compile_pins
from elision.compaction.policy import KEEP_TAGS, Policy, ToolRule, Treatment
from elision.compaction.types import Budget
from elision.serving.fields import AnyText, Count, Pattern, Positive, Ratio
from elision.serving.schemas import CountedBy, DroppedSpan, PinnedSpan

FormatName = Literal["openai_chat", "openai_responses", "anthropic", "gemini"]
Body = Annotated[
    Any,
    WithJsonSchema({"oneOf": [{"type": "object"}, {"type": "array"}]}),
    Field(description="The provider's request, or just its list of messages."),
]


def _rule(value: object) -> float | Treatment:
    if isinstance(value, str) and value in set(Treatment):
        return Treatment(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1:
        return float(value)
    raise PydanticCustomError("tool_rule", "must be a keep ratio above 0 and at most 1, never or fold_only")


Rule = Annotated[
    float | Treatment,
    PlainValidator(_rule),
    WithJsonSchema(
        {"oneOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 1}, {"enum": ["never", "fold_only"]}]}
    ),
]
Tag = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.\-]{0,63}$")]


class MessagesRequest(BaseModel):
    """A provider's request, and what it is; the body itself is never parsed into this."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"required": ["body"]})

    body: Body = None
    format: Annotated[FormatName | None, Field(description="Its wire format; told from the body if left out.")] = None
    model: Annotated[
        AnyText | None, Field(description="The reading model; its tokens are counted, if known.")
    ] = None


class CountMessages(MessagesRequest):
    """What a request costs its reader."""

    count_tools: Annotated[bool, Field(description="Whether tool definitions are part of the total.")] = True


class CompressMessages(MessagesRequest):
    """A request to shorten, and how; null is the same as leaving a field out."""

    mode: Annotated[
        Literal["ingress", "history"],
        Field(
            description="ingress: each tool result by its own budget, once and for all, so that prompt caches hold. "
            "history: all together under total_tokens; breaks the cached prefix."
        ),
    ] = "ingress"
    keep_ratio: Annotated[Ratio | None, Field(description="Share of each text's tokens to keep; 0.5 if none is given.")] = None
    target_tokens: Annotated[Positive | None, Field(description="Tokens of each text to keep.")] = None
    floor_tokens: Annotated[Count | None, Field(description="Shorter texts are left alone.")] = None
    total_tokens: Annotated[Positive | None, Field(description="history: tokens of the whole conversation.")] = None
    context_window: Annotated[Positive | None, Field(description="history: window of the reading model.")] = None
    reserve_tokens: Annotated[Count | None, Field(description="history: tokens of the window to leave free.")] = None
    count_tools: Annotated[bool, Field(description="history: whether tool definitions count as well.")] = False
    protect_recent: Annotated[Count, Field(description="history: newest messages that stay as they are.")] = 0
    overflow: Annotated[
        Literal["keep", "clip"],
        Field(description="history: whether texts are clipped to their ends where choosing is not enough."),
    ] = "keep"
    frozen_message_count: Annotated[Count, Field(description="Messages at the beginning that stay as they came.")] = 0
    protect: Annotated[list[Count], Field(max_length=10_000, description="Indexes of messages that stay as they came.")] = []
    assistant_text: Annotated[bool, Field(description="Whether long prose of the assistant is shortened too.")] = False
    tool_descriptions: Annotated[bool, Field(description="Whether descriptions of tools are shortened too.")] = False
    tool_rules: Annotated[
        dict[str, Rule],
        Field(max_length=256, description="By glob over tool names: a keep ratio, never, or fold_only."),
    ] = {}
    keep_tags: Annotated[list[Tag], Field(max_length=16, description="What stands between these tags stays.")] = list(KEEP_TAGS)
    pins: Annotated[list[Pattern], Field(max_length=64, description="Regular expressions; what matches must stay.")] = []
    clean: Annotated[bool, Field(description="Take control characters out of tool results, whatever the budget.")] = False
    redact: Annotated[bool, Field(description="Replace secrets in tool results, whatever the budget.")] = False
    repair: Annotated[bool, Field(description="Mend first what a provider would refuse.")] = False
    handles: Annotated[bool, Field(description="End each shortened text with the handle of its original.")] = False
    shadow: Annotated[bool, Field(description="Account for everything, change nothing.")] = False
    session_id: Annotated[AnyText | None, Field(description="Under which decisions and originals can be deleted.")] = None

    @model_validator(mode="after")
    def _fits_the_mode(self) -> Self:
        if self.keep_ratio is not None and self.target_tokens is not None:
            raise PydanticCustomError("one_of", "give at most one of keep_ratio and target_tokens")
        if self.mode == "ingress" and (self.total_tokens or self.context_window or self.protect_recent):
            raise PydanticCustomError(
                "mode", "total_tokens, context_window and protect_recent need mode history: they depend on later messages"
            )
        if self.mode == "history" and (self.keep_ratio is not None or self.target_tokens is not None):
            raise PydanticCustomError("mode", "in mode history the budget is total_tokens or context_window")
        return self

    def policy(self, floor_tokens: int) -> Policy:
        """What may be touched; ``floor_tokens`` where the caller gives none."""
        floor = floor_tokens if self.floor_tokens is None else self.floor_tokens
        return Policy(
            budget=Budget.asked(self.keep_ratio, self.target_tokens, floor),
            tool_rules=[ToolRule(tools, rule) for tools, rule in self.tool_rules.items()],
            assistant_text=self.assistant_text,
            tool_descriptions=self.tool_descriptions,
            keep_tags=self.keep_tags,
            frozen_messages=self.frozen_message_count,
            protected=frozenset(self.protect),
            pins=compile_pins(self.pins),
            show_handles=self.handles,
            clean=self.clean,
            redact=self.redact,
        )


class LeafReport(BaseModel):
    """What became of one text of the body; the spans are characters of it as it came."""

    path: str
    message: int
    tool: str
    changed: bool
    reason: str
    tokens_before: int
    tokens_after: int
    handle: str | None
    bundle: str | None
    dropped: list[DroppedSpan]
    pinned: list[PinnedSpan]


class ProblemReport(BaseModel):
    """What a provider would refuse."""

    pointer: str
    rule: str
    detail: str


class CompressedMessagesReport(BaseModel):
    """The body with some texts shortened; every other character of it is as it came."""

    body: Body
    format: Format
    tokens_before: int
    tokens_after: int
    tokens_saved: int
    target_met: bool
    changed: bool
    reason: str
    leaves: list[LeafReport]
    problems: list[ProblemReport]
    repairs: list[str]
    bundle: str
    runner: str
    token_counter: CountedBy


class Counted(BaseModel):
    """Tokens of a request, and of its parts."""

    tokens: int
    system: int
    messages: list[int]
    tools: int
    format: Format
    token_counter: CountedBy


class Validated(BaseModel):
    """Whether a provider would take a request, and where its messages may be cut."""

    valid: bool
    format: Format
    problems: list[ProblemReport]
    cut_points: list[int]
