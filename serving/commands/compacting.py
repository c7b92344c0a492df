"""``elision plan``, ``compact``, ``compare`` and ``policies``: history on the command line."""

import shlex
import shutil
import sys
from typing import Annotated

import typer

from elision.serving.commands import tools
from elision.serving.commands.expand import StorePath
from elision.serving.commands.histories import (
    File,
    Focus,
    Format,
    Idle,
    MaxOutput,
    Policy,
    Sets,
    Total,
    Turns,
    Why,
    WindowTokens,
    WriterList,
    asked_by,
    counter_by,
    job_by,
    means_by,
    policy_file,
    read_history,
    say_outcome,
)
from elision.serving.streams import STANDARD, write_bytes


def plan(
    ctx: typer.Context,
    file: File = STANDARD,
    policy: Policy = "elision",
    sets: Sets = None,
    window: WindowTokens = None,
    max_output: MaxOutput = 0,
    total_tokens: Total = None,
    cause: Why = "check",
    idle: Idle = None,
    turns: Turns = 10,
    writers: WriterList = "",
    format: Format = "auto",
    encoding: tools.Encoding = "o200k_base",
    model: tools.Model = None,
    bundle: tools.BundlePath = None,
    as_json: tools.AsJson = False,
) -> None:
    """Say what a policy would do to a history, why, and what that costs; nothing is done.

    It looks as an agent does before each request; --cause request says what `elision compact` would do.
    """
    from elision.serving.compacting.reports import plan_json
    from elision.serving.compacting.tables import plan_lines
    from elision.serving.lazy import LazyScorer
    from elision.serving.receipts import dumps

    asked = asked_by(policy, sets, window, max_output, total_tokens, cause, idle, turns, model)
    # What `compact` will have is at hand here too; a plan asks for no score, so nothing is loaded.
    scorer = ctx.obj.scorer or LazyScorer(bundle)
    history = read_history(file, format)
    means = means_by(counter_by(ctx, encoding, model, history), writers, scorer=scorer)
    job = job_by(history, asked, means)
    planned = job.plan()
    if as_json:
        write_bytes(STANDARD, dumps(plan_json(planned, job)) + b"\n")
    else:
        print("\n".join(plan_lines(planned)))


def compact(
    ctx: typer.Context,
    file: File = STANDARD,
    policy: Policy = "elision",
    sets: Sets = None,
    window: WindowTokens = None,
    max_output: MaxOutput = 0,
    total_tokens: Total = None,
    cause: Why = "request",
    idle: Idle = None,
    turns: Turns = 10,
    focus: Focus = "",
    redact: Annotated[bool, typer.Option("--redact", help="Replace secrets in all that is written and kept.")] = False,
    writers: WriterList = "",
    format: Format = "auto",
    encoding: tools.Encoding = "o200k_base",
    model: tools.Model = None,
    bundle: tools.BundlePath = None,
    store: StorePath = None,
    no_store: Annotated[
        bool, typer.Option("--no-store", help="Keep no originals for `elision expand`.")
    ] = False,
    as_json: tools.AsJson = False,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Write there, whole or not at all.")
    ] = STANDARD,
) -> None:
    """Rewrite a history so that it is shorter; what stays is as it came, what went comes back by its handle.

    It is done at once, for that is asked for; with --cause check only if the policy says that it is due. A
    target that is not met is said on stderr, and so are writers that failed; the exit code is 0 all the same.
    """
    from elision.serving.commands.compress import open_store
    from elision.serving.compacting.reports import outcome_json
    from elision.serving.receipts import dumps
    from elision.serving.stores.types import NoStores

    asked = asked_by(policy, sets, window, max_output, total_tokens, cause, idle, turns, model)
    asked = asked.model_copy(update={"focus": focus, "redact": redact})
    stores = open_store(store, no_store)
    try:
        history = read_history(file, format)
        tokens, scorer = counter_by(ctx, encoding, model, history), ctx.obj.load_scorer(bundle)
        job = job_by(history, asked, means_by(tokens, writers, stores, scorer))
        done = job.run()
    finally:
        stores.close()
    keeps = not isinstance(stores, NoStores)
    if as_json:
        rest = dumps(outcome_json(done, job, keeps))
        write_bytes(
            output, b'{"body": ' + done.raw.encode("utf-8", "surrogatepass") + b", " + rest[1:] + b"\n"
        )
    else:
        write_bytes(output, done.raw.encode("utf-8", "surrogatepass"))
    expand = f"elision expand {done.handle}" if keeps and done.handle else ""
    say_outcome(done, job, f"{expand} --store {shlex.quote(str(store))}" if expand and store else expand)


def compare(
    ctx: typer.Context,
    file: File = STANDARD,
    policies: Annotated[
        str, typer.Option("--policies", metavar="all|NAME,...", help="Policies to compare; files as well.")
    ] = "all",
    sets: Sets = None,
    window: WindowTokens = None,
    max_output: MaxOutput = 0,
    idle: Idle = None,
    turns: Turns = 10,
    writers: WriterList = "",
    format: Format = "auto",
    encoding: tools.Encoding = "o200k_base",
    model: tools.Model = None,
    bundle: tools.BundlePath = None,
    as_json: tools.AsJson = False,
) -> None:
    """Compact a history by several policies and show what each makes of it, loses and costs."""
    from elision.compaction.compact.mass import ValuedLines
    from elision.compaction.errors import BadPolicy
    from elision.compaction.policies.load import names
    from elision.serving.compacting.comparing import compared, comparison_json, comparison_lines
    from elision.serving.receipts import dumps
    from elision.serving.settings import NO_STORE, read_settings
    from elision.serving.stores.open import open_stores

    chosen = names() if policies == "all" else [name.strip() for name in policies.split(",") if name.strip()]
    if not chosen:
        raise BadPolicy(f"--policies names none; there are {', '.join(names())}")
    history = read_history(file, format)
    stores = open_stores(read_settings(store=NO_STORE))
    scorer = ctx.obj.load_scorer(bundle)
    means = means_by(counter_by(ctx, encoding, model, history), writers, stores, scorer)
    jobs = [
        job_by(history, asked_by(name, sets, window, max_output, None, "request", idle, turns, model), means)
        for name in chosen
    ]
    valued = ValuedLines.of(history, scorer)
    rows = [compared(job, valued) for job in jobs]
    if as_json:
        write_bytes(STANDARD, dumps([comparison_json(row) for row in rows]) + b"\n")
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        print("\n".join(comparison_lines(rows, width)))


def policies(
    name: Annotated[str | None, typer.Argument(metavar="[NAME|FILE]", help="One of them, whole.")] = None,
    sets: Sets = None,
    as_json: tools.AsJson = False,
) -> None:
    """List the policies that history can be compacted by, or show one as a file, with what it extends."""
    from elision.compaction.policies.load import load, names, settings
    from elision.serving.compacting.reports import policy_json
    from elision.serving.compacting.tables import policy_text
    from elision.serving.receipts import dumps

    if name is not None:
        if as_json:
            found = load(name, sets or [], policy_file)
            write_bytes(STANDARD, dumps(found.model_dump(mode="json", by_alias=True)) + b"\n")
        else:
            text = policy_text(settings(name, sets or [], policy_file), sets or [])
            write_bytes(STANDARD, text.encode("utf-8", "surrogatepass"))
        return
    listed = [load(one) for one in names()]
    if as_json:
        write_bytes(STANDARD, dumps([policy_json(one) for one in listed]) + b"\n")
        return
    for one in listed:
        print(f"{one.name:20}{one.version:12}{one.title}")
        if one.approximate:
            print(f"{'':32}approximate: {one.approximate}")
