"""The sections of a page about the run; what has no figures has no section."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from elision.compaction.logs.severities import RANKS, named
from elision.compaction.logs.window import NO_LEVEL
from elision.serving.batch.report.layout import UNTITLED, bars, counted, pair, rest, section
from elision.serving.batch.report.markup import (
    Column,
    Markup,
    clipped,
    duration,
    element,
    joined,
    number,
    percent,
    rate,
    table,
    text,
)
from elision.serving.batch.report.plots import bar, part_bar
from elision.serving.logs.templates import OTHER

TEMPLATES, SLOWEST = 25, 10  # rows at most; report.json has more

_OUTCOMES = {
    "": "shortened",
    "within_budget": "within the target as it came",
    "below_floor": "below the floor",
    "json": "JSON, whose structure stays",
    "not_shorter": "no shorter form",
    "internal_error": "an error of elision; left as it came",
    "deadline": "out of time",
    "pin_timeout": "a pin took too long to match",
}
# Colours of the levels: the lowest rank, and its CSS class.
_COLOURS = (
    (RANKS["ERROR"], "is-bad"),
    (RANKS["WARN"], "is-warn"),
    (RANKS["INFO"], "is-info"),
    (0, "is-soft"),
)


def outcomes(report: Mapping[str, Any]) -> Markup:
    """What became of the texts, and why characters went."""
    if not report["totals"]["texts"]:
        return Markup("")
    reasons = bars(
        "Outcome of each text",
        "Outcome",
        "Texts",
        ((_outcome(name), count, "") for name, count in _descending(report["reasons"])),
    )
    dropped = bars(
        "Characters left out by reason",
        "Reason",
        "Characters",
        ((element("code", name, class_="code"), count, "") for name, count in _descending(report["dropped"])),
    )
    return pair(
        section("Outcomes", f"What became of {counted(report['totals']['texts'], 'text')}.", reasons),
        section("Left out", "Characters by the reason they went.", dropped),
    )


def levels(report: Mapping[str, Any]) -> Markup:
    """Lines by the level that they declare."""
    levels = sorted(report["levels"].items(), key=lambda item: (-_rank(item[0]), -item[1], item[0]))
    if not levels:
        return Markup("")
    rows = ((_level(name), count, _colour(name)) for name, count in levels if count)
    plot = bars("Lines by level", "Level", "Lines", rows, "wide")
    return section("Levels", "Lines of logs by the level that their record declares.", plot)


def templates(report: Mapping[str, Any]) -> Markup:
    """Lines by template, and how many of them stay."""
    known = [row for row in report["templates"] if row["template"] != OTHER]
    shown, others = known[:TEMPLATES], known[TEMPLATES:]
    others += [row for row in report["templates"] if row["template"] == OTHER]
    if not known:
        return Markup("")
    columns = [
        Column("Template", "code"),
        Column("Lines", "number"),
        Column("Kept", "number", "Lines that stay verbatim"),
        Column("Share", "number"),
        Column("Lines and kept", "plot"),
    ]
    most = known[0]["lines"]
    rows = [_template(clipped(row["template"]), row["lines"], row["kept"], most) for row in shown]
    if others:
        lines, kept = (sum(row[side] for row in others) for side in ("lines", "kept"))
        rows.append(_template(element("span", "all others", class_="soft"), lines, kept, most=0))
    made = table("Templates by lines", columns, rows, class_="templates")
    lead = "Log records alike but for numbers, times and ids: lines that came in, lines that stay verbatim."
    return section(
        "Templates", lead, made, rest(len(shown), len(known), "templates", "those with the most lines")
    )


def slowest(report: Mapping[str, Any]) -> Markup:
    """What took longest."""
    rates = {file["name"]: file["megabytes_per_second"] for file in report["files"]}
    files, portions = report["slowest"]["files"][:SLOWEST], report["slowest"]["portions"][:SLOWEST]
    if not files:
        return Markup("")
    of_files = _timed("Slowest files", "Rate", files, lambda row: rate(rates.get(row["name"])))
    of_portions = _timed("Slowest portions", "Portion", portions, lambda row: number(row["portion"] + 1))
    return pair(
        section("Slowest files", "Time of the workers, all portions of a file together.", of_files),
        section("Slowest portions", "The slowest portion of each file.", of_portions),
    )


def settings(report: Mapping[str, Any]) -> Markup:
    """What was asked for."""
    pairs = ((name, _setting(value)) for name, value in report["settings"].items())
    return section(
        "Settings",
        "All that decides what comes out, with the bundle.",
        element(
            "dl",
            *(joined((element("dt", name), element("dd", value))) for name, value in pairs),
            class_="settings",
        ),
    )


def _template(name: Markup, lines: int, kept: int, most: int) -> Sequence[str | Markup]:
    plot = part_bar(kept, lines, most) if most else Markup("")
    return name, number(lines), number(kept), percent(kept / lines if lines else None), plot


def _timed(
    caption: str, other: str, rows: Sequence[Mapping[str, Any]], shown: Callable[[Any], str]
) -> Markup:
    most = max((row["seconds"] for row in rows), default=0)
    columns = [
        Column("File"),
        Column(other, "number"),
        Column("Time", "number"),
        UNTITLED,
    ]
    lines = ((row["name"], shown(row), duration(row["seconds"]), bar(row["seconds"], most)) for row in rows)
    return table(caption, columns, lines)


def _outcome(reason: str) -> Markup:
    code = element("code", reason, class_="code soft") if reason else Markup("")
    return joined((_OUTCOMES[reason], " ", code)) if reason in _OUTCOMES else code


def _level(level: str) -> str | Markup:
    return element("span", "none declared", class_="soft") if level == NO_LEVEL else level


def _colour(level: str) -> str:
    return next(kind for least, kind in _COLOURS if _rank(level) >= least)


def _rank(level: str) -> int:
    return RANKS.get(named(level) or "", 0)


def _setting(value: Any) -> Markup:
    if value is None or value in ("", []):
        return element("span", "none", class_="soft")
    if isinstance(value, bool):
        return text("yes" if value else "no")
    if isinstance(value, list):
        return joined((element("code", str(one), class_="code") for one in value), "<br>")
    if isinstance(value, dict):
        return joined(
            (text(f"{name}: {one}") for name, one in value.items() if one not in (None, "", [])), "<br>"
        )
    return text(number(value) if isinstance(value, int) else str(value))


def _descending(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(((name, n) for name, n in counts.items() if n), key=lambda item: (-item[1], item[0]))
