"""``elision import``: recorded sessions of agents, from the formats they come in, to learn from."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from elision.serving.commands import tools
from elision.serving.errors import BadOutput
from elision.serving.streams import STANDARD, say, write_bytes

SPLITS = ("train", "dev")
_WIDEST = 40  # characters of a kind in the table
_ROWS = 30

Paths = Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, folders, or globs in quotes; .gz and .zst too.")]


def import_(
    paths: Paths,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where train.jsonl.gz, dev.jsonl.gz and import.json go.")],
    format: Annotated[
        str, typer.Option("--format", metavar="NAME", help="The format of all files. [default: told from each]")
    ] = "",
    task: Annotated[
        str, typer.Option("--task", metavar="NAME", help="The task of all sessions. [default: what the files say]")
    ] = "",
    licence: Annotated[str, typer.Option("--licence", metavar="SPDX", help="Of the texts.")] = "",
    no_scrub: Annotated[bool, typer.Option("--no-scrub", help="Leave secrets and personal data as they are.")] = False,
    dev_share: Annotated[float, typer.Option("--dev-share", help="Share of the messages to hold out.")] = 0.1,
    seed: Annotated[int, typer.Option("--seed", help="Draws what is held out.")] = 0,
    as_json: tools.AsJson = False,
) -> None:
    """Import recorded sessions: Claude Code, Codex, request logs, OpenHands, SWE-agent, SpecStory, OTel.

    Duplicates go, secrets and personal data are replaced by fakes, and sessions of one task, or with the
    same long tool output, are never in both train and dev. What is not understood is passed over and told.
    """
    tools.need("import", "phonenumbers", "detect_secrets")
    from elision.serving.receipts import dumps
    from elision.training.transcripts.importing import import_transcripts, write_imported

    imported = import_transcripts(
        paths,
        format=format,
        task=task,
        licence=licence,
        scrub=not no_scrub,
        dev_share=dev_share,
        seed=seed,
        out=out,
    )
    try:
        write_imported(imported, out)
    except OSError as error:
        raise BadOutput(f"cannot write to {out}: {error.strerror or error}") from None
    report = imported.report.json()
    _tell_skipped(report["files"])
    if as_json:
        write_bytes(STANDARD, dumps(imported.public.json(), indent=2) + b"\n")
    else:
        _tell(report, out)


def _tell_skipped(files: list[dict[str, Any]]) -> None:
    """A table of what was passed over, by kind, with the place of the first."""
    rows: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for file in files:
        if not file["format"] and not file["skipped"]:
            rows.setdefault(("-", "file of no known format"), []).append((1, file["path"]))
        for one in file["skipped"]:
            place = f"{file['path']}:{one['line']}" if one["line"] else file["path"]
            rows.setdefault((file["format"] or "-", one["what"]), []).append((one["count"], place))
    if not rows:
        return
    say(f"kinds of lines and parts that were passed over, with the first of each: {len(rows)}", "warning")
    ordered = sorted(rows.items(), key=lambda row: -sum(count for count, _ in row[1]))
    for (format, what), places in ordered[:_ROWS]:
        count = sum(count for count, _ in places)
        print(f"{count:>7,} {format:<12} {what[:_WIDEST]:<{_WIDEST}} {places[0][1]}", file=sys.stderr)
    if len(ordered) > _ROWS:
        print(f"        and {len(ordered) - _ROWS} more kinds", file=sys.stderr)


def _tell(report: dict[str, Any], out: Path) -> None:
    for format in sorted({file["format"] for file in report["files"] if file["format"]}):
        files = [file for file in report["files"] if file["format"] == format]
        print(f"{format}: {sum(file['sessions'] for file in files):,} sessions in {len(files):,} files")
    left_out = f"{report['copies']:,} copies, {report['beginnings']:,} beginnings of others, {report['silent']:,} without an agent"
    print(f"left out: {left_out}")
    for title in ("repairs", "scrubbed"):
        if counts := report[title]:
            print(f"{title}: {', '.join(f'{count:,} x {what}' for what, count in counts.items())}")
    if report["scrubbed"] is None:
        say("nothing was scrubbed: the outputs hold whatever secrets the sessions do", "warning")
    for split in SPLITS:
        sessions, messages = report["sessions"][split], report["messages"][split]
        print(f"{split}: {sessions:,} sessions, {messages:,} messages -> {out / f'{split}.jsonl.gz'}")
    if not report["sessions"]["dev"]:
        say("dev is empty: all sessions hang together by task or by what their tools put out", "warning")
    for warning in report["warnings"]:
        say(warning, "warning")
