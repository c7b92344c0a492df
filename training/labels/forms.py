"""Blank forms: label rows whose lines nobody has judged yet, from transcripts or from judged rows.

Which chunks are taken hangs on a hash of the seed and the chunk's name, so asking for more of them
takes the same ones and some more, and what was paid for is not paid for again.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from elision.training.errors import BadLabels
from elision.training.labels.chunks import chunks, context, context_end
from elision.training.labels.rows import TEACHER, JudgedLine, LabelRow, read_labels
from elision.training.transcripts.files import read_transcripts, transcript_files
from elision.training.transcripts.outputs import outputs_of
from elision.training.transcripts.types import Transcript

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def drawn(
    transcripts: Sequence[Path],
    chunks_of: Path | None,
    seed: int,
    total: int | None,
    per_document: int | None,
) -> tuple[list[LabelRow], int]:
    """The forms to ask about, of transcripts or of the chunks of a label file, and how many there are in all.

    Raises:
        BadLabels, BadTranscript: If a file cannot be read or breaks its schema, or there is nothing in them.
    """
    forms = list(forms_of_labels(read_labels(chunks_of)) if chunks_of else forms_of_transcripts(transcripts))
    if not forms:
        raise BadLabels(f"{chunks_of or ', '.join(map(str, transcripts))}: nothing to label")
    return chosen(forms, seed, total, per_document), len(forms)


def forms_of_transcripts(paths: Iterable[Path]) -> Iterator[LabelRow]:
    """A form for each chunk of the tool outputs of transcript files, and of folders of them.

    Chunks without any text are left out, and ones that read the same, context included.

    Raises:
        BadTranscript: If a file breaks the schema or cannot be read, or a folder holds none.
    """
    seen: set[bytes] = set()
    for path in paths:
        for file in transcript_files(path):
            for transcript in read_transcripts(file):
                for form in _forms(transcript):
                    content = "\0".join((form.task, form.call, form.before, form.text))
                    key = hashlib.sha256(content.encode()).digest()
                    if key not in seen:
                        seen.add(key)
                        yield form


def forms_of_labels(rows: Iterable[LabelRow]) -> Iterator[LabelRow]:
    """The same chunks and lines with what was said of them taken away, to be judged anew."""
    for row in rows:
        lines = tuple(JudgedLine(line.start, line.end, level=0) for line in row.lines)
        if any(line.span.of(row.text).strip() for line in lines):
            yield replace(row, lines=lines, origin=TEACHER)


def chosen(
    forms: Iterable[LabelRow], seed: int, total: int | None = None, per_document: int | None = None
) -> list[LabelRow]:
    """At most ``total`` forms, and at most ``per_document`` of one transcript, in the order of their lot."""
    ranked = sorted(forms, key=lambda form: lot(seed, form))
    taken: Counter[str] = Counter()
    kept = []
    for form in ranked:
        if per_document is None or taken[form.doc] < per_document:
            taken[form.doc] += 1
            kept.append(form)
    return kept[:total]


def lot(seed: int, form: LabelRow, purpose: str = "") -> float:
    """A number in [0, 1) drawn for a form, always the same."""
    drawn = hashlib.sha256(f"{seed}/{purpose}/{form.id}".encode("utf-8", "replace")).digest()
    return int.from_bytes(drawn[:6]) / 2**48


def _forms(transcript: Transcript) -> Iterator[LabelRow]:
    for output in outputs_of(transcript):
        for chunk in chunks(output.text):
            if chunk.lines:
                yield _sendable(
                    LabelRow(
                        id=f"{output.name}+{chunk.span.start}",
                        kind="tool",
                        unit=chunk.unit,
                        source=transcript.source,
                        doc=transcript.id,
                        task=context(output.task),
                        call=context(output.call),
                        before=context_end(output.before),
                        text=chunk.span.of(output.text),
                        lines=tuple(JudgedLine(line.start, line.stop, level=0) for line in chunk.lines),
                        origin=TEACHER,
                        licence=transcript.licence,
                    )
                )


def _sendable(form: LabelRow) -> LabelRow:
    """With U+FFFD for lone surrogates, which no request and no file can hold; places stay as they are."""
    names = ("id", "doc", "task", "call", "before", "text")
    changed: dict[str, Any] = {name: _LONE_SURROGATE.sub("\ufffd", getattr(form, name)) for name in names}
    return replace(form, **changed)
