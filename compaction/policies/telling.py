"""Which messages a policy lets go, how a summary tells of them, and how that goes back."""

from typing import Literal

from pydantic import ConfigDict, Field, NonNegativeInt, PositiveInt

from elision.compaction.policies.table import Table


class Select(Table):
    """What stays as it is when history goes; the rest is covered by the summary.

    The tail is the longest that every limit given allows, the head the longest that any limit given allows.
    Both end where a history may be cut. Where nobody writes a summary (`Summary.writer` is ``none``), what is
    between them is dropped and nothing stands for it.

    Attributes:
        head_messages: So many messages at the beginning stay, system messages not counted.
        head_tokens: Tokens at the beginning that stay.
        head_share: This share of the history, in tokens.
        tail_tokens: Tokens at the end that stay.
        tail_share: This share of the window; kept between `tail_min` and `tail_max`.
        tail_share_of: What the share is of: the ``window``, the ``history`` in characters, ``usable`` input.
        tail_messages: So many messages at the end.
        tail_turns: So many user turns at the end.
        target: What stays altogether is at most this share of the events that were there, the summary being one
            more, and of the window.
        target_events: What stays altogether is at most so many events, the summary being one of them.
        first_fits: Whether the tail's limit may be overrun by the message that crosses it.
        snap: Where the tail begins if it may not begin where the limit says: ``forward`` is a shorter one, or,
            where none is shorter, the shortest there is.
        start: Whose message the tail may begin with. Unless anybody's, results that the model has not read yet
            do not go, as long as they fit.
        head_ends_with: Whose message what goes must end with; empty if anybody's.
        keep_users: Tokens of the user's own messages, newest first, that stay word for word besides.
        keep_users_reserve: Of these, tokens that the first message has for itself.
        keep_users_cut: Whether the message that crosses the limit loses its middle; else it is left out.
        all_up_to: A history of at most so many messages goes whole, and one of which no more would go.
        last_user: Whether all from the user's last message on stays, and no limit of the tail counts it.
        files_again: Of the files of which all that was read goes, the host is asked to read so many again, the
            newest first.
        files_again_tokens: As long as these had no more tokens together.
        nothing: Whether nothing goes: only `reduce` is done.
    """

    head_messages: NonNegativeInt = 0
    head_tokens: NonNegativeInt | None = None
    head_share: float | None = Field(default=None, gt=0, lt=1)
    tail_tokens: NonNegativeInt | None = None
    tail_share: float | None = Field(default=None, gt=0, lt=1)
    tail_share_of: Literal["window", "history", "usable"] = "window"
    tail_min: NonNegativeInt = 0
    tail_max: PositiveInt | None = None
    tail_messages: NonNegativeInt | None = None
    tail_turns: NonNegativeInt | None = None
    target: float | None = Field(default=None, gt=0, lt=1)
    target_events: PositiveInt | None = None
    first_fits: bool = False
    snap: Literal["forward", "back"] = "forward"
    start: Literal["any", "user", "spoken"] = "any"
    head_ends_with: Literal["", "assistant"] = ""
    keep_users: NonNegativeInt = 0
    keep_users_reserve: NonNegativeInt = 0
    keep_users_cut: bool = False
    all_up_to: NonNegativeInt = 0
    last_user: bool = False
    files_again: NonNegativeInt = 0
    files_again_tokens: PositiveInt = 50_000
    nothing: bool = False


class SectionTable(Table):
    """See `elision.compaction.summary.types.Section`.

    Attributes:
        by_code: Whether pins tell all of it, so that the writer is not asked where the policy attaches pins.
    """

    heading: str
    ask: str
    optional: bool = False
    by_code: bool = False


class SplitTurn(Table):
    """A second summary, where the tail begins inside a turn: of that turn's beginning.

    Attributes:
        sections: What it consists of.
        max_tokens: Tokens it may have.
    """

    sections: tuple[SectionTable, ...]
    max_tokens: PositiveInt = 2048


class Summary(Table):
    """How what goes is put into words.

    Attributes:
        writer: ``llm`` asks one; ``extractive`` is by rule; ``none`` writes nothing.
        fallback: What is done where writers were asked and none gave a summary: ``rule`` makes one by rule;
            ``keep`` leaves the history, unless what they wrote only was not in the form that was asked for.
            Without any writer it is by rule.
        sections: What it consists of.
        style: How headings are written.
        person: ``user`` writes as the user would (aider); ``third`` is a report.
        clip_chars: Outputs in what the writer reads are clipped to so many characters; 0 leaves them.
        texts_only: Whether the writer reads no calls and no results.
        prior: What becomes of an earlier summary: ``message`` is read like any other, ``update`` is handed
            over to be brought up to date; it is known again by `Compose.prefix`.
        rebuild_every: Every so many updates it is written anew from the messages themselves; 0 never.
        max_tokens: Tokens it may have.
        pins: Whether pins are attached by code and checked afterwards.
        pins_share: Share of the window that they may have, kept between `pins_min` and `pins_max`; what is
            hard has as much as it needs.
        check: Whether statements must cite, and what the source does not have is cut.
        second_look: Whether a second call asks for what was left out (Gemini CLI).
        split_turn: The summary of a turn whose end stays (pi).
    """

    writer: Literal["llm", "extractive", "none"] = "llm"
    fallback: Literal["rule", "keep"] = "rule"
    sections: tuple[SectionTable, ...] = ()
    style: Literal["markdown", "xml", "prose"] = "markdown"
    person: Literal["third", "user"] = "third"
    clip_chars: NonNegativeInt = 0
    texts_only: bool = False
    prior: Literal["message", "update"] = "message"
    rebuild_every: NonNegativeInt = 0
    max_tokens: PositiveInt = 4096
    pins: bool = False
    pins_share: float = Field(default=0.1, gt=0, lt=1)
    pins_min: NonNegativeInt = 1500
    pins_max: PositiveInt = 8000
    check: bool = False
    second_look: bool = False
    split_turn: SplitTurn | None = None


class Compose(Table):
    """How the summary goes back.

    Attributes:
        role: Whose message it is.
        prefix: Stands before it, `suffix` behind it.
        place: ``cut`` where what it stands for stood, ``last`` behind everything, ``first`` before the head,
            ``before_last_user`` before the user's last message that stays. Where a provider takes it not
            there, it is ``cut``.
        lead: What the user says in front of it, where it is the assistant's.
        ack: What the assistant answers, where the agent makes it do so.
        file_lists: Whether lists of the files read and changed are attached by code.
        continue_: What the user says behind what is the assistant's: last of all, and between a summary and
            the assistant's own words, where both are the assistant's; TOML ``continue``.
    """

    model_config = ConfigDict(populate_by_name=True)

    role: Literal["user", "assistant"] = "user"
    prefix: str = ""
    suffix: str = ""
    place: Literal["cut", "last", "first", "before_last_user"] = "cut"
    lead: str = ""
    ack: str = ""
    file_lists: bool = False
    continue_: str = Field(default="", alias="continue")
