"""Find log lines: time stamps, levels, key=value pairs, and the ways tools report."""

import regex

from elision.compaction.guard.prose import is_prose
from elision.compaction.guard.reports import is_report
from elision.compaction.guard.stamps import STAMP, level

_LOG = regex.compile(
    r"""
      \s*\[(?:[A-Z]{3,12}|[a-z][\w.\-]{1,30}|\d{1,5}/\d{1,5})\]\s | [\w.\-]{1,40}\s{1,30}\|\s
    | (?i:warn(?:ing)?|info|notice|debug|note|hint|help|deprecat\w{2,6})(?:\[[\w\-]{1,60}\])?:\s
    | npm\s(?:WARN|notice|info)\s | .{0,300}"(?:GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS)\s\S+\sHTTP/ | (?:GET|POST|PUT|DELETE|HEAD|PATCH)\s/\S*\s\d{3}\b
    | \S{1,200}?[:(]\d{1,7}(?:[:,]\d{1,5})?\)?:?\s{1,3}(?:warning|error|note|info|hint|fatal\serror|remark)\b
    | TEST-[A-Z\-]+\s\| | \S{1,300}\s(?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|ok)\b | ok\s+\S+\s+(?:\(cached\)|[\d.]+s)
    | \s*(?:✓|✔|√|PASS|ok)\s+\S | [>*]\sTask\s: | =+\s.*\s=+$ | _{3,}\s.*\s_{3,}$ | -{3,}\s.*\s-{3,}$
    | \s*(?:Downloading|Downloaded|Collecting|Installing|Requirement\salready|Using\scached|Building|Compiling|Finished|Fetching|Extracting|Unpacking|Setting\sup|Preparing|Selecting|Get:\d+|Hit:\d+|Copying|Generating|Linking|Cloning|Receiving|Resolving|remote:|Step\s\d+/\d+)\b
    """,
    regex.VERBOSE,
)
_PAIR = regex.compile(r"(?:^|[\s,\[(])[A-Za-z][\w.\-]{0,60}=(?:\"|'|[^\s=>])")
_PARAGRAPH = 200
_NEXT_SENTENCE = regex.compile(r"\p{L}\p{Ll}[.!?]\s+\p{Lu}\p{Ll}")


def is_stamped(row: str) -> bool:
    """Whether a row begins with a time stamp or declares a level: surely a log line."""
    return bool(STAMP.match(row)) or level(row) is not None


def is_log(row: str) -> bool:
    """Whether a row, without its line end, is something a program logged or reported."""
    if _LOG.match(row) or len(_PAIR.findall(row, 0, 600)) >= 2:
        return True
    return is_report(row) and not _is_paragraph(row)


def _is_paragraph(row: str) -> bool:
    """Whether a row is several sentences that speak of an error, not one that reports it."""
    return len(row) >= _PARAGRAPH and bool(_NEXT_SENTENCE.search(row)) and is_prose(row)
