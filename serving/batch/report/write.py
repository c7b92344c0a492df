"""Write what is told of a run, each file whole or not at all, once all outputs are there."""

import json
from collections.abc import Sequence
from pathlib import Path

from elision.serving.batch.outputs.assemble import all_set_aside
from elision.serving.batch.outputs.journal import write_whole
from elision.serving.batch.report.figures import json_bytes, manifest, report
from elision.serving.batch.report.page import page
from elision.serving.batch.types import MANIFEST, OUR_FOLDER, PAGE, REPORT, SET_ASIDE, RunReport, Source


def write_set_aside(sources: Sequence[Source], out: Path) -> None:
    """Write the records set aside, if there are any."""
    temporary = out / OUR_FOLDER / SET_ASIDE
    with temporary.open("wb") as file:
        for record in all_set_aside(sources, out):
            file.write(json.dumps(record).encode() + b"\n")
    if temporary.stat().st_size:
        temporary.replace(out / SET_ASIDE)


def write_manifest(done: RunReport, out: Path) -> None:
    """Write what came out, and all that decides it."""
    write_whole(out / MANIFEST, json_bytes(manifest(done)), out / OUR_FOLDER)


def write_reports(done: RunReport, out: Path, seconds: float, engine: str, jobs: int) -> str:
    """Write the two that nothing depends on.

    Returns:
        What mistake of ours kept one from being made; empty where none did.

    Raises:
        OSError: If one cannot be written.
    """
    missing = f"{REPORT} and {PAGE}"
    try:
        figures = report(done, seconds, engine=engine, jobs=jobs)
        write_whole(out / REPORT, json_bytes(figures), out / OUR_FOLDER)
        missing = PAGE
        write_whole(out / PAGE, page(figures).encode("utf-8", "xmlcharrefreplace"), out / OUR_FOLDER)
    except OSError:
        raise
    except Exception as error:
        return (
            f"internal error, all else is finished but {missing} could not be made: "
            f"{type(error).__name__}: {error}; --resume tries again"
        )
    return ""
