"""What decides what comes out of a batch."""

from dataclasses import dataclass
from pathlib import Path

from elision.serving.logs.asked import SelectionAsked

WHOLE_PORTION = 8_000_000  # characters of a log: eight windows, and some seconds of work


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """All that decides what comes out; two runs with the same settings write the same bytes.

    Attributes:
        keep_ratio: Share of the tokens of each text to keep.
        encoding: Token encoding, where ``model`` is none.
        model: The reading model, whose tokens are counted.
        floor_tokens: Shorter texts are left alone.
        query: What the reader is after; for texts, not for conversations.
        pins: Regular expressions; what matches must stay.
        clean: Whether control characters go.
        redact: Whether secrets are replaced.
        bundle: Bundle folder; None: the one in use.
        column: The column of texts in a table.
        portion_chars: About how many characters a portion has.
        selection: Which records of a log are wanted; None: all.
        threads: Windows of one text that a worker scores side by side; changes no byte.
    """

    keep_ratio: float
    encoding: str = "o200k_base"
    model: str | None = None
    floor_tokens: int = 200
    query: str = ""
    pins: tuple[str, ...] = ()
    clean: bool = False
    redact: bool = False
    bundle: Path | None = None
    column: str | None = None
    portion_chars: int = WHOLE_PORTION
    selection: SelectionAsked | None = None
    threads: int = 1
