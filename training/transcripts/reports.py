"""What an import tells about itself: of each file what was read and passed over, of all what was changed."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Skipped:
    """A kind of thing that was passed over in a file.

    Attributes:
        what: The kind.
        count: How often.
        line: Where the first was, from 1; 0 where the file has no lines.
    """

    what: str
    count: int
    line: int


@dataclass(frozen=True, slots=True)
class FileReport:
    """What came of one file.

    Attributes:
        path: The file, or the folder of event files.
        format: Its format; empty if it is of none and was left out.
        sessions: Sessions read, before duplicates went.
        messages: Messages in them.
        skipped: What was passed over.
    """

    path: str
    format: str
    sessions: int = 0
    messages: int = 0
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. Of what was scrubbed only the numbers are here.

    Attributes:
        files: By file, those left out included.
        copies: Sessions left out because another one says the same.
        beginnings: Sessions left out because another one goes on from them.
        silent: Sessions left out because no agent speaks in them.
        repairs: What had to be changed to make the messages legal, and how often.
        scrubbed: What was replaced, by kind; None if nothing was looked for.
        sessions: Sessions in each split.
        messages: Messages in each split.
        tasks: Number of tasks.
        warnings: What the result is not that was asked for, in sentences.
    """

    files: tuple[FileReport, ...]
    copies: int = 0
    beginnings: int = 0
    silent: int = 0
    repairs: dict[str, int] = field(default_factory=dict)
    scrubbed: dict[str, int] | None = None
    sessions: dict[str, int] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    tasks: int = 0
    warnings: tuple[str, ...] = ()

    def json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return asdict(self)
