"""The nouns of a batch. The unit of work is a portion: atomic, numbered, and always cut at the same places.

A source is read into portions, a stage makes each of them `Done`, and what was done is put together in
order. Everything here can be pickled and sent to another process or machine.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from elision.model.types import Span
from elision.serving.batch.settings import BatchSettings

TEMPLATES = 200  # that a report of a portion or a file has room for; the lines of the others go under `OTHER`
OUR_FOLDER = ".elision"  # where a run keeps its parts and its journal, under OUT
MANIFEST, REPORT, PAGE, SET_ASIDE = "manifest.json", "report.json", "report.html", "set-aside.jsonl"


class Form(StrEnum):
    """What a source holds, and so what may be shortened in it."""

    LOG = "log"  # lines of any text
    REQUESTS = "requests"  # OpenAI's or Anthropic's batch file: custom_id, and body or params
    CONVERSATIONS = "conversations"  # transcripts or providers' requests
    RECORDS = "records"  # JSON of any other kind
    TABLE = "table"  # parquet, with a column of texts


class Packing(StrEnum):
    """How the bytes of a file are packed; its output is packed alike."""

    PLAIN = ""
    GZ = "gz"
    ZST = "zst"


@dataclass(frozen=True, slots=True)
class Source:
    """A file to shorten.

    Attributes:
        index: Its place among the sources, from 0.
        path: Where it is.
        name: Posix path of its output under OUT.
        form: What it holds.
        packing: How it is packed.
        size: Its bytes on disk.
        document: Whether it is one JSON value, and not one on each line.
    """

    index: int
    path: Path
    name: str
    form: Form
    packing: Packing
    size: int
    document: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that gets no output, and why.

    Attributes:
        path: As the caller named or would name it.
        reason: Why.
        failed: Whether it should have been read and could not be; a picture in a folder is only left out.
    """

    path: str
    reason: str
    failed: bool


@dataclass(frozen=True, slots=True)
class SetAside:
    """A record that is not in the output.

    Attributes:
        line: Its line or row in the source, from 1.
        reason: Why.
        raw: The record as it came (secrets replaced where redaction was asked for); its beginning if it
            is too long to be held, empty where it may not be shown.
        records: How many records it stands for.
    """

    line: int
    reason: str
    raw: str
    records: int = 1


@dataclass(frozen=True, slots=True)
class Portion:
    """Some of a source, on its way to a stage.

    Attributes:
        source: Index of the source.
        number: Its place in the source, from 0.
        first: Line or row of the source where it begins, from 1.
        data: Whole lines with their line ends; of a document the text; of a table an Arrow IPC stream.
        form: What it holds.
        document: Whether it is one JSON value and not one on each line.
        left_out: Stretches of whole lines of a log that a selection took out.
        set_aside: Records that could not even be handed on; not in ``data``.
        replaced_bytes: Bytes of the source that did not decode, for which U+FFFD stands in ``data``.
        size: Bytes of the file read for it, as packed; for progress only.
    """

    source: int
    number: int
    first: int
    data: str | bytes
    form: Form
    document: bool = False
    left_out: tuple[Span, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    replaced_bytes: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class PortionReport:
    """What was done to a portion.

    Attributes:
        records: Records read, those set aside included: lines of a log, JSON values, rows of a table.
        lines: Lines (of a table rows) read.
        tokens_before: Reader tokens of its texts; of conversations of all of the messages.
        tokens_after: Reader tokens of what came of them.
        reasons: Why texts stayed as they were, or nothing more was done, and how many; ``""`` counts those
            that were just shortened.
        dropped: Characters that went, by the drop's reason.
        levels: Lines of a log by declared level; with ``left_out`` they add up to ``lines``. Empty for
            other forms.
        templates: Lines of a log by template: how many, and how many of them were not folded. With
            ``left_out`` the first add up to ``lines``. At most `TEMPLATES` by lines, the rest under
            `elision.serving.logs.templates.OTHER`.
            Empty for other forms.
        left_out: Lines of a log that a selection took out.
        replaced_bytes: Bytes that did not decode.
        seconds: How long it took; the one figure that differs between two runs.
    """

    records: int = 0
    lines: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)
    templates: dict[str, tuple[int, int]] = field(default_factory=dict)
    left_out: int = 0
    replaced_bytes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Done:
    """A portion after its stage.

    Attributes:
        source, number: As in the portion.
        data: Its bytes of the output, not packed: UTF-8, of a table an Arrow IPC stream.
        report: What was done.
        set_aside: Records that are not in ``data``.
    """

    source: int
    number: int
    data: bytes
    report: PortionReport
    set_aside: tuple[SetAside, ...] = ()


@dataclass(frozen=True, slots=True)
class FileReport:
    """What was done to a source: the sums over its portions.

    Attributes:
        index, name, form: As in the source.
        path: Where the source is.
        bytes_in: Size of the source on disk.
        bytes_out: Size of the output on disk.
        sha256: Of the output before packing (of a table of the file as written).
        portions: How many it was cut into.
        records_out: Records in the output: JSON values and rows as counted there; of a log, whose lines go
            on purpose, all that were not set aside.
        records_set_aside: Records that are not in the output.
        totals: The sums; ``seconds`` are those of all portions together.
        slowest: Number of the portion that took longest; -1 where there is none.
        slowest_seconds: How long it took.
    """

    index: int
    name: str
    path: str
    form: Form
    bytes_in: int
    bytes_out: int
    sha256: str
    portions: int
    records_out: int
    records_set_aside: int
    totals: PortionReport
    slowest: int = -1
    slowest_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did.

    Attributes:
        settings: What was asked for.
        bundle: Identity of the weights that scored.
        encoding: Token encoding of all counts.
        exact: Whether that is the reader's own.
        files: The sources that have an output, in order.
        skipped: The files that have none.
    """

    settings: BatchSettings
    bundle: str
    encoding: str
    exact: bool
    files: tuple[FileReport, ...]
    skipped: tuple[Skipped, ...] = ()

    @property
    def failed(self) -> tuple[Skipped, ...]:
        """Files that should have been read and could not be."""
        return tuple(skipped for skipped in self.skipped if skipped.failed)
