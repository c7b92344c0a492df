"""The sections of a page about single files."""

from collections.abc import Mapping, Sequence
from typing import Any

from elision.serving.batch.report.layout import rest, section
from elision.serving.batch.report.markup import (
    Cell,
    Column,
    Markup,
    clipped,
    duration,
    element,
    joined,
    number,
    percent,
    rate,
    size,
    table,
)
from elision.serving.batch.report.plots import LogScale, axis, dumbbell, scatter

# What a page shows at most. A browser lays out a thousand rows in a blink; report.json has all of them.
FILES, POINTS, SKIPPED = 1000, 2000, 200


def shares(report: Mapping[str, Any]) -> Markup:
    """Each file by its size and the share of it that is kept, with the share that was asked for."""
    sized = [file for file in _by_tokens(report["files"]) if file["kept"] is not None]
    if not sized:
        return Markup("")
    step = -(-len(sized) // POINTS)
    points = [(file["name"], file["tokens_before"], file["kept"]) for file in sized[::step]]
    plot = element("div", scatter(points, report["settings"]["keep_ratio"]), class_="card")
    more = rest(len(points), len(sized), "files", f"by size one in {step}")
    lead = "Each dot is a file: its tokens before, from left to right, and the share of them kept. Dashed: asked for."
    return section("Share kept by size", lead, plot, more)


def files(report: Mapping[str, Any]) -> Markup:
    """The table of all files; a script sorts and filters it."""
    files = _by_tokens(report["files"])
    if not files:
        return Markup("")
    shown = files[:FILES]
    scale = LogScale.around(file[side] for file in shown for side in ("tokens_before", "tokens_after"))
    columns = [
        Column("File"),
        Column("Form"),
        Column("Before", "number", "Tokens before"),
        Column("After", "number", "Tokens after"),
        Column("Kept", "number", "Share of the tokens"),
        Column(joined(["Tokens", axis(scale)]), "plot", "Grey: before, green: after"),
        Column("Lines", "number"),
        Column("Set aside", "number", "Records that are not in the output"),
        Column("Size", "number", "Bytes of the input as stored"),
        Column("Time", "number", "Time of the workers"),
        Column("Rate", "number"),
    ]
    made = table(
        "All files", columns, (_file(file, scale) for file in shown), class_="files sortable", id="files"
    )
    tools = Markup(
        '<div class="tools" id="files-tools" hidden><label for="files-filter">Filter by name</label>'
        '<input id="files-filter" type="search" autocomplete="off"><output for="files-filter"></output></div>'
    )
    more = rest(len(shown), len(files), "files", "the largest")
    return section("Files", "Tokens before and after, on a scale of powers of ten.", tools, made, more)


def skipped(report: Mapping[str, Any]) -> Markup:
    """The files that have no output."""
    skipped = report["skipped"]
    if not skipped:
        return Markup("")
    rows = (
        (one["path"], "not read" if one["failed"] else "left out", clipped(one["reason"]))
        for one in sorted(skipped, key=lambda one: not one["failed"])[:SKIPPED]
    )
    made = table("Files without an output", [Column("File"), Column("What"), Column("Why")], rows)
    return section(
        "Without an output",
        "Files that were not read or left out.",
        made,
        rest(SKIPPED, len(skipped), "files"),
    )


def _file(file: Mapping[str, Any], scale: LogScale) -> Sequence[str | Markup | Cell]:
    before, after = file["tokens_before"], file["tokens_after"]
    return (
        file["name"],
        file["form"],
        Cell(number(before), before),
        Cell(number(after), after),
        Cell(percent(file["kept"]), file["kept"]),
        dumbbell(before, after, scale) if before else Markup(""),
        Cell(number(file["lines"]), file["lines"]),
        Cell(number(file["records_set_aside"]), file["records_set_aside"]),
        Cell(size(file["bytes_in"]), file["bytes_in"]),
        Cell(duration(file["seconds"]), file["seconds"]),
        Cell(rate(file["megabytes_per_second"]), file["megabytes_per_second"]),
    )


def _by_tokens(files: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(files, key=lambda file: (-file["tokens_before"], file["name"]))
