"""Import recorded sessions: tell each file's format, read it, and make of all one set of transcripts.

Read leniently, told loudly: what a file holds that is not understood is passed over, counted by kind,
and its first place is named. Sessions are then told apart, made legal, scrubbed and split.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from elision.training.errors import BadTranscript
from elision.training.transcripts import claude_code, codex, otel, request_logs, specstory, trajectories
from elision.training.transcripts.drafts import Draft, Importer, Notes, Source, projects
from elision.training.transcripts.duplicates import distinct
from elision.training.transcripts.files import write_transcripts
from elision.training.transcripts.reports import FileReport, ImportReport, Skipped
from elision.training.transcripts.scrub import Scrubber
from elision.training.transcripts.sources import UNREADABLE, find_sources, read_source
from elision.training.transcripts.split import shares_warning, split
from elision.training.transcripts.tidy import sound, tidy
from elision.training.transcripts.types import Transcript

# In the order in which a file is asked; what only one format can have goes first.
IMPORTERS: tuple[Importer, ...] = (
    specstory.IMPORTER,
    claude_code.IMPORTER,
    codex.IMPORTER,
    otel.IMPORTER,
    trajectories.SWE_AGENT,
    trajectories.OPENHANDS,
    request_logs.IMPORTER,
)
SPLITS = ("train", "dev")
REPORT = "import.json"
FORMATS: tuple[str, ...] = tuple(sorted(importer.name for importer in IMPORTERS))


@dataclass(frozen=True, slots=True)
class Imported:
    """Transcripts with their splits, and the report.

    Attributes:
        transcripts: In the order of the files.
        report: For whoever imports: paths as they were given.
        public: The report scrubbed as the transcripts were, to be kept beside them.
    """

    transcripts: tuple[Transcript, ...]
    report: ImportReport
    public: ImportReport


def import_transcripts(
    paths: Sequence[str],
    *,
    format: str = "",
    task: str = "",
    licence: str = "",
    scrub: bool = True,
    dev_share: float = 0.1,
    seed: int = 0,
    out: Path | None = None,
    key: bytes | None = None,
) -> Imported:
    """Import the sessions of files, folders and globs.

    Args:
        paths: What to import; a file in a folder that is of no known format, or cannot be read, is left out.
        format: The format of all files, one of `FORMATS`; told from each if not given.
        task: The task of all sessions, instead of what the files say.
        licence: Of the texts.
        scrub: Whether to replace secrets and personal data.
        dev_share: Share of the messages to hold out, from 0 to below 1.
        seed: Draws what is held out.
        out: Folder of the outputs; those that are there already are not read.
        key: For tests; see `Fakes`.

    Raises:
        BadTranscript: If an argument names nothing, a file that was named is of no known format, or no
            session was found.
    """
    if not 0 <= dev_share < 1:
        raise BadTranscript(f"the dev share must be from 0 to below 1, is {dev_share}")
    files, drafts = _read_all(paths, format, out)
    left = distinct([draft for _, draft in drafts])
    tasks = projects([draft.task for _, draft in drafts])
    repairs: Counter[str] = Counter()
    found: list[Transcript] = []
    for index in left.kept:
        source, draft = drafts[index]
        messages, repaired = tidy(draft.messages)
        if any(message["role"] == "assistant" for message in messages):
            repairs += repaired
            name, of, messages, defined = sound((draft.name, task or tasks[index], messages, draft.tools))
            found.append(Transcript(f"{source}:{name}", source, of, messages, draft.kind, licence, tools=defined))
    silent = len(left.kept) - len(found)
    if not found:
        raise BadTranscript(f"no session found in {', '.join(paths)}{_why(files)}")
    scrubber = Scrubber(found, (file.path for file in files), key) if scrub else None
    clean = [scrubber.scrub(one) for one in found] if scrubber else found
    parted = split(list(_numbered(clean)), dev_share, seed)
    messages_of = {name: sum(len(one.messages) for one in parted if one.split == name) for name in SPLITS}
    warning = shares_warning(messages_of, dev_share)
    report = ImportReport(
        tuple(files),
        left.copies,
        left.beginnings,
        silent,
        dict(sorted((+repairs).items())),
        dict(sorted(scrubber.counts.items())) if scrubber else None,
        {name: sum(one.split == name for one in parted) for name in SPLITS},
        messages_of,
        len({one.task for one in parted}),
        (warning,) if warning else (),
    )
    return Imported(tuple(parted), report, _public(report, scrubber) if scrubber else report)


def write_imported(imported: Imported, out: Path) -> None:
    """Write ``train.jsonl.gz``, ``dev.jsonl.gz`` and ``import.json`` into a folder, each whole or not at all.

    Raises:
        OSError: If one cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    for name in SPLITS:
        write_transcripts(out / f"{name}.jsonl.gz", (one for one in imported.transcripts if one.split == name))
    partial = out / f"{REPORT}.partial"
    partial.write_text(json.dumps(imported.public.json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(partial, out / REPORT)


def importer_of(source: Source) -> Importer | None:
    """The importer of a file's format, told by what is in it; None if it is of no known one."""
    return next((importer for importer in IMPORTERS if importer.matches(source)), None)


def _read_all(paths: Sequence[str], format: str, out: Path | None) -> tuple[list[FileReport], list[tuple[str, Draft]]]:
    forced = next((importer for importer in IMPORTERS if importer.name == format), None)
    if format and forced is None:
        raise BadTranscript(f"no format is called {format!r}; known: {', '.join(FORMATS)}")
    files: list[FileReport] = []
    drafts: list[tuple[str, Draft]] = []
    for found in find_sources(paths, _outputs(out) if out else ()):
        notes = Notes()
        source = read_source(found, notes)
        importer = forced or importer_of(source)
        if importer is None and found.named and (source.records or source.text.strip() or notes.counts):
            raise BadTranscript(f"{found.path}: of no known format ({', '.join(FORMATS)}); --format says which{_first(notes)}")
        new = list(importer.read(source, notes)) if importer else []
        drafts += [(importer.name, draft) for draft in new] if importer else []
        messages = sum(len(draft.messages) for draft in new)
        files.append(FileReport(str(found.path), importer.name if importer else "", len(new), messages, _skipped(notes)))
    return files, drafts


def _outputs(out: Path) -> list[Path]:
    """All that `write_imported` may leave in a folder, also if it is stopped."""
    names = [*(f"{name}.jsonl.gz" for name in SPLITS), REPORT]
    return [out / f"{name}{end}" for name in names for end in ("", ".partial")]


def _skipped(notes: Notes) -> tuple[Skipped, ...]:
    return tuple(Skipped(what, count, notes.first[what]) for what, count in notes.counts.most_common())


def _first(notes: Notes) -> str:
    what, line = next(iter(notes.first.items()), ("", 0))
    return f"; {what} at line {line}" if what else ""


def _why(files: Sequence[FileReport]) -> str:
    unreadable = [file for file in files if any(one.what.startswith(UNREADABLE) for one in file.skipped)]
    unknown = sum(not file.format and file not in unreadable for file in files)
    why = [f"{len(unreadable)} {UNREADABLE}, first {unreadable[0].path}"] if unreadable else []
    why += [f"{unknown} of no known format ({', '.join(FORMATS)})"] if unknown else []
    return "".join(f"; {one}" for one in why)


def _numbered(transcripts: Iterable[Transcript]) -> Iterator[Transcript]:
    """With ids that are unique."""
    used: Counter[str] = Counter()
    for one in transcripts:
        used[one.id] += 1
        number = used[one.id]
        while number > 1 and used[f"{one.id}~{number}"]:
            number += 1
        new = one.id if number == 1 else f"{one.id}~{number}"
        used[new] += number > 1
        yield replace(one, id=new)


def _public(report: ImportReport, scrubber: Scrubber) -> ImportReport:
    files = [
        replace(
            file,
            path=scrubber.text(file.path),
            skipped=tuple(replace(one, what=scrubber.text(one.what)) for one in file.skipped),
        )
        for file in report.files
    ]
    return replace(report, files=tuple(files))
