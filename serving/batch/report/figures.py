"""What a run did, as JSON: the manifest, which a second run writes byte for byte, and the report with its times.

Counts are sums over the files. A report that does not add up says so itself: a wrong figure that is shown is
better than one that is believed.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from enum import Enum
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

from elision.serving.batch.report.checks import SUMMED, adds_up
from elision.serving.batch.types import FileReport, RunReport
from elision.serving.logs.templates import Templates, add, most, rows

Report = dict[str, Any]  # JSON

TEMPLATES = 500  # of a run, and
FILE_TEMPLATES = 20  # of each file: ten thousand files make a report of some MB, not of some hundred
SLOWEST = 20

_NOT_DECISIVE = ("bundle", "threads")  # a path of this machine, and what changes no byte


def manifest(run: RunReport) -> Report:
    """What came out, and all that decides it: no time, no machine, no engine."""
    settings = {name: value for name, value in plain(run.settings).items() if name not in _NOT_DECISIVE}
    return {
        **_made_by(run),
        "settings": settings,
        "files": [{**_sizes(file), "sha256": file.sha256} for file in run.files],
        "skipped": plain(run.skipped),
    }


def report(run: RunReport, seconds: float, *, engine: str = "local", jobs: int = 1) -> Report:
    """All figures of a run.

    Args:
        run: What was done.
        seconds: How long it took by the clock, earlier attempts of a resumed run included.
        engine: What ran the stages.
        jobs: How many of them side by side.

    Returns:
        JSON values only. ``adds_up`` holds what `elision.serving.batch.report.checks` found: nothing, as it should be.
    """
    files = [_row(file) for file in run.files]
    totals = {"files": len(files), **{name: sum(row[name] for row in files) for name in SUMMED}}
    totals["kept"] = share(totals["tokens_after"], totals["tokens_before"])
    made: Report = {
        **_made_by(run),
        "engine": engine,
        "jobs": jobs,
        "settings": plain(run.settings),
        "totals": totals,
        "seconds": round(seconds, 3),
        "worker_seconds": round(sum(file.totals.seconds for file in run.files), 3),
        "megabytes_per_second": _rate(totals["bytes_in"], seconds),
        "reasons": _sum(file.totals.reasons for file in run.files),
        "dropped": _sum(file.totals.dropped for file in run.files),
        "levels": _sum(file.totals.levels for file in run.files),
        "templates": rows(most(_templates(run), TEMPLATES)),
        "slowest": {
            "files": _slowest(files, "seconds"),
            "portions": _slowest(
                [row for row in files if row["slowest_portion"] >= 0], "slowest_portion_seconds"
            ),
        },
        "files": files,
        "skipped": plain(run.skipped),
    }
    return {**made, "adds_up": adds_up(made)}


def json_bytes(value: Report) -> bytes:
    """``value`` as a file: keys sorted, two spaces, the same bytes each time.

    Names and templates may hold lone surrogates, for which UTF-8 has no bytes; they become JSON escapes.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def plain(value: object) -> Any:
    """``value`` as JSON: dataclasses as objects, sets in order, all else without a JSON form as its text."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(item) for item in value]
    if isinstance(value, PurePath):
        return value.as_posix()
    return str(getattr(value, "pattern", value))  # of a compiled expression what it was compiled from


def share(part: float, whole: float) -> float | None:
    """``part / whole``, rounded; None where there is no whole."""
    return round(part / whole, 6) if whole else None


def _made_by(run: RunReport) -> Report:
    return {
        "elision": version("elision"),
        "bundle": run.bundle,
        "encoding": run.encoding,
        "exact": run.exact,
    }


def _sizes(file: FileReport) -> Report:
    return {
        "name": file.name,
        "form": file.form.value,
        "portions": file.portions,
        "bytes_in": file.bytes_in,
        "bytes_out": file.bytes_out,
        "lines": file.totals.lines,
        "lines_left_out": file.totals.left_out,
        "records": file.totals.records,
        "records_out": file.records_out,
        "records_set_aside": file.records_set_aside,
        "texts": sum(file.totals.reasons.values()),
        "tokens_before": file.totals.tokens_before,
        "tokens_after": file.totals.tokens_after,
        "replaced_bytes": file.totals.replaced_bytes,
    }


def _row(file: FileReport) -> Report:
    done = file.totals
    return {
        **_sizes(file),
        "path": file.path,
        "sha256": file.sha256,
        "kept": share(done.tokens_after, done.tokens_before),
        "reasons": dict(sorted(done.reasons.items())),
        "dropped": dict(sorted(done.dropped.items())),
        "levels": dict(sorted(done.levels.items())),
        "templates": rows(most(done.templates, FILE_TEMPLATES)),
        "seconds": round(done.seconds, 3),
        "megabytes_per_second": _rate(file.bytes_in, done.seconds),
        "slowest_portion": file.slowest,
        "slowest_portion_seconds": round(file.slowest_seconds, 3),
    }


def _sum(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(sorted(total.items()))


def _templates(run: RunReport) -> Templates:
    templates: Templates = {}
    for file in run.files:
        add(templates, file.totals.templates)
    return templates


def _slowest(files: Sequence[Report], by: str) -> list[Report]:
    order = sorted(files, key=lambda file: (-file[by], file["name"]))[:SLOWEST]
    return [{"name": file["name"], "portion": file["slowest_portion"], "seconds": file[by]} for file in order]


def _rate(size: int, seconds: float) -> float | None:
    return round(size / 1e6 / seconds, 6) if seconds > 1e-6 else None  # below it a clock says nothing
