"""Where the figures of a report contradict each other; serving/batch/report/figures.py makes them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from elision.serving.batch.types import Form

# Of the figures of a file, those that add up to the run's.
SUMMED = (
    "portions",
    "bytes_in",
    "bytes_out",
    "lines",
    "lines_left_out",
    "records",
    "records_out",
    "records_set_aside",
    "texts",
    "tokens_before",
    "tokens_after",
    "replaced_bytes",
)


def adds_up(report: Mapping[str, Any]) -> list[str]:
    """What contradicts itself in a report, a sentence for each; an empty list for a sound one."""
    totals, files = report["totals"], report["files"]
    wrong = [
        f"{name}: the files add up to {total:,}, the run says {totals[name]:,}"
        for name in SUMMED
        if (total := sum(file[name] for file in files)) != totals[name]
    ]
    names = Counter(file["name"] for file in files)
    wrong += [f"{name}: {times} files have this name" for name, times in names.items() if times > 1]
    # Secrets and control characters go whatever it costs: a placeholder may be longer than its secret.
    free = report["settings"]["redact"] or report["settings"]["clean"]
    for file in files:
        problems = [*_contradictions(file), *([] if free else _growth(file))]
        wrong += [f"{file['name']}: {problem}" for problem in problems]
    lines = sum(file["lines"] - file["lines_left_out"] for file in files if file["form"] == Form.LOG)
    wrong += _counts_of_lines(report["levels"], report["templates"], lines)
    if (texts := sum(report["reasons"].values())) != totals["texts"]:
        wrong.append(f"the reasons add up to {texts:,} texts, the files to {totals['texts']:,}")
    return wrong


def _contradictions(file: Mapping[str, Any]) -> list[str]:
    wrong = []
    if file["form"] == Form.LOG:
        wrong += _counts_of_lines(file["levels"], file["templates"], file["lines"] - file["lines_left_out"])
    if file["records"] != file["records_out"] + file["records_set_aside"] or file["records_out"] < 0:
        wrong.append(
            f"{file['records']:,} records in, {file['records_out']:,} out, {file['records_set_aside']:,} set aside"
        )
    if (texts := sum(file["reasons"].values())) != file["texts"]:
        wrong.append(f"the reasons add up to {texts:,} texts of {file['texts']:,}")
    return wrong


def _growth(file: Mapping[str, Any]) -> list[str]:
    before, after = file["tokens_before"], file["tokens_after"]
    return [f"{before:,} tokens became {after:,}"] if after > before else []


def _counts_of_lines(levels: Mapping[str, int], templates: Sequence[Mapping[str, Any]], lines: int) -> list[str]:
    wrong = []
    if (counted := sum(levels.values())) != lines:
        wrong.append(f"the levels add up to {counted:,} lines of {lines:,}")
    if (counted := sum(row["lines"] for row in templates)) != lines:
        wrong.append(f"the templates add up to {counted:,} lines of {lines:,}")
    if any(not 0 <= row["kept"] <= row["lines"] for row in templates):
        wrong.append("a template keeps more lines than it has")
    return wrong
