"""When a policy acts: how a request is counted, what triggers a compaction, and what keeps it from being done."""

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from elision.compaction.policies.table import Table


class Measure(Table):
    """How a request is counted before it is compared with a trigger.

    Attributes:
        estimator: ``tokenizer`` is the reader's; the others are what the agents use in its place.
        image_tokens: Of one image, sound or file.
        document_tokens: Of one document; as an image if not set.
        per_message: Added for each item: a call, a result, or all else of a message.
        anchor: Whether the provider's last count is taken for what it counted, and only the rest estimated.
        percent: Share of the window that may be filled, in percent. From there on it is forced, whatever the
            trigger says.
    """

    estimator: Literal["tokenizer", "chars4", "bytes4", "script_weighted"] = "tokenizer"
    image_tokens: NonNegativeInt = 765
    document_tokens: NonNegativeInt | None = None
    per_message: NonNegativeInt = 4
    anchor: bool = True
    percent: float = Field(default=100, gt=0, le=100)


class Trigger(Table):
    """When there is something to do; `combine` says whether the earliest or the latest of the points counts.

    Attributes:
        ratio: At this share of the window.
        remaining: When so few tokens of the window are left.
        dual_at: A window of more than so many tokens goes by `remaining`, any other by `ratio`.
        reserve_output: When no more than the model's longest output is left of the window.
        assumed_output: That output where it is not known, but a quarter of the window at most; 0 reserves none.
        reserve_cap: Where the model has an input limit of its own, the output's reserve is taken from that one
            and is at most so many tokens.
        absolute: At so many tokens.
        absolute_share: At this share of the window, kept between `absolute_min` and `absolute_max`.
        messages: At more than so many items, see `elision.compaction.compact.measure.items`; besides the points.
        always: At every request.
        over: Whether a point itself is still allowed, and only more than that is too much.
        scope: ``history`` leaves system, tools and the latest turn out of the count.
        overflow: When the provider said that a request was too large.
        model_switch: When the next model's window is smaller than what is there.
    """

    ratio: float | None = Field(default=None, gt=0, le=1)
    remaining: NonNegativeInt | None = None
    dual_at: PositiveInt | None = None
    reserve_output: bool = False
    assumed_output: NonNegativeInt = 0
    reserve_cap: NonNegativeInt | None = None
    absolute: PositiveInt | None = None
    absolute_share: float | None = Field(default=None, gt=0, le=1)
    absolute_min: NonNegativeInt = 0
    absolute_max: PositiveInt | None = None
    messages: PositiveInt | None = None
    always: bool = False
    over: bool = False
    combine: Literal["first", "last"] = "first"
    scope: Literal["total", "history"] = "total"
    overflow: bool = True
    model_switch: bool = True


class Gate(Table):
    """What keeps a compaction from being tried, or from being used.

    Attributes:
        min_messages: With fewer messages to go nothing is done.
        min_savings: Tokens that must be saved.
        min_progress: Share of the request that must be saved. What cannot save it is not tried.
        progress: What that is a share of: ``tokens``, or ``events``, which a plan alone can tell.
        enough: Where `reduce` alone brings a request to this share of the trigger's point, no message goes.
        pays: Whether the plan must be cheaper than leaving things, unless the window forces it.
        stalled: After so many compactions in a row that saved less than is asked, stop; 0 never stops.
        breaker: After so many failures in a row only a forced one is tried; 0 always tries.
        attempts: After so many forced ones in a row that failed, saved too little or were due again at once, only
            a person's request is tried; 0 always tries.
        retry_after: Seconds after which one more is tried in spite of the last three; 0 waits for a person.
        hysteresis: Tokens by which a request must have grown since the last one was compacted.
        cooldown: Seconds from the last one to the next, unless that is forced.
        fits: Whether a history that is still over the window then is brought within it, as by a target.
        latch_inflated: Whether, after a summary that was not smaller, only `reduce` is done until a person asks.
    """

    min_messages: NonNegativeInt = 1
    min_savings: NonNegativeInt = 0
    min_progress: float = Field(default=0, ge=0, lt=1)
    progress: Literal["tokens", "events"] = "tokens"
    enough: float | None = Field(default=None, gt=0, le=1)
    pays: bool = False
    stalled: NonNegativeInt = 3
    breaker: NonNegativeInt = 3
    attempts: NonNegativeInt = 3
    retry_after: NonNegativeInt = 600
    hysteresis: NonNegativeInt = 0
    cooldown: NonNegativeInt = 0
    fits: bool = False
    latch_inflated: bool = False
