"""What a log line begins with: time stamps and severity levels, in the many ways they are written."""

import re

import regex

_TIME = r"\d{1,2}:\d\d(?::\d\d(?:[.,:]\d{1,9})?)?(?:\s?(?:[AP]M|Z|UTC|GMT|[+-]\d\d:?\d\d))?"
_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}[/ -][A-Z][a-z]{2}[/ -]\d{2,4}"
    r"|(?:[A-Z][a-z]{2},?\s{1,2})?[A-Z][a-z]{2}\s{1,2}\d{1,2}(?:[ ,]{1,2}\d{4})?|\d{1,2}[./-]\d{1,2}|\d{6}(?!\d))"
)
STAMP = regex.compile(
    rf"""
    [\[(<|"\s]{{0,4}}+ (?:[\w.$\-]{{1,40}}[\s\]|:]{{1,3}}+){{0,2}}
    (?:
        {_DATE} [T\s,_:\-]{{1,3}}+ (?:{_TIME}|\d{{6}}(?!\d)) (?:[ ]\d{{4}}(?!\d))?
      | \d{{1,2}}:\d\d:\d\d(?:[.,]\d{{1,9}})? (?!\w)
      | 1\d{{9}}(?:\d{{3}}|\.\d{{1,9}})? (?!\d)
      | [EWIDF]\d{{4}} \s \d\d:\d\d:\d\d
      | \#\d{{1,4}} \s \d{{1,5}}\.\d{{1,3}} (?!\d)
    )
    | \[\s{{0,8}}\d{{1,8}}\.\d{{3,6}}\]
    | \#\d{{1,4}} \s (?:\d{{1,5}}\.\d{{1,3}}|DONE|CACHED|ERROR|\[)
    """,
    regex.VERBOSE,
)

QUIET = "TRACE FINEST FINER FINE DEBUG VERBOSE CONFIG INFO INFORMATION NOTICE WARN WARNING WRN INF DBG".split()
LOUD = "ERROR ERR SEVERE FATAL CRITICAL CRIT PANIC EMERG EMERGENCY ALERT FAILURE".split()
# A level stands between delimiters, in capitals, or as level=error / "level":"error".
LEVEL = regex.compile(
    rf"""
    (?<![\w./\-'"]) (?P<name>(?:{"|".join([*QUIET, *LOUD])})) \d? (?= [\s\]|):>,;!*\-] | $ )
    | (?<=[\t\[(|<]) (?P<name>(?i:{"|".join([*QUIET, *LOUD])})) (?=[\t\])|>])
    | \b(?:level|lvl|severity|levelname|loglevel|log\.level) ["']?\s?[=:]\s?["']? (?P<name>(?i:{"|".join([*QUIET, *LOUD])})) \b
    | (?:^|(?<=[\s])) (?P<name>[EF]) (?: \d{{4}}\s\d\d:\d\d:\d\d | /[\w.:\-]{{1,60}}(?:\(\s*\d+\))?:\s )
    | (?<=\d\s{{1,4}}) (?P<name>[EF]) \s [\w.:\-]{{1,60}}\s?:\s
    """,
    regex.VERBOSE,
)
# Cheap to look for, and in every line that declares a level.
_HINTS = re.compile("|".join(sorted({name.lower() for name in [*QUIET, *LOUD]})))
_SHORT_LEVEL = regex.compile(r"[\sEF][EF](?:[\s/]|\d{4}\s)|^[EF][\d/]")
_PLAIN_WORD = regex.compile(r"(?<![\w.\-/:=@])\p{Ll}{2,}(?![\w.\-/:=@\[(])")
_HEADING = regex.compile(r"\s*#{1,6}\s+\w")
# How far into a line a level is looked for, and how many plain words may stand before it.
_REACH, _WORDS_BEFORE = 160, 2


def level(line: str) -> str | None:
    """The severity a line declares, in capitals, or None."""
    head = line[:_REACH]
    if not (_HINTS.search(head.lower()) or _SHORT_LEVEL.search(head)):
        return None
    found = LEVEL.search(head)
    if not found:
        return None
    before = line[: found.start("name")]
    if len(_PLAIN_WORD.findall(before)) > _WORDS_BEFORE or _HEADING.match(line):
        return None
    return str(found["name"]).upper()


def is_loud(name: str | None) -> bool:
    """Whether a level means that something went wrong."""
    return name is not None and (name in LOUD or name in {"E", "F"})
