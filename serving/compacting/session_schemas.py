"""What the routes of sessions take and give."""

from collections.abc import Callable
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    WrapValidator,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from elision.compaction.conversation import Format
from elision.compaction.sessions.compacting import Ending
from elision.compaction.sessions.history import Fate
from elision.serving.compacting.schemas import CompactedReport, CompactHistory, PlanReport
from elision.serving.fields import AnyText, Count
from elision.serving.message_schemas import Body, FormatName, ProblemReport

LONGEST_NAME = 200
PLAIN = f"1 to {LONGEST_NAME} characters that can be printed, no space at either end"
NAME_SCHEMA: JsonDict = {"minLength": 1, "maxLength": LONGEST_NAME, "pattern": "^[^/]+$"}


def is_plain(text: str) -> bool:
    """Whether a text can be the name of something: short, and nothing in it that nobody sees."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable() and text == text.strip()


def is_name(text: str) -> bool:
    """Whether a text can be the name of a session, which stands between slashes."""
    return is_plain(text) and "/" not in text


def _id(value: str) -> str:
    if not is_plain(value):
        raise PydanticCustomError("bad_id", "must have {plain}", {"plain": PLAIN})
    return value


def _name(value: str) -> str:
    if not is_name(value):
        raise PydanticCustomError("bad_name", "must have {plain}, none of them a slash", {"plain": PLAIN})
    return value


def _place(value: object, check: Callable[[object], object]) -> object:
    """One error, where a union has one for each kind and calls them by our functions."""
    try:
        return check(value)
    except ValidationError:
        raise PydanticCustomError("no_place", "must be the id of a message or the number of an event") from None


Name = Annotated[AnyText, AfterValidator(_name), Field(json_schema_extra=NAME_SCHEMA)]
MessageId = Annotated[
    AnyText, AfterValidator(_id), Field(json_schema_extra={"minLength": 1, "maxLength": LONGEST_NAME})
]
Expected = Annotated[
    Count | None, Field(description="The last event that the caller knows of; if others undo it, 409.")
]
_OF_SESSIONS = ("body", "format", "session_id")  # which a session has by itself


class AppendEvents(BaseModel):
    """A history sent whole, of which what is new is appended; or messages that come at the end."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"oneOf": [{"required": ["body"]}, {"required": ["messages"]}]},
    )

    body: Body = None
    messages: Annotated[
        list[Any] | None,
        Field(
            description="Appended as they are, even if the like is there.",
            json_schema_extra={"type": "array"},
        ),
    ] = None
    ids: Annotated[
        list[MessageId] | None,
        Field(
            max_length=100_000,
            description="Of messages: one each. One that is there, with its bytes, is passed over.",
        ),
    ] = None
    format: Annotated[
        FormatName | None, Field(description="The wire format; told from the body if left out.")
    ] = None
    expected_seq: Expected = None


def _without_what_sessions_have(schema: JsonDict) -> None:
    properties = schema["properties"]
    assert isinstance(properties, dict)
    for name in _OF_SESSIONS:
        properties.pop(name)
    schema.pop("required", None)


class CompactSession(CompactHistory):
    """How to compact a session; the history is its own."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra=_without_what_sessions_have)

    @model_validator(mode="after")
    def _of_a_session(self) -> Self:
        if given := self.model_fields_set.intersection(_OF_SESSIONS):
            raise PydanticCustomError("of_session", "a session has its own {name}", {"name": min(given)})
        return self


class RollBack(BaseModel):
    """Where to go back to."""

    model_config = ConfigDict(extra="forbid", strict=True)

    to: Annotated[
        Count | AnyText,
        WrapValidator(_place),
        Field(
            description="Id of the message that shall be the last again, or number of an event; 0 empties the view."
        ),
    ]
    expected_seq: Expected = None


class Undo(BaseModel):
    """Which compaction is taken back, and with it all later ones."""

    model_config = ConfigDict(extra="forbid", strict=True)

    compaction: Annotated[AnyText | None, Field(description="Its id; null for the last.")] = None
    expected_seq: Expected = None


class Fork(BaseModel):
    """A new session with the beginning of this one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    session: Annotated[Name, Field(description="Its name.")]
    seq: Annotated[
        Count | None, Field(description="Number of the last event that it shares; null for all.")
    ] = None


class SessionPlace(BaseModel):
    """Where a session stands."""

    session: str
    seq: int
    format: Format | None
    messages: int
    ids: list[str]
    tokens: int
    compactions: list[str]


class SessionState(SessionPlace):
    """Where a session stands, and what is wrong with its view."""

    problems: Annotated[
        list[ProblemReport],
        Field(description="What a provider would refuse of the view; the log takes what happened all the same."),
    ]


class SessionViewed(SessionState):
    """The body to send to the provider, spelled as its messages came, and where the session stands."""

    body: Body


class Appended(SessionPlace):
    """What was appended."""

    appended: list[str]


class SessionCompacted(CompactedReport):
    """The view, and what came of its compaction."""

    plan: PlanReport | None  # type: ignore[assignment]
    session: str
    seq: int
    ids: list[str]
    compaction: str | None
    ending: Ending
    joined: bool


class CompactionRecord(BaseModel):
    """One compaction of a session."""

    id: str
    fate: Fate
    reason: str
    started_at: float
    ended_at: float | None
    policy: str
    trigger: str
    by: str
    tokens_before: int
    tokens_after: int
    cost: float
    covered: list[str]
    edited: list[str]
    inserted: list[str]
    summary: str
    pins: list[dict[str, Any]]


class SessionHistory(BaseModel):
    """All compactions of a session, in the order they began."""

    session: str
    events: int
    messages: int
    compactions: list[CompactionRecord]


class SessionEvents(BaseModel):
    """Events of a session as the log has them."""

    session: str
    events: list[dict[str, Any]]


class SessionLine(BaseModel):
    """A session in a list of them."""

    name: str
    events: int
    messages: int
    bytes: int
    created_at: float
    used_at: float


class SessionDeleted(BaseModel):
    """What went with a session."""

    session: str
    originals: int
