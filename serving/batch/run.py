"""Run a batch from its arguments to its report, or go on with one that was stopped.

A portion is kept once, a file is put together when all of its portions are kept, and the reports are
made from the journal: whatever moment a run is killed at, resuming it ends with the same bytes.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from elision.compaction.pins import compile_pins
from elision.compaction.tokens import counter, for_model
from elision.compaction.types import Budget
from elision.model.bundle import load_bundle
from elision.serving.batch.assemble import all_set_aside, assemble
from elision.serving.batch.errors import CannotResume, Unreadable
from elision.serving.batch.events import Event, Kept, Read
from elision.serving.batch.inputs import Inputs, find
from elision.serving.batch.journal import Journal, Plan, write_whole
from elision.serving.batch.page import page
from elision.serving.batch.parts import Parts
from elision.serving.batch.report import json_bytes, manifest, plain, report
from elision.serving.batch.tables import check_column
from elision.serving.batch.types import (
    MANIFEST,
    OUR_FOLDER,
    PAGE,
    REPORT,
    SET_ASIDE,
    BatchSettings,
    FileReport,
    Form,
    RunReport,
    Skipped,
    Source,
)
from elision.serving.batch.workspace import claimed, release

Engine = Callable[
    [Sequence[Source], BatchSettings, Path, Mapping[int, frozenset[int]], int], Iterator[Event]
]


@dataclass(frozen=True, slots=True)
class Watcher:
    """Told how far a run is.

    Attributes:
        begin: How many bytes there are to read in all, and how many of them are done with.
        advance: So many bytes more are done with.
    """

    begin: Callable[[int, int], None] = lambda total, done: None
    advance: Callable[[int], None] = lambda size: None


def inputs_of(arguments: Sequence[str], out: Path, settings: BatchSettings, form: Form | None = None) -> Inputs:
    """The files of a batch, tables looked into.

    Raises:
        NoSources, OutInside: As `find` does.
        NoColumn: If a table lacks the column of texts.
    """
    found = find(arguments, out, form)
    sources: list[Source] = []
    skipped = list(found.skipped)
    for source in found.sources:
        try:
            if source.form is Form.TABLE:
                check_column(source, settings.column)
        except Unreadable as error:
            skipped.append(Skipped(str(source.path), str(error), failed=True))
        else:
            sources.append(replace(source, index=len(sources)))
    return Inputs(tuple(sources), tuple(skipped))


def run(
    arguments: Sequence[str],
    out: Path,
    settings: BatchSettings,
    *,
    engine: Engine,
    engine_name: str = "local",
    jobs: int = 1,
    form: Form | None = None,
    resume: bool = False,
    watcher: Watcher | None = None,
) -> RunReport | None:
    """Shorten all files into OUT; None where there was nothing left to resume.

    Raises:
        BadInput, BadOutput: If the caller is mistaken; says how. What was done before stays.
        BadBudget, BadPin, BadTime, BadLevel, BadAround, UnknownEncoding, BundleError: If the settings make no sense.
        WorkerDied: If the engine cannot go on; what is done stays.
    """
    made = _made(settings)
    inputs = inputs_of(arguments, out, settings, form)
    with claimed(out, resume) as unfinished:
        if not unfinished:
            _same_as_finished(out, made)
            return None
        made = replace(made, settings=_as_begun(settings, Journal(out).plan))
        run = _Run(inputs, out, made.settings, watcher or Watcher())
        run.journal.begin(_plan(made, inputs))
        run.shorten(engine, jobs)
        done = replace(made, files=run.files, skipped=run.skipped)
        _write_reports(done, inputs.sources, out, run.seconds, engine_name, jobs)
        release(out)
    return done


class _Run:
    """A run on its way."""

    def __init__(self, inputs: Inputs, out: Path, settings: BatchSettings, watcher: Watcher) -> None:
        self._inputs, self._out, self._settings, self._watcher = inputs, out, settings, watcher
        self._parts, self.journal = Parts(out), Journal(out)
        self._began = time.monotonic()
        self._before = 0.0
        self._failed: dict[int, Skipped] = {}
        self._finished: dict[int, FileReport] = {}

    @property
    def seconds(self) -> float:
        """How long it took, earlier attempts included."""
        return self._before + time.monotonic() - self._began

    @property
    def files(self) -> tuple[FileReport, ...]:
        return tuple(self._finished[index] for index in sorted(self._finished))

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(sorted([*self._inputs.skipped, *self._failed.values()], key=lambda one: one.path))

    def shorten(self, engine: Engine, jobs: int) -> None:
        """Do what is not done yet."""
        self._before, self._finished = self.journal.seconds, self.journal.finished()
        for index in self._finished:
            self._parts.drop(index)
        todo = [source for source in self._inputs.sources if source.index not in self._finished]
        done = {source.index: self._parts.numbers(source.index) for source in todo}
        self._watcher.begin(*self._sizes(todo))
        waiting: dict[int, int] = {}
        seen: dict[int, int] = {source.index: 0 for source in todo}
        before = {index: frozenset(numbers) for index, numbers in done.items()}
        for event in engine(todo, self._settings, self._out, before, jobs):
            if isinstance(event, Kept):
                done[event.source].add(event.number)
                seen[event.source] += event.size
                self._watcher.advance(event.size)
            elif isinstance(event, Read):
                waiting[event.source] = event.portions
            else:
                self._fail(event.source, event.reason)
                continue
            if waiting.get(event.source) == len(done[event.source]):
                self._finish(self._inputs.sources[event.source])
                self._watcher.advance(self._inputs.sources[event.source].size - seen[event.source])

    def _sizes(self, todo: Sequence[Source]) -> tuple[int, int]:
        total = sum(source.size for source in self._inputs.sources)
        return total, total - sum(source.size for source in todo)

    def _finish(self, source: Source) -> None:
        self._finished[source.index] = assemble(source, self._parts, self._out)
        self.journal.add(self._finished[source.index], self.seconds)
        self._parts.drop(source.index)

    def _fail(self, index: int, reason: str) -> None:
        self._failed[index] = Skipped(str(self._inputs.sources[index].path), reason, failed=True)
        self._parts.drop(index)


def _made(settings: BatchSettings) -> RunReport:
    """Who will do it; checks the settings on the way."""
    Budget(settings.keep_ratio, floor_tokens=settings.floor_tokens)
    compile_pins(settings.pins)
    if settings.selection is not None:
        settings.selection.spelled_out()
    tokens = counter(settings.encoding) if settings.model is None else for_model(settings.model)
    return RunReport(settings, load_bundle(settings.bundle).identity, tokens.encoding, tokens.exact, ())


def _plan(made: RunReport, inputs: Inputs) -> Plan:
    return {
        "elision": version("elision"),
        "bundle": made.bundle,
        "settings": manifest(made)["settings"],
        "sources": [_fingerprint(source) for source in inputs.sources],
    }


def _fingerprint(source: Source) -> Plan:
    path = source.path.resolve()
    return {**plain(source), "path": str(path), "changed": path.stat().st_mtime_ns}


def _as_begun(settings: BatchSettings, plan: Plan | None) -> BatchSettings:
    """The settings with the moment at which the run was begun, if that is asked for by its distance."""
    before = plan and plan["settings"]["selection"]
    if not before or settings.selection is None:
        return settings
    return replace(settings, selection=replace(settings.selection, now=datetime.fromisoformat(before["now"])))


def _same_as_finished(out: Path, made: RunReport) -> None:
    """See that the finished run is the one asked for."""
    before = json.loads((out / MANIFEST).read_bytes())
    now = json.loads(json_bytes(manifest(replace(made, settings=_as_begun(made.settings, before)))))
    differs = [name for name in now["settings"] if before["settings"].get(name) != now["settings"][name]]
    differs += [name for name in ("elision", "bundle") if before.get(name) != now[name]]
    if differs:
        raise CannotResume(f"the run in {out} is finished, and had another {' and '.join(differs)}")


def _write_reports(
    done: RunReport, sources: Sequence[Source], out: Path, seconds: float, engine: str, jobs: int
) -> None:
    _write_set_aside(sources, out)
    figures = report(done, seconds, engine=engine, jobs=jobs)
    ours = out / OUR_FOLDER
    write_whole(out / REPORT, json_bytes(figures), ours)
    write_whole(out / PAGE, page(figures).encode("utf-8", "xmlcharrefreplace"), ours)
    write_whole(out / MANIFEST, json_bytes(manifest(done)), ours)


def _write_set_aside(sources: Sequence[Source], out: Path) -> None:
    temporary = out / OUR_FOLDER / SET_ASIDE
    with temporary.open("wb") as file:
        for record in all_set_aside(sources, out):
            file.write(json.dumps(record).encode() + b"\n")
    if temporary.stat().st_size:
        temporary.replace(out / SET_ASIDE)
