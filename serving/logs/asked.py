"""What the caller asks of a log, before it is known what that means."""

from dataclasses import dataclass
from datetime import datetime

from elision.compaction.logs.select import Selection


@dataclass(frozen=True, slots=True)
class SelectionAsked:
    """Which records of a log are wanted, as the caller spells it; see `compaction.logs.select.Selection`.

    Attributes:
        now: When the run was begun. One that is resumed reads ``1h`` as it was read then.
    """

    now: datetime
    since: str | None = None
    until: str | None = None
    level: str | None = None
    around: str | None = None
    context: int = 0

    def spelled_out(self) -> Selection:
        """What is meant.

        Raises:
            BadTime, BadLevel, BadAround: If it makes no sense.
        """
        return Selection.asked(self.now, self.since, self.until, self.level, self.around, self.context)
