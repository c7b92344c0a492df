"""Count what is done, text by text, and add up reports."""

from collections import Counter
from collections.abc import Iterable, Mapping

from elision.compaction.types import Receipt
from elision.serving.batch.types import TEMPLATES, PortionReport
from elision.serving.logs.templates import Templates, add, most


class Tally:
    """What was done so far; starts at nothing.

    Attributes:
        records, lines, left_out, tokens_before, tokens_after: As in `PortionReport`.
    """

    def __init__(self) -> None:
        self.records = self.lines = self.left_out = 0
        self.tokens_before = self.tokens_after = 0
        self.reasons: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.levels: Counter[str] = Counter()
        self.templates: Templates = {}

    def text(self, receipt: Receipt) -> None:
        """One text and what became of it."""
        self.tokens(receipt.tokens_before, receipt.tokens_after, receipt.reason)
        self.drops(receipt)

    def tokens(self, before: int, after: int, reason: str) -> None:
        """One text by its figures alone."""
        self.tokens_before += before
        self.tokens_after += after
        self.reasons[reason] += 1

    def drops(self, receipt: Receipt) -> None:
        """The stretches that went."""
        for drop in receipt.dropped:
            self.dropped[drop.reason] += len(drop.span)

    def kinds(self, levels: Mapping[str, int], templates: Mapping[str, tuple[int, int]]) -> None:
        """Lines of a log by level and by template."""
        self.levels.update(levels)
        add(self.templates, templates)

    def report(self, replaced_bytes: int, seconds: float) -> PortionReport:
        """All of it; what has the most comes first."""
        return PortionReport(
            self.records,
            self.lines,
            self.tokens_before,
            self.tokens_after,
            _ordered(self.reasons),
            _ordered(self.dropped),
            _ordered(self.levels),
            most(self.templates, TEMPLATES),
            self.left_out,
            replaced_bytes,
            seconds,
        )


def added(reports: Iterable[PortionReport]) -> PortionReport:
    """The sums of some reports."""
    sums, replaced, seconds = Tally(), 0, 0.0
    for report in reports:
        sums.records += report.records
        sums.lines += report.lines
        sums.left_out += report.left_out
        sums.tokens_before += report.tokens_before
        sums.tokens_after += report.tokens_after
        sums.reasons.update(report.reasons)
        sums.dropped.update(report.dropped)
        sums.kinds(report.levels, report.templates)
        replaced, seconds = replaced + report.replaced_bytes, seconds + report.seconds
    return sums.report(replaced, seconds)


def _ordered(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
