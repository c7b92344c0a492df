"""Figures and comparisons as tables for a human."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from elision.training.evaluation.against import Measurement, Report
from elision.training.evaluation.compare import Comparison
from elision.training.evaluation.cpu import Cost

OURS = "elision"
WIDTH = 120
PER_KIND = ("line_auc_ge2", "essential@0.33", "word_auc", "e2e_essential@0.33", "e2e_tokens@0.33")
_KEY = re.compile(r"(?:baseline\.(?P<method>\w+)\.)?(?P<figure>[^\[]+)(?:\[kind=(?P<kind>.*)\])?")


def print_figures(figures: Mapping[str, float], title: str = "", console: Console | None = None) -> None:
    """Print figures for a human: every figure of each method, then the main ones per kind."""
    console = console or _console()
    methods: dict[str, dict[str, float]] = defaultdict(dict)
    kinds: dict[str, dict[str, float]] = defaultdict(dict)
    for key, value in figures.items():
        found = _KEY.fullmatch(key)
        assert found, key
        method, figure, kind = found["method"] or OURS, found["figure"], found["kind"]
        if kind is None:
            methods[figure][method] = value
        elif method == OURS and figure in PER_KIND:
            kinds[kind][figure] = value
    console.print(_table(title, methods))
    console.print(_table(f"{OURS}, by kind", kinds))


def print_report(report: Report, console: Console | None = None) -> None:
    """Print a report: each label file, the transcripts, CPU time, and the verdicts counted."""
    console = console or _console()
    for found in report.labels:
        what = f"{report.bundle} on {found.items} chunks of {found.groups} documents, {found.source}"
        _print_measurement(found, what, console)
    if report.actions:
        its = report.actions
        what = f"{report.bundle} on {its.items} outputs of {its.groups} transcripts, {its.source}"
        _print_measurement(its, what, console)
    if report.cost:
        console.print(cost_line(report.cost, report.against))


def verdicts(comparisons: Sequence[Comparison]) -> str:
    """How many figures are better, not distinguishable and worse, in words; kinds do not count."""
    counts: dict[str, list[str]] = defaultdict(list)
    for one in comparisons:
        if one.kind is None:
            counts[one.verdict].append(one.figure)
    return "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in counts.items())


def cost_line(cost: Cost, other: str) -> str:
    """CPU time of both in one line."""
    return (
        f"CPU seconds for 1,000 tokens: {cost.ours:.4f}, {other} {cost.theirs:.4f}; "
        f"{ratio_of(cost)}: {cost.verdict}"
    )


def ratio_of(cost: Cost) -> str:
    """The ratio and its interval."""
    within = " ({:.3f} to {:.3f})".format(*cost.interval) if cost.interval else ""
    return f"ratio {cost.ratio:.3f}{within}"


def difference_of(one: Comparison) -> str:
    """The difference and its interval."""
    within = " ({:+.3f} to {:+.3f})".format(*one.interval) if one.interval else ""
    return f"{one.difference:+.3f}{within}"


def _table(title: str, rows: Mapping[str, Mapping[str, float]]) -> Table:
    """A row for each outer key, a column for each inner one."""
    table = Table(title=title, title_justify="left")
    table.add_column()
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    for column in columns:
        table.add_column(column, justify="right")
    for name, row in rows.items():
        table.add_row(name, *(f"{row[column]:.3f}" if column in row else "" for column in columns))
    return table


def _print_measurement(found: Measurement, title: str, console: Console) -> None:
    console.print(title, markup=False, highlight=False)
    for name, comparisons in (("the other bundle", found.bundle), ("the best rule", found.rules)):
        if not comparisons:
            continue
        table = Table("", OURS, name, f"difference (95 %, drawing {found.drawn})", "verdict", title_justify="left")
        for one in (one for one in comparisons if one.kind is None):
            theirs = f"{one.theirs:.3f} {one.other}"
            table.add_row(one.figure, f"{one.ours:.3f}", theirs, difference_of(one), one.verdict)
        console.print(table)
        if kinds := [one for one in comparisons if one.kind is not None]:
            _print_kinds(kinds, f"by kind, against {name}", console)
        console.print(f"against {name}: {verdicts(comparisons)}", markup=False, highlight=False)


def _print_kinds(kinds: Sequence[Comparison], title: str, console: Console) -> None:
    table = Table("", *dict.fromkeys(one.figure for one in kinds), title=title, title_justify="left")
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for one in kinds:
        rows[str(one.kind)][one.figure] = f"{one.ours:.3f} {difference_of(one)}"
    for kind, cells in rows.items():
        table.add_row(kind, *(cells.get(str(column.header), "") for column in table.columns[1:]))
    console.print(table)


def _console() -> Console:
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH  # of a pipe rich knows no width and takes 80
    return console
