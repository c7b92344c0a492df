"""Recognise what a tool reports: errors, failing tests, exit codes and totals.

Only the shapes in which programs report are read, at the place in the line where they
report them. Prose and code that mention an error are not reports.
"""

import re

import regex

from elision.compaction.guard.stamps import STAMP, is_loud, level

# Reports stand early in a line; a line of 5 MB is not searched whole.
_REACH = 2000
_PREFIX = r"(?:[\s|>*•\-+⎿●└│✘!#=]{0,12}+(?:E\s{2,8})?(?:\[[^\]\n]{0,40}\]\s?){0,3}+(?:[\w.\-/]{1,40}(?:\(\d+\))?\s?[:|]\s){0,2})"
_PLACE = r"(?:\S{1,200}?(?:[:(]\d{1,7}){1,3}(?:,\d{1,5})?\)?\s?[:\-]?\s{1,3})"
_ERROR = regex.compile(
    rf"""
      ^{_PREFIX} {_PLACE}? (?:(?i:fatal|internal|compile|compiler|syntax|runtime|linker|unhandled|unexpected|parse|build)\s)?
        (?i:error|fatal|panic|critical)(?:\s?(?:[\[(]?[A-Z]{{1,8}}\d{{1,6}}[\])]?|\[[^\[\]\n]{{1,60}}\]))?\s?!?:(?:\s|$)
    | ^{_PREFIX} (?:(?:Caused\sby|Exception\sin\sthread\s"[^"]{{0,80}}"|Uncaught|Unhandled|uncaught|Unexpected|During|Error)\s?:?\s(?:exception:?\s)?)?
        (?:[\w$]{{1,80}}[.:]{{1,2}}){{0,12}}\p{{Lu}}[\w$]{{0,80}}(?:Error|Exception|Exit|Interrupt|Failure|Fault|Timeout)(?:\s\[\w{{1,60}}\])?(?::(?:\s|$)|\s*$)
    | ^.{{0,120}}?(?<=\s)(?i:error)\s:\s\S
    | ^{_PREFIX} (?:\d{{1,6}}[:,]\d{{1,6}}\s{{1,4}})(?:error|✖)\s
    | ^\s*Traceback\s\(most\srecent\scall\slast\)
    | ^\s*(?:npm|yarn|pnpm)\s(?:ERR!|error)\s\S
    | ^E\s{{3}}\s*\S
    | ^(?:PHP\s)?(?:Fatal|Parse)\serror:\s+\S | ^\*?\s?Execution\sfailed\sfor\stask
    | ^(?:make|gmake|ninja)(?:\[\d+\])?:\s(?:\*\*\*|build\sstopped)
    | ^\s*(?:thread\s'[^']{{0,80}}'\s(?:\(\d+\)\s)?panicked\sat|goroutine\s\d+\s\[running\]|ERROR\sin\s|ERR!|FAILURE:|E:\s|\#\d+\sERROR|!!!\s)
    | ^{_PREFIX} (?:Failed|Unable|failed|unable)\sto\s\w
    | ^{_PREFIX} (?:Could\snot|could\snot|Cannot|cannot)\s\w
    | ^\s*[✗✘✖❌⨯]\s*\S
    | [:\]]\s(?:command\snot\sfound|[Nn]o\ssuch\sfile\sor\sdirectory|[Pp]ermission\sdenied|[Nn]ot\sa\sdirectory|[Ii]s\sa\sdirectory)\b
    | ^(?:[Pp]ermission\sdenied|command\snot\sfound|[Nn]o\ssuch\sfile)\b
    | ^.{{0,80}}(?:Segmentation\sfault|\(core\sdumped\)|Bus\serror|Aborted\s\(|Out\sof\smemory|OOMKilled|Killed\sprocess)
    """,
    regex.VERBOSE,
)
# An indented ``error: value,`` or a bare ``error:`` is a field of something, not a report.
_FIELD = regex.compile(r"\s+[\"']?\p{Ll}\w*[\"']?:(?:\s*|\s.{0,300}[,;{(\[]\s*)$")
_QUIET_TEXT = regex.compile(r"\b(?:0|no|without|zero)\s(?:errors?|failures?|problems?)\b|\bwarn(?:ing)?s?\b\s?[\[:(]", regex.IGNORECASE)
_FAILING = regex.compile(
    r"""
      ^(?:FAILED|ERROR)\s(?P<name>\S{1,200}?\.py(?:::[^\s\[]{1,300}(?:\[[^\n]{0,200}?\])?)?)(?=\s-\s|\s*$)   # pytest summary
    | ^(?P<name>\S{1,200}?\.py::[^\s\[]{1,300}(?:\[[^\n]{0,200}?\])?)\s(?:FAILED|ERROR)\b                 # pytest -v
    | ^_{3,}\s(?:ERROR\s(?:collecting|at\s(?:setup|teardown)\sof)\s)?(?P<name>[\w./\-]{1,200}(?:\[[^\n]{0,200}\])?)\s_{3,}\s*$
    | ^(?:ERROR|FAIL):\s(?P<name>[\w.]{1,100}(?:\s\([\w.\s=']{1,200}\))?)(?:\s\[.{0,100}\])?\s*$            # unittest
    | ^(?P<name>\w{1,100}\s\([\w.]{1,200}\))\s?(?:\.\.\.)\s(?:FAIL|ERROR)\s*$
    | ^\s*---\sFAIL:\s(?P<name>\S{1,300})                                                                 # go test
    | ^\s?FAIL\s{1,2}(?P<name>(?!\d)[\w./\-@]{1,300}(?:\s>\s[^\n]{1,200})?)(?:\s|$)                        # go package, jest file, vitest
    | ^\d{1,5}\)\s(?P<name>[\w\\]{1,200}::\w[^\n]{0,200})                                                   # phpunit
    | ^\s*not\sok\s\d{1,9}(?:\s-)?\s(?P<name>[^\n#]{1,200})                                                # TAP
    | ^\s*(?:[✕×✗✘]|●)\s(?P<name>\p{L}[^\n]{2,200}?)(?:\s\(?[\d.]+\s?m?s\)?)?\s*$                                # jest, vitest
    | ^\s{2,12}\d{1,4}\)\s(?P<name>[^\n]{2,200}?)\s*$                                                      # mocha
    | ^rspec\s(?P<name>\S{1,200})
    | ^test\s(?P<name>\S{1,300})(?:\s-\s[^\n]{1,60}?)?\s\.\.\.\sFAILED                                      # cargo
    | ^(?:\[\d[^\]]*\]\s)?\[(?:ERROR|FAILURE)\]\s{1,4}(?:Tests\srun:.{0,200}?in\s)?(?P<name>[\w.$]{1,200}[.:\#](?!\d)\w{1,100}(?:\([\w.$]{1,200}\))?)(?::\d+|\s{1,3}(?:»|Time\selapsed|--\sTime|expected|<<<)).{0,40}
    | ^(?P<name>[\w.$]{1,200}(?:\([\w.$]{1,200}\))?)\s{1,3}(?:--\s)?Time\selapsed:.{0,40}<<<\s(?:FAILURE|ERROR)!
    | (?:TEST-UNEXPECTED-[A-Z]+|REFTEST\sTEST-UNEXPECTED-[A-Z]+)\s\|\s(?P<name>[^|\n]{1,300}?)\s*(?:\||$)   # mozilla
    | ^\s{0,8}Failed\s(?P<name>[\w.]{3,200}(?:\([^\n]{0,100}\))?)\s\[                                      # dotnet
    | ^\s*(?P<name>[\w.:\[\]/\-]{3,200})\s\.{2,}\s?\**(?:Failed|FAILED)\b                                   # ctest
    """,
    regex.VERBOSE,
)
_EXIT = regex.compile(
    r"""
    \b(?: (?:exit|return)\s(?:code|status|value)\s?(?:was|is|of|:|=)?\s?\(?(?P<code>-?\d{1,10})\b
      | exit(?:ed|\s)?(?:\s?with)?(?:\s(?:code|status))?\s?[:=]?\s(?P<code>-?\d{1,5})\b(?!\s?[.:]\d)
      | (?:exit_?code|rc|returncode|exit_?status)\s?[=:]\s?(?P<code>-?\d{1,10})\b
      | returned\s(?:a\s)?non-zero\sexit\sstatus\s(?P<code>-?\d{1,10})
      | non-zero\s(?:exit\s)?code:?\s(?P<code>-?\d{1,10})
      | (?:terminated|killed)\sby\s(?:signal\s)?(?P<code>SIG[A-Z]+|\d{1,3})\b
    )
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_COUNT = r"\d[\d,]{0,12}"
_TOTAL = regex.compile(
    rf"""
      ^[=\s]{{0,80}}{_COUNT}\s(?:failed|passed|error|errors|skipped|deselected|xfailed|xpassed|warnings?)\b.{{0,120}}\sin\s[\d.]+\s?s   # pytest
    | ^=+\s(?:no\stests\sran|{_COUNT}\s\w+).{{0,120}}=+\s*$
    | ^\s*(?:Tests|Test\sSuites|Test\sFiles|Snapshots|Suites|Specs|Scenarios|Steps):?\s{{1,12}}\d.{{0,120}}(?:passed|failed|total|skipped)
    | \bTests\srun:\s?\d+,\s(?:Failures|Errors)
    | ^\s*Ran\s{_COUNT}\stests?\b | ^\s*FAILED\s\((?:failures|errors|skipped).{{0,80}}\) | ^OK(?:\s\(.{{0,80}}\))?\s*$
    | ^\s*test\sresult:\s
    | ^(?:Failed|Passed|Skipped)!\s+-\sFailed:\s.{{0,120}}                                # dotnet
    | ^Tests:\s{_COUNT},\sAssertions:\s.{{0,120}} | ^OK,\sbut\s.{{0,80}}                     # phpunit
    | ^\#\s(?:tests|pass|fail)\s{{1,4}}\d+\s*$                                             # TAP
    | ^\s*(?:✖\s)?{_COUNT}\s(?:problems?|errors?|warnings?|issues?|vulnerabilit(?:y|ies)|offenses?|violations?)(?:\s\(.{{0,80}}\)|\sfound|\sdetected|\sin\s\d+|\sgenerated|\sand\s\d+|\s*$|\.$|,\s\d)
    | ^\s*(?:Found|Summary:|Total:?|Result:)\s{_COUNT}\s\w+ | ^\s*found\s\d+\s\w+\svulnerabilit
    | ^\s*{_COUNT}\s(?:examples?|tests?|specs?|assertions?|runs|checks?|scenarios?)\b,?.{{0,80}}(?:fail|pass|error|pending)
    | ^\s*{_COUNT}\s(?:passing|failing|pending)\b
    | ^\s*\(?{_COUNT}\srows?(?:\sin\sset|\saffected|\)|\sreturned).{{0,40}}
    | ^\s*{_COUNT}\sfiles?\s(?:changed|would\sbe|reformatted|left\sunchanged|already).{{0,100}}
    | ^\s*(?:\[\w+\]\s)?BUILD\s(?:SUCCESS|FAILURE|FAILED|SUCCESSFUL)\b | ^\s*Build\s(?:succeeded|FAILED|failed)\b
    | ^\s*(?:error:\s)?(?:could\snot\scompile|aborting\sdue\sto)\b
    | ^\s*Total\s(?:errors?|warnings?|tests?|files?|time|lines?|cost|size|number)\b.{{0,40}}\d
    | ^\s*TOTAL\s.{{0,80}}\d | ^\s*\d+%\stests\spassed
    """,
    regex.VERBOSE,
)
_STAMP_TAIL = regex.compile(r"[\s|\-:\]>]*+(?:(?:INFO|DEBUG)\s*+[\s|\-:\]]*+)?(?:(?:PID\s\d+|GECKO\(\d+\))\s\|\s)?")
# Cheap to look for, and `re` finds one of many words faster than `regex`: a line without any is no report.
_ERROR_HINTS = re.compile(
    "error|exception|fatal|panic|fail|unable|could|cannot|traceback|err!|denied|found|such|director|fault|dumped"
    "|abort|memory|oomkilled|killed|stopped|interrupt|exit|timeout|critical|severe|crit|emerg|alert|err"
)
_ERROR_SIGN = regex.compile(r"[✗✘✖❌⨯]|\*\*\*|!!!|^E[\s:\d/]|\s[EF][\s/]|^F[\d/]")
_FAILING_HINTS = re.compile("fail|error|unexpected|not ok|rspec|___")
_FAILING_SIGN = regex.compile(r"[✕×✗✘●]|^\s{0,12}\d{1,5}\)\s")
_EXIT_HINTS = re.compile("exit|return|rc|sig|killed by")
_TOTAL_HINTS = re.compile(
    "fail|pass|skip|error|warning|tests|suites|snapshots|spec|scenario|steps|ran|ok|result|problem|issue|vulnerab|offense"
    "|violation|found|summary|total|row|file|build|compile|aborting|=="
)


def _mentions(line: str, hints: "re.Pattern[str]") -> bool:
    return hints.search(line.lower()) is not None


def _message(line: str) -> str:
    """The line without its time stamp and what separates it from the message."""
    found = STAMP.match(line)
    if not found:
        return line
    rest = line[found.end() :]
    skip = _STAMP_TAIL.match(rest)
    return rest[skip.end() :] if skip else rest


def is_error(line: str) -> bool:
    """Whether a line reports an error; warnings and "0 errors" do not."""
    line = line[:_REACH]
    if not (_ERROR_SIGN.search(line) or _mentions(line, _ERROR_HINTS)):
        return False
    if _FIELD.match(line):
        return False
    declared = level(line)
    if is_loud(declared):
        return not _QUIET_TEXT.search(line, 0, 300)
    if declared is not None or line.startswith("{"):
        return "Traceback (most recent call last)" in line
    message = _message(line)
    found = _ERROR.search(message)
    return bool(found) and not _QUIET_TEXT.search(message, 0, 300)


def failing_test(line_text: str) -> str | None:
    """The name of the test that this line says has failed, or None.

    ``a/test_x.py::TestA::test_b`` is named ``a/test_x.py::TestA.test_b``, as two files may have a test
    of one name; a heading has just ``TestA.test_b``, see `names_test`.
    """
    line_text = line_text[:_REACH]
    if not (_FAILING_SIGN.search(line_text) or _mentions(line_text, _FAILING_HINTS)):
        return None
    found = _FAILING.search(_message(line_text.rstrip()))
    if not found:
        return None
    name = found["name"].strip()
    head, _, inner = name.partition("::")
    return f"{head}::{inner.replace('::', '.')}" if inner and head.endswith(".py") else name


def names_test(full: str, bare: str) -> bool:
    """Whether the test ``full``, named with its file, is the one that ``bare`` names without."""
    return full.partition("::")[2] == bare


def exit_code(line_text: str) -> str | None:
    """The exit code or signal this line reports, as written, or None."""
    line_text = line_text[:_REACH]
    if not _mentions(line_text, _EXIT_HINTS):
        return None
    found = _EXIT.search(line_text)
    return str(found["code"]) if found else None


def total(line_text: str) -> str | None:
    """The sum or verdict this line reports, with numbers masked so that equal kinds compare equal."""
    line_text = line_text[:_REACH]
    if not _mentions(line_text, _TOTAL_HINTS):
        return None
    found = _TOTAL.search(_message(line_text.rstrip()))
    return regex.sub(r"\d[\d.,:]*", "#", found[0]).strip(" =") if found else None


def is_report(line: str) -> bool:
    """Whether a line reports anything of the four."""
    return is_error(line) or bool(failing_test(line) or total(line) or exit_code(line))
