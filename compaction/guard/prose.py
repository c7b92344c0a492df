"""Find natural language: lines of plain words, in any script.

Only prose and log lines may lose words, so the test is strict: most of the line must be
words, and enough of them. Names in a row, labels and lone words are not prose.
"""

import regex

from elision.compaction.guard.scripts import UNSPACED

# How much of a long line is read, and the share of words that makes it prose.
_REACH, _SHARE, _MIN_WORDS = 1000, 0.6, 4
_TOKEN = regex.compile(r"\S++")
_WORD = regex.compile(
    r"[\p{Ps}\p{Pi}\"'*_~“‘«¿¡\[]*+(?:\p{L}[\p{L}\p{M}\u200c\u200d]*+(?:['’\-–—/&.]\p{L}[\p{L}\p{M}]*+)*+|\d{1,4}(?:st|nd|rd|th|s)?)['’]?s?"
    r"[\p{Pe}\p{Pf}\"'*_~”’».,;:!?…。؟،؛।\]]*+$"
)
_MIXED = regex.compile(r"\p{Ll}\p{Lu}|_|\p{L}\d|\d\p{L}")
_LEAD = regex.compile(r"\s*(?:[#>]{1,6}\s+|[-*+•–◦▪·]\s+(?:\[[ xX]\]\s+)?|\(?\d{1,3}[.)]\s+|[a-z][.)]\s+|[ivx]{1,5}[.)]\s+)*")
_LIST_OR_HEADING = regex.compile(r"\s*(?:#{1,6}|[-*+•–◦▪]|\d{1,3}[.)])\s")
_SENTENCE_END = regex.compile(r"[.!?…。！？؟।:][\"'”’»)\]*_]*\s*$")


def is_prose(row: str) -> bool:
    """Whether a row, without its line end, is natural language."""
    lead = _LEAD.match(row)
    body = row[lead.end() if lead else 0 : _REACH]
    if UNSPACED.search(body):
        letters = sum(map(str.isalpha, body))
        return letters >= 4 and letters * 2 >= len(body.replace(" ", ""))
    tokens = _TOKEN.findall(body)
    if len(body) < len(row):
        tokens = tokens[:-1] or tokens
    words = sum(1 for token in tokens if _WORD.match(token) and not _MIXED.search(token))
    if words < _SHARE * len(tokens) or words < 2:
        return False
    return words >= _MIN_WORDS or bool(_LIST_OR_HEADING.match(row) or _SENTENCE_END.search(row))
