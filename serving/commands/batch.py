"""``elision batch``: folders of logs and records, shortened by several processes, with a report."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from elision.serving.commands import log_flags, tools
from elision.serving.streams import say

if TYPE_CHECKING:
    from elision.serving.batch.inputs.find import Inputs
    from elision.serving.batch.run import Engine
    from elision.serving.batch.settings import BatchSettings
    from elision.serving.batch.types import Form, RunReport

Inputs_ = Annotated[
    list[str],
    typer.Argument(metavar="INPUT...", help="Files, folders, or globs in quotes; .gz and .zst too."),
]
FormName = Literal["auto", "log", "requests", "conversations", "records", "table"]


def batch(
    ctx: typer.Context,
    inputs: Inputs_,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where outputs and report go; empty or new.")],
    keep_ratio: Annotated[
        float, typer.Option("--keep-ratio", help="Share of the tokens of each text to keep, above 0, at most 1.")
    ] = 0.5,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Processes that shorten. [default: one per core]")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that was begun in DIR.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done to which files.")
    ] = False,
    engine: Annotated[
        Literal["local", "ray"], typer.Option("--engine", help="This machine, or a Ray cluster.")
    ] = "local",
    form: Annotated[FormName, typer.Option("--form", help="What the files hold; auto tells it from each.")] = "auto",
    column: Annotated[
        str | None, typer.Option("--column", metavar="NAME", help="The column of texts of parquet files.")
    ] = None,
    query: tools.Query = "",
    pin: tools.Pins = None,
    clean: Annotated[bool, typer.Option("--clean", help="Take control characters out, whatever the budget.")] = False,
    redact: Annotated[bool, typer.Option("--redact", help="Replace secrets, whatever the budget.")] = False,
    since: log_flags.Since = None,
    until: log_flags.Until = None,
    level: log_flags.Level = None,
    around: log_flags.Around = None,
    context: log_flags.Context = 0,
    encoding: tools.Encoding = "o200k_base",
    model: tools.Model = None,
    floor_tokens: tools.FloorTokens = 200,
    bundle: tools.BundlePath = None,
) -> None:
    """Shorten many files: logs, JSON lines, batch files of OpenAI and Anthropic, transcripts, parquet.

    Outputs have the names, the order and the packing of the inputs. A run that was stopped, even killed,
    goes on with --resume and ends with the same bytes. What is not JSON where it should be is set aside in
    set-aside.jsonl; report.html tells what was done. A file in a folder that is no text is left out with a
    warning. Exit code 1 says that a file could not be read, or that one named itself is no text.
    """
    from elision.serving.batch.run import inputs_of
    from elision.serving.batch.settings import BatchSettings

    _refuse_two_counters(ctx, model)
    settings = BatchSettings(
        keep_ratio,
        encoding,
        model,
        floor_tokens,
        query,
        tuple(pin or ()),
        clean,
        redact,
        bundle.absolute() if bundle else None,
        column,
        selection=log_flags.asked_of(since, until, level, around, context),
    )
    asked = _form(form)
    if dry_run:
        _show(inputs_of(inputs, out, settings, asked))
        return
    done = _run(inputs, out.absolute(), settings, engine, jobs or os.cpu_count() or 1, asked, resume)
    if done is None:
        say(f"nothing to resume: the run in {out} is finished")
    elif _told(done, out):
        raise typer.Exit(1)


def _run(
    inputs: list[str],
    out: Path,
    settings: "BatchSettings",
    engine: Literal["local", "ray"],
    jobs: int,
    form: "Form | None",
    resume: bool,
) -> "RunReport | None":
    from elision.serving.batch.progress import watching
    from elision.serving.batch.run import run

    try:
        with watching() as watcher:
            return run(
                inputs,
                out,
                settings,
                engine=_engine(engine),
                engine_name=engine,
                jobs=jobs,
                form=form,
                resume=resume,
                watcher=watcher,
            )
    except KeyboardInterrupt:
        say("interrupted; what is done stays, --resume goes on")
        raise


def _refuse_two_counters(ctx: typer.Context, model: str | None) -> None:
    source = ctx.get_parameter_source("encoding")
    if model is not None and source is not None and source.name == "COMMANDLINE":
        raise typer.BadParameter("--model and --encoding exclude each other, give one")


def _engine(name: Literal["local", "ray"]) -> "Engine":
    if name == "local":
        from elision.serving.batch.engines.local import run_local

        return run_local
    from elision.serving.batch.engines.ray_engine import run_ray

    return run_ray


def _form(name: FormName) -> "Form | None":
    from elision.serving.batch.types import Form

    return None if name == "auto" else Form(name)


def _show(inputs: "Inputs") -> None:
    """The files and what would be done to them, as a table; nothing is touched."""
    for source in inputs.sources:
        holds = f"{source.form}{' (one document)' if source.document else ''}"
        print(f"{holds:<26}{source.packing or 'plain':<7}{source.size:>15,}  {source.path} -> {source.name}")
    for skipped in inputs.skipped:
        print(f"{'left out':<26}{'':<7}{'':>15}  {skipped.path}: {skipped.reason}")


def _told(done: "RunReport", out: Path) -> bool:
    """Say in a line or two what was done; whether a file could not be read."""
    before = sum(file.totals.tokens_before for file in done.files)
    after = sum(file.totals.tokens_after for file in done.files)
    aside = sum(file.records_set_aside for file in done.files)
    replaced = sum(file.totals.replaced_bytes for file in done.files)
    for skipped in done.skipped:
        say(f"{skipped.path}: {skipped.reason}", "error" if skipped.failed else "warning")
    if aside:
        say(f"{_counted(aside, 'record')} set aside, see {out / 'set-aside.jsonl'}", "warning")
    if replaced:
        were = "was" if replaced == 1 else "were"
        where = _counted(sum(file.totals.replaced_bytes > 0 for file in done.files), "file")
        say(f"{_counted(replaced, 'byte')} in {where} {were} not valid, U+FFFD stands there", "warning")
    share = f" ({after / before:.1%})" if before else ""
    files = _counted(len(done.files), "file")
    say(f"{files}, {before:,} -> {after:,} tokens{share}; see {out / 'report.html'}")
    return bool(done.failed)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
