"""Partition a prose line into sentences, without ever cutting a unit.

A sentence can only end where a unit ends, so decimals, versions, URLs, dates and quoted
code need no rule here; what is left are abbreviations and initials.
"""

import regex

from elision.compaction.guard.units import unit_spans
from elision.model.types import Span

_STOPS = ".!?…。！？؟۔।॥｡፧។"
_ANY_STOP = regex.compile(rf"[{_STOPS}]")
_STOP = regex.compile(rf"[{_STOPS}]+[\"'”’»）)\]」』*_`]*+$")
_FULL = regex.compile(r"[。！？؟۔।॥｡]+[\"'”’»）)\]」』*_]*+$")
_ABBREVIATION = regex.compile(
    r"""[(\["'“‘]*+(?:
        (?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|Sen|Rep|Gov|Gen|Col|Lt|Capt|Sgt|Hon|Rev|Mt|Ft|vs|etc|e\.g|i\.e|cf|al|approx|ca|Inc|Ltd|Co|Corp
          |No|Nos|Nr|Fig|Figs|Eq|Sec|Ch|Vol|pp?|ed|eds|dept|est|max|min|incl|excl|resp|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec
          |Mon|Tue|Wed|Thu|Fri|Sat|Sun|a\.k\.a|viz|bzw|z\.B|d\.h|u\.a|usw|bspw|ggf|vgl|Hr|Fr|evtl|Sra?|Srta|Dra|Ud|Uds|p\.ej|núm|art|dl|dna|nr
          |т\.е|т\.д|т\.п|г|гг|им|стр|рис|др|проф|ул|π\.χ|κ\.λπ|κ|TP|Đ|bkz|vb|vs|örn|yy|M\.Ö|M\.S|डॉ)\.
      | (?:\p{L}\.){1,6}
      | \d{1,3}\.
    )$""",
    regex.VERBOSE,
)
_BEGINS = regex.compile(r"\s*[\p{Ps}\p{Pi}\"'*_`#\[¿¡]*+[\p{Lu}\p{Lt}\p{Lo}\d@/<$€£\-–—•]")
# A combining mark after a space makes one grapheme with it.
_SPACE = regex.compile(r"[^\S\r\n]++(?![\p{M}\u200d\r\n])")


def split_sentences(text: str, line: Span) -> list[Span]:
    """Partition a prose line into its sentences.

    White space after a sentence belongs to it; the first one holds the indentation, the last
    one the line end.

    Returns:
        At least one span for a line that is not empty.
    """
    if not _ANY_STOP.search(text, line.start, line.stop):
        return [line]
    units = unit_spans(text, line)
    cuts = [line.start]
    worded = False
    for unit, following in zip(units, units[1:], strict=False):
        word = text[max(unit.start, unit.stop - 60) : unit.stop].strip()
        ends = _ends(word, text[following.start : min(following.stop, following.start + 40)])
        worded = worded or any(map(str.isalnum, word))
        if ends and worded:
            cuts.append(_after_space(text, following))
            worded = False
    return [Span(start, stop) for start, stop in zip(cuts, [*cuts[1:], line.stop], strict=True)]


def _ends(word: str, following: str) -> bool:
    """Whether a sentence ends after ``word``, given what comes next."""
    if _FULL.search(word):
        return not following.isspace()
    if not _STOP.search(word) or not following[:1].isspace() or _ABBREVIATION.match(word):
        return False
    return bool(_BEGINS.match(following))


def _after_space(text: str, unit: Span) -> int:
    """Where the word of ``unit`` begins, or the unit if a mark clings to its white space."""
    space = _SPACE.match(text, unit.start, unit.stop)
    return space.end() if space else unit.start
