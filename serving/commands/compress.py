"""``elision compress``: a text, a log or a provider's request in, a shorter one out."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from elision.serving.commands import log_flags, tools
from elision.serving.commands.expand import StorePath
from elision.serving.commands.packed import refuse_packed
from elision.serving.streams import STANDARD, say, write_bytes

if TYPE_CHECKING:
    from elision.compaction.tokens import Tiktoken
    from elision.compaction.types import Order
    from elision.serving.commands.following import StreamAsked
    from elision.serving.stores.types import Stores

Input = Literal["auto", "text", "openai_chat", "openai_responses", "anthropic", "gemini"]
_PATIENCE = 3.0  # seconds of a pipe after which whoever watches is told how to follow one


def compress(
    ctx: typer.Context,
    file: tools.File = STANDARD,
    keep_ratio: tools.KeepRatio = None,
    target_tokens: tools.TargetTokens = None,
    query: tools.Query = "",
    pin: tools.Pins = None,
    clean: Annotated[bool, typer.Option("--clean", help="Take control characters out, whatever the budget.")] = False,
    redact: Annotated[bool, typer.Option("--redact", help="Replace secrets, whatever the budget.")] = False,
    format: Annotated[
        Input, typer.Option("--format", help="What the input is; auto tells a provider's request from a text.")
    ] = "auto",
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="For a request, any option of POST /v1/compress/messages, such as mode=history. May be repeated.",
        ),
    ] = None,
    log: log_flags.Log = False,
    since: log_flags.Since = None,
    until: log_flags.Until = None,
    level: log_flags.Level = None,
    around: log_flags.Around = None,
    context: log_flags.Context = 0,
    counts: log_flags.Counts = False,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="A log that may never end: shorten what comes as it comes; keeps no originals."),
    ] = False,
    window: Annotated[
        int, typer.Option("--window", min=1_000, help="With --stream, characters that are shortened together.")
    ] = 1_000_000,
    latency: Annotated[
        float, typer.Option("--latency", min=0, help="With --stream, seconds that a line of a pipe waits for others.")
    ] = 2.0,
    encoding: tools.Encoding = "o200k_base",
    model: tools.Model = None,
    floor_tokens: tools.FloorTokens = 200,
    bundle: tools.BundlePath = None,
    store: StorePath = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep no originals for `elision expand`.")] = False,
    as_json: tools.AsJson = False,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Write there, whole or not at all.")
    ] = STANDARD,
) -> None:
    """Shorten a text, or what tools answered in a provider's request; what survives is sliced from the original.

    The input is UTF-8, or UTF-16/32 with a byte order mark; the output is UTF-8. Of a request nothing
    changes but the shortened texts. What was left out comes back with `elision expand HANDLE`.

    Of a log all that repeats is folded: with --log, with a flag that selects records, and with --stream,
    which writes each window when it has its size or its first line has waited for long enough. Budgets are
    then of each window, and --json writes an object for each.
    """
    from elision.compaction.pins.text import compile_pins
    from elision.compaction.types import Order

    budget = tools.budget_of(keep_ratio, target_tokens, floor_tokens)
    order = Order(budget, query, bool(query), compile_pins(pin or []), clean=clean, redact=redact)
    selection = log_flags.selection_of(since, until, level, around, context)
    is_log = log or selection is not None
    if stream or is_log:
        _refuse(format not in ("auto", "text"), f"--format {format} is a request, and a log is a text")
        _refuse(option, "--set is for requests, and a log is a text")
    if stream:
        from elision.serving.commands.following import StreamAsked

        _refuse(store, "--store is for texts that end; of a stream no originals are kept")
        _refuse(output != STANDARD, "--output is written whole, and a stream may never end; use > FILE")
        followed = StreamAsked(file, selection, window, latency, counts, as_json)
        _follow(ctx, followed, order, bundle, tools.counter_of(ctx, encoding, model))
    _refuse(_typed(ctx, "window"), "--window needs --stream")
    _refuse(_typed(ctx, "latency"), "--latency needs --stream")
    _refuse(counts and not is_log, "--counts needs --log, or a flag that selects records")

    from elision.serving.commands.outcomes import is_request, of_log, of_request, of_text
    from elision.serving.fail_open import Shortener

    flags = {
        "keep_ratio": keep_ratio,
        "target_tokens": target_tokens,
        "floor_tokens": floor_tokens,
        "pins": pin or [],
        "clean": clean,
        "redact": redact,
    }
    asked = flags | _options(option or [])
    tokens = tools.counter_of(ctx, encoding, model)
    with _patiently(file):
        refuse_packed(file)
        source = tools.read_text(file)
    shortener = Shortener(ctx.obj.load_scorer(bundle), tokens, failed=_warn)
    stores = open_store(store, no_store)
    try:
        if is_log:
            result = of_log(source.text, order, selection, shortener, stores, counts=counts)
        elif format == "text" or (format == "auto" and not is_request(source.text)):
            _refuse(option, "--set is for requests, and the input is a text; name its --format")
            result = of_text(source.text, order, shortener, stores)
        else:
            _refuse(query, "--query is for texts; a request tells what its agent is after")
            asked["format"] = None if format == "auto" else format
            result = of_request(source.text, asked, shortener, stores)
    finally:
        stores.close()
    replaced = {"replaced_bytes": source.replaced_bytes} if source.replaced_bytes else {}
    write_bytes(output, result.json(replaced) if as_json else result.data)
    if result.table is not None and not as_json:
        print(result.table, file=sys.stderr)
    if sys.stderr.isatty():
        say(result.said)


def _follow(
    ctx: typer.Context, asked: "StreamAsked", order: "Order", bundle: Path | None, counter: "Tiktoken"
) -> NoReturn:
    """Shorten a log as it comes, and end as it ended."""
    from elision.serving.commands.following import follow
    from elision.serving.lazy import LazyScorer

    if asked.file != STANDARD:
        refuse_packed(asked.file)
    scorer = ctx.obj.scorer or LazyScorer(bundle, os.cpu_count() or 1)
    raise typer.Exit(follow(asked, order, scorer, counter))


def _refuse(given: object, why: str) -> None:
    if given:
        raise typer.BadParameter(why)


def _typed(ctx: typer.Context, name: str) -> bool:
    """Whether a flag stands on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


@contextmanager
def _patiently(file: str) -> Iterator[None]:
    """Say once what follows a pipe, to whoever waits for one that does not end."""
    if file != STANDARD or not sys.stderr.isatty():
        yield
        return
    hint = Timer(_PATIENCE, say, ["reading to the end; --stream shortens what comes as it comes"])
    hint.daemon = True
    hint.start()
    try:
        yield
    finally:
        hint.cancel()


def _options(given: Sequence[str]) -> dict[str, Any]:
    """``NAME=VALUE`` each; a value is JSON, or else a string.

    Raises:
        BadParameter: If one has no name or no value.
    """
    options: dict[str, Any] = {}
    for option in given:
        name, equals, value = option.partition("=")
        if not name or not equals:
            raise typer.BadParameter(f"--set {option}: give NAME=VALUE")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options


def open_store(path: Any, no_store: bool) -> "Stores":
    """The store of the command line; none, with a warning, where it cannot be opened."""
    from elision.compaction.errors import StoreUnavailable
    from elision.serving.settings import NO_STORE, read_settings
    from elision.serving.stores.open import command_line_store, open_stores

    settings = read_settings()
    if no_store or (path is None and settings.store == NO_STORE):
        return open_stores(read_settings(store=NO_STORE))
    try:
        return open_stores(read_settings(store=str(Path(command_line_store(path)).absolute())))
    except (StoreUnavailable, OSError) as error:
        say(f"originals are not kept: {error}", "warning")
        return open_stores(read_settings(store=NO_STORE))


def _warn(error: BaseException) -> None:
    say(f"internal error, the text is unchanged: {type(error).__name__}: {error}", "warning")
