"""The report as one HTML page that asks for nothing: no file, no font, no host.

It can be mailed and opened in ten years. Style and script are in the page and named by their hashes, so
that a text of a log that got past the escaping still could not run. Without a script all is there to read.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files as resources
from typing import Any

from elision.serving.batch.report import file_sections, sections
from elision.serving.batch.report.layout import counted
from elision.serving.batch.report.markup import (
    Markup,
    attribute,
    clipped,
    duration,
    element,
    number,
    percent,
    rate,
    size,
)
from elision.serving.batch.report.plots import hero_bar
from elision.serving.batch.types import REPORT, SET_ASIDE

PROBLEMS = 20  # that the counts have, at most shown


def page(report: Mapping[str, Any]) -> str:
    """The page of a report (serving/batch/report/figures.py), as a whole HTML document that can be written as UTF-8 whatever the report holds."""
    style, script = (
        resources("elision.serving.batch.report").joinpath(f"page.{kind}").read_text("utf-8")
        for kind in ("css", "js")
    )
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"
    totals = report["totals"]
    title = f"{number(totals['tokens_before'])} to {number(totals['tokens_after'])} tokens · Elision batch"
    shown = (
        _head,
        file_sections.shares,
        sections.outcomes,
        sections.levels,
        sections.templates,
        sections.slowest,
        file_sections.files,
        file_sections.skipped,
        sections.settings,
    )
    body = element("main", *(section(report) for section in shown))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{attribute(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body.html}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _head(report: Mapping[str, Any]) -> Markup:
    totals, target = report["totals"], report["settings"]["keep_ratio"]
    exact = "" if report["exact"] else " (a stand-in for the reader's)"
    made_by = f" · elision {report['elision']} · {report['bundle']} · {report['encoding']}{exact}"
    key = element(
        "p",
        element("span", element("i", class_="is-bar"), f"{percent(totals['kept'])} of the tokens kept"),
        element("span", element("i", class_="is-target"), f"{percent(target)} asked for"),
        element(
            "span",
            element("i"),
            f"{number(totals['tokens_before'] - totals['tokens_after'])} tokens left out",
        ),
        class_="hero-key",
    )
    return element(
        "header",
        element("p", element("b", "Batch report"), made_by, class_="eyebrow"),
        element(
            "h1",
            element("span", f"{number(totals['tokens_before'])} → ", class_="from"),
            number(totals["tokens_after"]),
            element("span", " tokens", class_="unit"),
        ),
        hero_bar(totals["kept"] or 0, target),
        key,
        _facts(report),
        _check(report["adds_up"]),
    )


def _facts(report: Mapping[str, Any]) -> Markup:
    totals = report["totals"]
    unwanted = totals["lines_left_out"]
    facts = [
        (
            "Files",
            number(totals["files"]),
            f"{number(len(report['skipped']))} skipped" if report["skipped"] else "",
        ),
        ("Lines", number(totals["lines"]), f"{number(unwanted)} not selected" if unwanted else ""),
        ("Records out", number(totals["records_out"]), f"of {number(totals['records'])}"),
        (
            "Records set aside",
            number(totals["records_set_aside"]),
            SET_ASIDE if totals["records_set_aside"] else "",
        ),
        ("Bytes in", size(totals["bytes_in"]), ""),
        ("Bytes out", size(totals["bytes_out"]), ""),
        ("Time", duration(report["seconds"]), f"{report['engine']}, {counted(report['jobs'], 'job')}"),
        ("Rate", rate(report["megabytes_per_second"]), "of the files as stored"),
    ]
    return element(
        "dl",
        *(
            element(
                "div",
                element("dt", name),
                element("dd", value, *([Markup(" "), element("small", more)] if more else [])),
            )
            for name, value, more in facts
        ),
        class_="facts",
    )


def _check(problems: Sequence[str]) -> Markup:
    if not problems:
        return element(
            "p",
            "The counts add up: files to totals, levels and templates to lines, reasons to texts, records out and"
            " set aside to records in.",
            class_="check",
        )
    rest = [f"and {number(len(problems) - PROBLEMS)} more in {REPORT}"] if len(problems) > PROBLEMS else []
    items = (element("li", clipped(problem)) for problem in [*problems[:PROBLEMS], *rest])
    return element(
        "div",
        element("b", "The counts do not add up."),
        element("ul", *items),
        class_="check is-bad",
        role="alert",
    )


def _hash(inline: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
