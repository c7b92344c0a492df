"""What shortening a portion needs, whatever its form."""

from dataclasses import dataclass, field

from elision.compaction.errors import RedactionFailed
from elision.compaction.redaction import without_secrets
from elision.compaction.types import Order
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import SetAside
from elision.serving.fail_open import Shortener
from elision.serving.message_schemas import CompressMessages


@dataclass(frozen=True)
class Work:
    """The order that all texts have in common, and what carries it out.

    Attributes:
        settings: What is wanted.
        order: The same, of a text.
        shortener: Shortens it.
        asked: The same, of a conversation.
    """

    settings: BatchSettings
    order: Order
    shortener: Shortener
    asked: CompressMessages = field(init=False)

    def __post_init__(self) -> None:
        wanted = self.settings
        asked = CompressMessages(
            keep_ratio=wanted.keep_ratio,
            floor_tokens=wanted.floor_tokens,
            pins=list(wanted.pins),
            clean=wanted.clean,
            redact=wanted.redact,
        )
        object.__setattr__(self, "asked", asked)

    def aside(self, line: int, reason: str, raw: str, records: int = 1) -> SetAside:
        """A record that is not written; what of it is shown has no secret if there may be none."""
        if self.settings.redact:
            try:
                raw = without_secrets(raw)
            except RedactionFailed:
                raw = ""
        return SetAside(line, reason, raw, records)
