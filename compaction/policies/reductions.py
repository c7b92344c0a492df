"""What a policy takes out of a history without anybody writing anything."""

from string import Formatter
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator

from elision.compaction.policies.table import Table

FILLED_IN = ("lines", "tool", "handle")  # in a placeholder or a header


def _fillable(template: str) -> str:
    names = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
    if unknown := sorted(names - set(FILLED_IN)):
        raise ValueError(f"{{{unknown[0]}}} is not filled in; only {', '.join(FILLED_IN)} are")
    return template


class Clip(Table):
    """Tool outputs longer than a limit keep their ends.

    Attributes:
        limit: In `unit`.
        share: Of the reader's window that the limit is at most, though not under `least`; none for any window.
        unit: ``tokens`` are the reader's; ``chars4``, ``bytes4`` and ``script_weighted`` are what an agent takes
            for tokens, as in `Measure.estimator`.
        head: Share of what stays that is taken from the beginning.
        header: A line above what stays, as a placeholder of `Mask` is filled in; none if it is empty.
        newest: Whether the limit is one for all outputs together, spent from the newest on.
        unread: Whether those that the model has not read yet are clipped too, as agents do that clip at the source.
        always: Whether it is done to every request, triggered or not.
    """

    limit: PositiveInt
    share: float | None = Field(default=None, gt=0, le=1)
    least: PositiveInt = 4000
    unit: Literal["tokens", "chars", "bytes", "chars4", "bytes4", "script_weighted"] = "tokens"
    head: float = Field(default=0.5, ge=0, le=1)
    header: str = ""
    newest: bool = False
    unread: bool = False
    always: bool = False

    @field_validator("header")
    @classmethod
    def _is_a_line_that_can_be_filled_in(cls, header: str) -> str:
        if "\n" in header:
            raise ValueError("it is one line")
        return _fillable(header)


class Mask(Table):
    """Old tool outputs become a placeholder; their calls stay.

    Attributes:
        protect_tokens: The newest so many tokens of outputs stay, counted back from the turns that are protected.
        protect_last: The newest so many outputs stay.
        protect_turns: The outputs of the last so many turns stay.
        turn: What a turn is: ``user`` from one user message to the next, ``step`` one step of the assistant.
        minimum: Tokens that must be freed, or nothing is.
        exempt: Globs of tools whose outputs stay.
        only: Globs of tools whose outputs may go; all if there are none.
        again_first: Whether what can be read again cheaply goes before what cannot; lines of errors that nothing
            has resolved then stay behind the placeholder.
        preview: So many characters of the beginning and of the end stay around the placeholder.
        keep_error: Whether a failed output's exit code and last line about an error stay behind the placeholder.
        always: Whether it is done to every request, triggered or not.
        placeholder: What stands there; ``{lines}``, ``{tool}`` and ``{handle}`` are filled in.
    """

    protect_tokens: NonNegativeInt = 0
    protect_last: NonNegativeInt = 0
    protect_turns: NonNegativeInt = 0
    turn: Literal["user", "step"] = "user"
    minimum: NonNegativeInt = 0
    exempt: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    again_first: bool = False
    preview: NonNegativeInt = 0
    keep_error: bool = False
    always: bool = False
    placeholder: str = "[…{lines} lines of {tool}]"

    @field_validator("placeholder")
    @classmethod
    def _can_be_filled_in(cls, placeholder: str) -> str:
        return _fillable(placeholder)


class Dedupe(Table):
    """Of outputs that say the same the newest stays."""


class StripMedia(Table):
    """Images and files of old turns become a line that says so.

    Attributes:
        protect_turns: Those of the last so many turns stay.
        turn: What a turn is, as in `Mask`.
    """

    protect_turns: NonNegativeInt = 1
    turn: Literal["user", "step"] = "user"


class Skeleton(Table):
    """Old file reads become their signatures.

    Attributes:
        protect_turns: Those of the last so many turns stay.
        turn: What a turn is, as in `Mask`.
        min_tokens: A shorter one stays.
    """

    protect_turns: NonNegativeInt = 1
    turn: Literal["user", "step"] = "user"
    min_tokens: PositiveInt = 400


class Compress(Table):
    """Texts that stay are shortened by the classifier.

    Attributes:
        keep_ratio: Of each output that is not protected.
        protect_turns: Those of the last so many turns stay.
        turn: What a turn is, as in `Mask`.
    """

    keep_ratio: float = Field(gt=0, le=1)
    protect_turns: NonNegativeInt = 1
    turn: Literal["user", "step"] = "user"


class Reduce(Table):
    """What is done without writing anything, in this order."""

    clip: Clip | None = None
    dedupe: Dedupe | None = None
    strip_media: StripMedia | None = None
    mask: Mask | None = None
    skeleton: Skeleton | None = None
    compress: Compress | None = None

    def within(self, window: int) -> "Reduce":
        """The same for a reader's window of so many tokens."""
        if self.clip is None or self.clip.share is None:
            return self
        limit = min(self.clip.limit, max(self.clip.least, int(self.clip.share * window)))
        return self.model_copy(update={"clip": self.clip.model_copy(update={"limit": limit})})

    @property
    def always(self) -> "Reduce":
        """What of it is done to every request, triggered or not."""
        return Reduce(
            clip=self.clip if self.clip and self.clip.always else None,
            mask=self.mask if self.mask and self.mask.always else None,
        )
