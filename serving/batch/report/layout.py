"""What the sections of a page are made of."""

from collections.abc import Iterable

from elision.serving.batch.report.markup import Column, Markup, element, number, percent, table
from elision.serving.batch.report.plots import bar
from elision.serving.batch.types import REPORT

UNTITLED = Column(Markup('<span class="unseen">Bar</span>'), "plot")


def section(title: str, lead: str, *parts: Markup) -> Markup:
    """A stretch of the page under a title, with what it shows in a sentence."""
    return element("section", element("h2", title), element("p", lead, class_="lead"), *parts)


def pair(*sections: Markup) -> Markup:
    """Sections side by side where there is room."""
    return element("div", *sections, class_="pair")


def bars(
    caption: str, name: str, unit: str, rows: Iterable[tuple[str | Markup, int, str]], kind: str = ""
) -> Markup:
    """A table of counts, each with its share and a bar.

    Args:
        caption: What it is, for those who hear it.
        name: Head of the first column.
        unit: What is counted.
        rows: What it is, how many, and the CSS class of its bar; in order.
        kind: CSS class of the table.
    """
    counted = list(rows)
    whole, most = sum(count for _, count, _ in counted), max((count for _, count, _ in counted), default=0)
    columns = [Column(name), Column(unit, "number"), Column("Share", "number"), UNTITLED]
    lines = (
        (shown, number(n), percent(n / whole if whole else None), bar(n, most, colour))
        for shown, n, colour in counted
    )
    return table(caption, columns, lines, class_=kind) if counted else element("p", "None.", class_="rest")


def rest(shown: int, all_of_them: int, what: str, which: str = "the first") -> Markup:
    """What the page has no room for, where it has not room for all."""
    if shown >= all_of_them:
        return Markup("")
    return element(
        "p",
        f"Shown: {which}, {number(shown)} of {number(all_of_them)} {what}. {REPORT} has the other {number(all_of_them - shown)}.",
        class_="rest",
    )


def counted(count: int, what: str) -> str:
    """A number of things in words."""
    return f"{number(count)} {what}{'' if count == 1 else 's'}"
