"""How far a teacher's answers can be trusted: what is wrong with one, and what all of them look like.

An LLM invents words, moves them, stops half-way, refuses. Each answer is either taken whole or
rejected for one named reason; nothing is repaired by guessing. Thresholds are absolute: a share of
the worst, as in LLMLingua-2, throws good answers away where all are good.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import regex

from elision.training.labels.alignment import Alignment
from elision.training.labels.rows import LEVELS, JudgedLine, LabelRow

UNEVEN = (0.05, 0.60)  # a level with less or more of the characters than this is worth a look


class Reason(StrEnum):
    """Why an answer is not a label."""

    EMPTY = "empty answer"
    REFUSED = "refusal"
    CUT = "cut off at the answer's length"
    NO_JSON = "no JSON object with levels"
    FEW_DIGITS = "too few digits"
    MANY_DIGITS = "too many digits"
    BAD_DIGITS = "levels other than 0 to 3"
    BAD_WORDS = "kept words of no line"
    INVENTED = "words that are not in the text"
    DISPLACED = "words out of order"
    TOO_LITTLE = "almost nothing kept"


class Unusable(Exception):
    """One answer is not a label; the run goes on."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Limits:
    """What an answer may have wrong.

    Attributes:
        variation: Share of its words that the text does not have.
        gap: Words out of order, or said twice, per word of the text.
        kept: Share of the text's words that must be left of a text shortened as a whole.
    """

    variation: float = 0.10
    gap: float = 0.05
    kept: float = 0.05


@dataclass(frozen=True, slots=True)
class Rates:
    """How the kept words of an answer fit its text; all of them shares.

    Attributes:
        variation: Of the answer's words, those the text does not have.
        hitting: Words of the answer that the text has, per word of the text.
        matching: Words that found their place, per word of the text.
        gap: The difference: moved, or said twice.
    """

    variation: float
    hitting: float
    matching: float
    gap: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What one answer says of one chunk.

    Attributes:
        lines: The chunk's lines with their levels and kept words.
        aligned: The kept words of each line, or of the whole text, that were looked for.
        whole: Whether the text was shortened as a whole, so that almost nothing kept is a fault.
    """

    lines: tuple[JudgedLine, ...]
    aligned: tuple[Alignment, ...]
    whole: bool = False


_REFUSAL = regex.compile(
    r"\s*(?:i['’]?m (?:very )?sorry|sorry\b|i (?:can ?not|can['’]?t|won['’]?t|am (?:not able|unable))"
    r"|i['’]?m (?:not able|unable)|as an ai\b|unfortunately,? i)",
    regex.IGNORECASE,
)


def looks_like_refusal(answer: str) -> bool:
    """Whether a text that could not be read as an answer begins as refusals do."""
    return bool(_REFUSAL.match(answer))


def rates(aligned: Iterable[Alignment]) -> Rates | None:
    """The measures over all kept words of an answer, None where no words were kept or asked."""
    aligned = list(aligned)
    words = sum(a.words for a in aligned)
    source = sum(a.source_words for a in aligned)
    if not words or not source:
        return None
    invented = sum(len(a.invented) for a in aligned)
    found = sum(a.found for a in aligned)
    hitting, matching = (words - invented) / source, found / source
    return Rates(invented / words, hitting, matching, hitting - matching)


def check(reading: Reading, limits: Limits) -> None:
    """Raise `Unusable` where the kept words do not fit the text."""
    its = rates(reading.aligned)
    if reading.whole and (its is None or its.matching < limits.kept):
        raise Unusable(Reason.TOO_LITTLE, f"{its.matching if its else 0:.0%} of the words")
    if its is None:
        return
    if its.variation > limits.variation:
        raise Unusable(Reason.INVENTED, _some(word for a in reading.aligned for word in a.invented))
    if its.gap > limits.gap:
        raise Unusable(Reason.DISPLACED, _some(word for a in reading.aligned for word in a.displaced))


def balance(rows: Sequence[LabelRow]) -> dict[str, object]:
    """Share of the characters at each level, which of these is uneven, and chunks of one level only."""
    sizes: Counter[int] = Counter()
    for row in rows:
        for line in row.lines:
            sizes[line.level] += len(line.span)
    total = sum(sizes.values())
    shares = {str(level): round(sizes[level] / total, 4) if total else 0.0 for level in LEVELS}
    low, high = UNEVEN
    return {
        "level_share": shares,
        "uneven_levels": [level for level, share in shares.items() if total and not low <= share <= high],
        "chunks_of_one_level": sum(len({line.level for line in row.lines}) == 1 for row in rows),
    }


def fit(readings: Sequence[Reading]) -> dict[str, object]:
    """The measures over many answers: mean and ninth decile of each; words are counted, not shown."""
    found = [its for reading in readings if (its := rates(reading.aligned))]
    if not found:
        return {"with_words": 0}
    names = ("variation", "hitting", "matching", "gap")
    columns = {name: np.array([getattr(its, name) for its in found]) for name in names}
    return {
        "with_words": len(found),
        "kept_nearly_all": int((columns["matching"] >= 0.98).sum()),
        "invented_words": sum(len(a.invented) for r in readings for a in r.aligned),
        "displaced_words": sum(len(a.displaced) for r in readings for a in r.aligned),
        **{
            name: {"mean": round(float(values.mean()), 4), "p90": round(float(np.quantile(values, 0.9)), 4)}
            for name, values in columns.items()
        },
    }


def _some(words: Iterable[str]) -> str:
    listed = list(words)
    shown = ", ".join(word[:40] for word in listed[:5])
    return shown if len(listed) <= 5 else f"{shown} and {len(listed) - 5} more"
