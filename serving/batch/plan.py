"""What a run is about, so that it is resumed as what it was: sources as they were, settings, weights."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from elision.serving.batch.errors import CannotResume
from elision.serving.batch.outputs.journal import Plan
from elision.serving.batch.report.figures import json_bytes, manifest, plain
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import MANIFEST, RunReport, Source


def plan_of(made: RunReport, sources: Sequence[Source]) -> Plan:
    """What a run is about, and is compared by."""
    return {
        "elision": version("elision"),
        "bundle": made.bundle,
        "settings": manifest(made)["settings"],
        "sources": [_fingerprint(source) for source in sources],
    }


def _fingerprint(source: Source) -> Plan:
    path = source.path.resolve()
    return {**plain(source), "path": str(path), "changed": path.stat().st_mtime_ns}


def as_begun(settings: BatchSettings, plan: Plan | None) -> BatchSettings:
    """The settings with the moment at which the run was begun, if that is asked for by its distance."""
    before = plan and plan["settings"]["selection"]
    if not before or settings.selection is None:
        return settings
    return replace(settings, selection=replace(settings.selection, now=datetime.fromisoformat(before["now"])))


def same_as_finished(out: Path, made: RunReport) -> None:
    """See that the finished run is the one asked for.

    Raises:
        CannotResume: If it is another; says what differs.
    """
    before = json.loads((out / MANIFEST).read_bytes())
    now = json.loads(json_bytes(manifest(replace(made, settings=as_begun(made.settings, before)))))
    differs = [name for name in now["settings"] if before["settings"].get(name) != now["settings"][name]]
    differs += [name for name in ("elision", "bundle") if before.get(name) != now[name]]
    if differs:
        raise CannotResume(f"the run in {out} is finished, and had another {' and '.join(differs)}")
