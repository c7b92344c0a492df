"""What the routes that compact take beside the provider's own body."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from elision.serving.fields import AnyText, Count, Positive
from elision.serving.message_schemas import Body, MessagesRequest

CauseName = Literal["check", "request", "overflow", "model_switch"]


class PlanCompaction(MessagesRequest):
    """A history, a policy, and what is known of the session."""

    policy: Annotated[
        str, Field(description="Name of a policy; GET /v1/policies lists them.", max_length=4096)
    ] = "elision"
    policy_toml: Annotated[
        AnyText | None,
        Field(description="A policy of the caller's own, as the text of its file; instead of policy."),
    ] = None
    sets: Annotated[
        list[AnyText],
        Field(alias="set", description='Overrides, such as "trigger.ratio=0.8".', max_length=100),
    ] = []
    cause: Annotated[
        CauseName,
        Field(
            description="Why: an ordinary check, a request, an overflow, a switch to this model. "
            "Left out, a plan is of a check, and a compaction is requested."
        ),
    ] = "check"
    total_tokens: Annotated[
        Positive | None, Field(description="What system and messages shall come down to.")
    ] = None
    context_window: Annotated[Positive | None, Field(description="Window of the reading model.")] = None
    max_output: Annotated[
        Count, Field(description="The longest output that a request asks for, for which room is left.")
    ] = 0
    input_limit: Annotated[Positive | None, Field(description="Its limit of input alone.")] = None
    usage_input: Annotated[Positive | None, Field(description="Tokens that the provider counted last.")] = (
        None
    )
    usage_messages: Annotated[
        Count, Field(description="Of how many messages; the two go together.")
    ] = 0
    idle_seconds: Annotated[
        float | None, Field(ge=0, description="Since the last answer; left out, the cache is warm.")
    ] = None
    cached_tokens: Annotated[
        Count | None, Field(description="Of the beginning, what is in the provider's cache.")
    ] = None
    turns_left: Annotated[Count, Field(description="Further requests that are expected.")] = 10
    focus: Annotated[AnyText, Field(description="What a summary shall look at.")] = ""
    language: Annotated[
        str, Field(description="Of the summary; else that of the conversation.", max_length=60)
    ] = ""
    alternate: Annotated[
        bool, Field(description="Whether no two messages of one speaker may follow each other.")
    ] = False
    redact: Annotated[bool, Field(description="Replace secrets in all that is answered and kept.")] = False
    session_id: Annotated[AnyText | None, Field(description="Originals belong to this session.")] = None

    @model_validator(mode="after")
    def _one_policy(self) -> Self:
        if self.policy_toml is not None and "policy" in self.model_fields_set:
            raise PydanticCustomError("two_policies", "policy and policy_toml exclude each other, give one")
        return self

    @model_validator(mode="after")
    def _usage_is_of_messages(self) -> Self:
        if (self.usage_input is None) != (self.usage_messages == 0):
            raise PydanticCustomError("half_usage", "usage_input and usage_messages go together, give both or none")
        return self


class CompactHistory(PlanCompaction):
    """The same; done at once, for that is asked for."""

    cause: CauseName = "request"
    body: Body = None


class PlanReport(BaseModel):
    """What a policy would do, why, and what that costs."""

    policy: str
    decision: Literal["leave", "reduce", "compact"]
    reason: str
    detail: str
    triggers_at: int | None
    tokens_measured: int
    tokens_before: int
    tokens_expected: int
    context_window: int
    window_assumed: bool
    messages: list[dict[str, Any]]
    cut: dict[str, Any] | None
    pins: list[dict[str, Any]]
    bills: dict[str, Any] | None
    requests: list[str]
    token_counter: dict[str, Any]


class CompactedReport(BaseModel):
    """The body with a shorter history; what stays is spelled as it came."""

    body: Body
    format: str
    policy: str
    changed: bool
    decision: Literal["leave", "reduce", "compact"]
    reason: str
    detail: str
    tokens_before: int
    tokens_after: int
    tokens_saved: int
    target_met: bool
    summary: str
    summary_by: str
    cut: list[str]
    attempts: list[dict[str, Any]]
    cost: float
    restored_pins: list[dict[str, Any]]
    dropped_pins: int
    handle: str | None
    bound_thinking: list[int]
    plan: PlanReport
