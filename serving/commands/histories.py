"""What the commands of compaction share: their flags, and the job these ask for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from elision.serving.commands import tools
from elision.serving.streams import STANDARD, read_bytes, say

if TYPE_CHECKING:
    from elision.compaction.compact.types import CompactedHistory, Means
    from elision.compaction.conversation import Conversation
    from elision.compaction.tokens import Tiktoken
    from elision.model.types import Scorer
    from elision.serving.compacting.jobs import Job
    from elision.serving.compacting.schemas import PlanCompaction
    from elision.serving.stores.types import Stores

File = Annotated[str, typer.Argument(metavar="[FILE|-]", help="A provider's request; - is stdin.")]
Policy = Annotated[
    str, typer.Option("--policy", metavar="NAME|FILE", help="A policy of `elision policies`, or a TOML file.")
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="FIELD=VALUE", help="Override a field, such as trigger.ratio=0.8. May be repeated."
    ),
]
WindowTokens = Annotated[
    int | None,
    typer.Option("--window", min=1, help="Window of the reading model. [default: the model's, or 200000]"),
]
MaxOutput = Annotated[int, typer.Option("--max-output", min=0, help="Tokens that a request asks for.")]
Total = Annotated[
    int | None, typer.Option("--total-tokens", min=1, help="What system and messages shall come down to.")
]
Focus = Annotated[str, typer.Option("--focus", help="What the summary shall look at.")]
Idle = Annotated[
    float | None,
    typer.Option("--idle", min=0, metavar="SECONDS", help="Since the last answer; else the cache is warm."),
]
Turns = Annotated[int, typer.Option("--turns", min=0, help="Further requests that are expected.")]
Why = Annotated[
    Literal["check", "request", "overflow", "model_switch"],
    typer.Option(
        "--cause",
        help="Why one looks: by default `plan` checks whether anything is due, and `compact` does as requested.",
    ),
]
WriterList = Annotated[
    str,
    typer.Option(
        "--writers",
        envvar="ELISION_WRITERS",
        metavar="API:MODEL[@URL], ...",
        help="Who writes the summary, such as anthropic:claude-haiku-5.5; by rule if nobody does.",
    ),
]
Format = Annotated[
    Literal["auto", "openai_chat", "openai_responses", "anthropic", "gemini"],
    typer.Option("--format", help="The wire format; auto tells it from the request."),
]


def asked_by(
    policy: str,
    sets: list[str] | None,
    window: int | None,
    max_output: int,
    total_tokens: int | None,
    cause: str,
    idle: float | None,
    turns: int,
    model: str | None,
) -> "PlanCompaction":
    """The flags as a request asks it.

    Raises:
        InvalidFields: If a number is beyond all that makes sense.
    """
    from elision.serving.compacting.schemas import PlanCompaction
    from elision.serving.fields import checked

    return checked(
        PlanCompaction,
        {
            "policy": policy,
            "set": sets or [],
            "context_window": window,
            "max_output": max_output,
            "total_tokens": total_tokens,
            "cause": cause,
            "idle_seconds": idle,
            "turns_left": turns,
            "model": model,
        },
    )


def means_by(
    tokens: "Tiktoken", writers: str, stores: "Stores | None" = None, scorer: "Scorer | None" = None
) -> "Means":
    """What is at hand; without a scorer nothing is shortened, without a store nothing kept."""
    from elision.compaction.store import NoStore
    from elision.serving.compacting.service import means_of
    from elision.serving.compacting.writers import writers_from
    from elision.serving.fail_open import Shortener

    store = stores.scope("", "") if stores else NoStore()
    opened = writers_from(writers, "--writers (ELISION_WRITERS)")
    if scorer is None:
        return means_of(tokens, store, writers=opened)
    shortener = Shortener(scorer, tokens, failed=_warn)
    return means_of(tokens, store, shortener.shorten, shortener.made_by, opened)


def job_by(history: "Conversation", asked: "PlanCompaction", means: "Means") -> "Job":
    """What the flags ask for."""
    from elision.serving.compacting.jobs import ASSUMED_WINDOW, job_of, policy_of
    from elision.serving.errors import UnknownContextWindow

    policy = policy_of(asked, policy_file)
    try:
        return job_of(history, asked, means, policy=policy)
    except UnknownContextWindow:
        say(f"the model's window is not known, {ASSUMED_WINDOW:,} tokens are taken; say --window", "warning")
        return job_of(history, asked.model_copy(update={"context_window": ASSUMED_WINDOW}), means, policy=policy)


def say_outcome(done: "CompactedHistory", job: "Job", expand: str) -> None:
    """What a person has to know of a compaction, a line each on stderr.

    Args:
        expand: The command that gives the original back; empty if none was kept.
    """
    from elision.compaction.summary.chain import EXTRACTIVE

    names = {"": "nothing is written", EXTRACTIVE: "written by rule"}
    for writer, why in _given_up(done):
        instead = names.get(done.by, f"written by {done.by}")
        say(f"writer {writer} is given up ({why}): {instead}", "warning")
    say(f"{done.before:,} -> {done.after:,} tokens: {done.decision} ({done.detail})")
    if not done.target_met:
        target, window = job.occasion.target_tokens, job.occasion.window.input
        wanted = f"{target:,} were asked for" if target else f"with its tools more than the window's {window:,}"
        say(f"{done.after:,} tokens are left, {wanted}", "warning")
    if expand:
        say(expand, "original")


def _given_up(done: "CompactedHistory") -> list[tuple[str, str]]:
    """Each writer that was asked and has written nothing of the summary, with what went wrong last."""
    failed = {one.by: f"{one.failure}: {one.detail}" for one in done.attempts if one.failure}
    return [(by, why) for by, why in failed.items() if by not in done.by.split(", ")]


def read_history(file: str, format: str) -> "Conversation":
    """The request in a file, or on stdin.

    Args:
        format: Its wire format; ``auto`` tells it from the request.

    Raises:
        UnknownFormat, BadConversation, NotJson: If it is none.
    """
    from elision.compaction.conversation import Format as FormatName
    from elision.compaction.formats.read import read
    from elision.serving.commands.packed import refuse_packed
    from elision.serving.decode import decode

    if file != STANDARD:
        refuse_packed(file)
    return read(decode(read_bytes(file), file).text, None if format == "auto" else FormatName(format))


def counter_by(ctx: typer.Context, encoding: str, model: str | None, history: "Conversation") -> "Tiktoken":
    """The counter that the flags give, else that of the model which the request names."""
    source = ctx.get_parameter_source("encoding")
    told = source is not None and source.name == "COMMANDLINE"
    return tools.counter_of(ctx, encoding, model if told else model or history.model or None)


def policy_file(name: str) -> str:
    """The text of a user's own policy."""
    return Path(name).read_text(encoding="utf-8")


def _warn(error: BaseException) -> None:
    say(f"internal error, a text is unchanged: {type(error).__name__}: {error}", "warning")
