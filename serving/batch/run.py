"""Run a batch from its arguments to its report, or go on with one that was stopped.

A portion is kept once, a file is put together when all of its portions are kept, and the reports are
made from the journal: whatever moment a run is killed at, resuming it ends with the same bytes.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from elision.compaction.pins.text import compile_pins
from elision.compaction.tokens import counter, for_model
from elision.compaction.types import Budget
from elision.model.bundle import load_bundle
from elision.serving.batch.errors import NoColumn, NotALog, Unreadable
from elision.serving.batch.events import Events, Kept, Read
from elision.serving.batch.forms.tables import check_column
from elision.serving.batch.inputs.find import Inputs, find
from elision.serving.batch.outputs.assemble import assemble
from elision.serving.batch.outputs.journal import Journal
from elision.serving.batch.outputs.parts import Parts
from elision.serving.batch.outputs.workspace import claimed, release
from elision.serving.batch.plan import as_begun, plan_of, same_as_finished
from elision.serving.batch.report.write import write_manifest, write_reports, write_set_aside
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import FileReport, Form, RunReport, Skipped, Source

_NAMED = 3  # files in an error

Engine = Callable[[Sequence[Source], BatchSettings, Path, Mapping[int, frozenset[int]], int], Events]


@dataclass(frozen=True, slots=True)
class Watcher:
    """Told how far a run is.

    Attributes:
        begin: How many bytes there are to read in all, and how many of them are done with.
        advance: So many bytes more are done with.
        warn: What went wrong and does not end the run.
    """

    begin: Callable[[int, int], None] = lambda total, done: None
    advance: Callable[[int], None] = lambda size: None
    warn: Callable[[str], None] = lambda said: None


def inputs_of(arguments: Sequence[str], out: Path, settings: BatchSettings, form: Form | None = None) -> Inputs:
    """The files of a batch, tables looked into.

    Raises:
        NoSources, OutInside: As `find` does.
        NotALog: If records are selected, and a file is no log.
        NoColumn: If a table lacks the column of texts, or a column is named and there is no table.
    """
    found = find(arguments, out, form)
    if settings.selection is not None:
        _check_logs(found.sources)
    if settings.column is not None and not any(source.form is Form.TABLE for source in found.sources):
        raise NoColumn(f"--column {settings.column}: there is no parquet file among the inputs")
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


def _check_logs(sources: Sequence[Source]) -> None:
    others = [source for source in sources if source.form is not Form.LOG and source.size]
    if others:
        named = ", ".join(f"{source.path} ({source.form})" for source in others[:_NAMED])
        more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
        raise NotALog(
            f"--since, --until, --level and --around select records of logs; no logs are {named}{more}: "
            "leave them out, or read all line by line with --form log"
        )


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
    made, watcher = _made(settings), watcher or Watcher()
    inputs = inputs_of(arguments, out, settings, form)
    with claimed(out, resume) as unfinished:
        if not unfinished:
            same_as_finished(out, made)
            return None
        made = replace(made, settings=as_begun(settings, Journal(out).plan))
        run = _Run(inputs, out, made.settings, watcher)
        run.journal.begin(plan_of(made, inputs.sources))
        run.shorten(engine, jobs)
        done = replace(made, files=run.files, skipped=run.skipped)
        write_set_aside(inputs.sources, out)
        write_manifest(done, out)
        if failure := write_reports(done, out, run.seconds, engine_name, jobs):
            watcher.warn(failure)
        else:
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
        with closing(engine(todo, self._settings, self._out, before, jobs)) as events:  # on Ctrl-C at once
            for event in events:
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
