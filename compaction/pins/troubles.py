"""Errors that tools reported and nothing has resolved.

One failure is one pin. Of each kind of error that a call reported the last line is pinned: of a test the line
that names it with its file, else what it failed with; of errors that come of each other the last; of a block
of lines the one that says what went wrong. Headings, and lines that only say that something before them went
wrong, are pinned where there is nothing else. An error is resolved when the same call, or the
same program on at least as much (``pytest`` after ``pytest tests/a.py``), later runs without it; an edit, when
the same file is edited later; any other tool, when it later runs without one on the same file or on none.
What reading and searching show is no error of this session.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

import regex

from elision.compaction.calls.tools import argument_keys
from elision.compaction.guard.code import looks_like_code
from elision.compaction.guard.reports import names_test
from elision.compaction.pins.calls import Call, strings_of
from elision.compaction.pins.shell import program
from elision.compaction.pins.text import error_template, exit_code, failing_test, total
from elision.compaction.pins.types import HistoryPin, PinKind
from elision.compaction.reduce.results import is_stand_in

LONGEST = 300  # characters of an error
MOST = 8  # errors of one call
_SHOWS = frozenset("cat head tail less sed grep rg ag find ls git awk jq wc bat tree".split())
_LONGEST_STATE = 200
_EDIT = "edit"
_TEST, _TRACE = "test ", "traceback"  # kinds
_OPTION = regex.compile(r"-\w{1,3}|--[\w-]+(?:=(?:short|long|\d+))?")
_SEARCHES = regex.compile("search|grep|glob|browse|fetch|wiki|list|logs")
_LINE = regex.compile(r"[^\r\n]++")
_WORDS = regex.compile(r"\p{L}")
# Programs that tell one failure in several lines, each with the same beginning: pytest and npm.
_BLOCK = regex.compile(r"(?P<head>E(?=\s{2}|$)|\s*+(?:npm|yarn|pnpm)\s(?:ERR!|error)(?=\s|$))\s*+")
# Of such a block what only says where it happened, and that it says what a script it ran has said before.
_DETAIL = regex.compile(
    r"(?:code|errno|syscall|signal|path|dest|cwd|workspace|location|command)\s|A complete log\b|Exit status \d"
)
_OF_A_SCRIPT = regex.compile(
    r"[Ll]ifecycle script|code ELIFECYCLE|command failed|Command failed with|Failed at the .{0,200} script"
)
_TEST_HEADING = regex.compile(r"_{3,}\s|(?:FAIL|ERROR):\s\w")
_TRACE_HEADING = regex.compile(r"\s*Traceback \(most recent call last\)")
_ANNOUNCES = regex.compile(r"\s*(?:[Ee]rror|ERROR|[Ff]atal|FATAL|[Ff]ailed|FAILED)\s?:\s*")
_OF_A_DIFF = ("+", "-")  # an error in changed code is none that a program reports
_COMES_OF = regex.compile(
    r"(?:During handling of|The above exception was the direct cause of)\b|\s*Caused by: "
)
_NAME = regex.compile(r"(?P<name>[\p{L}_][\w.]{0,200})(?::\s|\s*$)")
# A test that has passed may have an error in its name.
_PASSED = regex.compile(
    r".{0,400}?\s(?:PASSED|XFAIL|SKIPPED)\s*(?:$|[\[(])|(?:test\s)?\S.{0,300}\s\.{3}\s(?:ok|skipped|ignored)\b|\s*(?:---\sPASS:|ok\s\d|[✓✔√]\s)"
)
_ONLY_SAYS_SO = regex.compile(
    r"\s*(?:g?make|ninja)(?:\[\d+\])?: |.{0,40}\bSome errors were emitted|(?:FAILURE: )?Build failed\b|.{0,200}: error: ld returned"
)


@dataclass(frozen=True, slots=True)
class _Ran:
    """What a call was about, for comparing it with later ones."""

    name: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.name, *self.words))[:_LONGEST_STATE]


def troubles(made: Sequence[Call], carried: Sequence[HistoryPin] = ()) -> list[HistoryPin]:
    """The errors that are still open, in order; the state of each pin is the command or tool that reported it.

    Args:
        carried: Errors of an earlier compaction, which the calls may resolve.
    """
    still = _Open()
    for pin in carried:
        still.add(_kind(pin.text) or pin.text, _told(pin.state), pin)
    for call in made:
        if call.answered < 0:
            continue
        ran = _ran(call)
        found = dict(_errors(call))
        still.resolve(ran, found.keys())
        for template, line in found.items():
            pin = HistoryPin(PinKind.ERROR, line, call.answer, call.answered, state=str(ran))
            still.add(template, ran, pin)
    return list(still.pins.values())


class _Open:
    """The open errors by kind, the newest of each; and the kinds that each program has open."""

    def __init__(self) -> None:
        self.pins: dict[str, HistoryPin] = {}
        self._ran: dict[str, _Ran] = {}
        self._of_program: dict[str, set[str]] = {}

    def add(self, template: str, ran: _Ran, pin: HistoryPin) -> None:
        self._drop(template)
        self.pins[template], self._ran[template] = pin, ran
        self._of_program.setdefault(ran.name, set()).add(template)

    def resolve(self, later: _Ran, still_there: Set[str]) -> None:
        for template in self._of_program.get(later.name, set()) - still_there:
            if _narrowing(later) <= _narrowing(self._ran[template]):
                self._drop(template)

    def _drop(self, template: str) -> None:
        if template in self.pins:
            del self.pins[template]
            self._of_program[self._ran.pop(template).name].discard(template)


def failures(texts: Iterable[str]) -> dict[str, str]:
    """The failures that texts report: by kind the last line that tells of it, whole, in order."""
    seen = _Seen()
    for text in texts:
        seen.read(match.group() for match in _LINE.finditer(text))
    return seen.failures()


def _errors(call: Call) -> Iterator[tuple[str, str]]:
    """Kinds of error and the last line of each, of the last kinds at most `MOST`."""
    if not call.failed and (call.is_a("read") or _only_shows(call)):
        return
    found = failures(call.results)
    if not found and call.failed:
        lines = (match.group().strip() for text in call.results for match in _LINE.finditer(text))
        first = next((line for line in lines if _WORDS.search(line) and not is_stand_in(line)), "")
        found = {first: first} if first else {}
    for kind, line in list(found.items())[-MOST:]:
        yield kind, line.strip()[:LONGEST]


class _Seen:
    """The failures of the texts read so far, by kind."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}
        self._weak: dict[str, str] = {}  # what is said where nothing else is
        self._headed: set[str] = set()  # the tests that a heading names
        self._of = ""  # the kind that the next error belongs to, whatever its own is
        self._trace = False
        self._announced = False  # whether the line before says no more than that an error follows

    def read(self, lines: Iterable[str]) -> None:
        """Read one text."""
        self._of, self._trace, self._announced = "", False, False
        for head, block in groupby(lines, key=_head):
            rows = list(block)
            weak = bool(head) and _only_tells_where(rows)
            for row in [_telling(rows)] if head else rows:
                self._line(row, weak)

    def failures(self) -> dict[str, str]:
        """The last line of each kind, in order; a test that is named with its file is told once."""
        full = [kind.removeprefix(_TEST) for kind in self._found if kind.startswith(_TEST)]
        twice = {_TEST + bare for bare in self._headed if any(names_test(name, bare) for name in full)}
        found = {kind: line for kind, line in self._found.items() if kind not in twice}
        return found or dict(list(self._weak.items())[:1])

    def _line(self, row: str, weak: bool) -> None:
        ends_trace = self._trace and not row[:1].isspace()
        self._trace = self._trace and not ends_trace
        announced, self._announced = self._announced, self._announced and not row.strip()
        if announced and row.strip() and _kind(row) is None and not _TRACE_HEADING.match(row):
            self._add(row.strip(), row)
        elif _ANNOUNCES.fullmatch(row):
            self._announced = True
            self._weak.setdefault(row, row)
        elif ends_trace and (name := _NAME.match(row)):
            self._add(_kind(row) or name["name"], row)
        elif _TRACE_HEADING.match(row):
            self._trace = True
            self._weak.setdefault(_TRACE, row)
        elif _COMES_OF.match(row):
            self._of = next(reversed(self._found), "")
            self._plain(row, weak)
        else:
            self._plain(row, weak)

    def _plain(self, row: str, weak: bool) -> None:
        test = failing_test(row)
        kind = _TEST + test if test else error_template(row)
        if kind is None or _PASSED.match(row) or (row[:1] in _OF_A_DIFF and looks_like_code(row)):
            return
        if weak or _ONLY_SAYS_SO.match(row):
            self._weak.setdefault(kind, row)
        elif test:
            if _TEST_HEADING.match(row):
                self._of = kind
                self._headed.add(test)
                self._weak.setdefault(kind, row)
            else:
                self._found.pop(kind, None)
                self._found[kind] = row
        elif exit_code(row) or total(row):
            self._weak.setdefault(kind, row)
        else:
            self._add(kind, row)

    def _add(self, kind: str, row: str) -> None:
        kind, self._of = self._of or kind, ""
        self._found.pop(kind, None)
        self._found[kind] = row


def _head(line: str) -> str:
    """What the lines of a block begin with; empty for a line that stands alone."""
    found = _BLOCK.match(line)
    return found["head"].strip() if found else ""


def _only_tells_where(rows: Sequence[str]) -> bool:
    """Whether a block says nothing of what went wrong that stands not before it."""
    script = any(map(_OF_A_SCRIPT.search, rows))
    return script or all(_DETAIL.match(_BLOCK.sub("", row, count=1)) for row in rows)


def _telling(rows: Sequence[str]) -> str:
    """The line of a block that says what went wrong: the first that names an error, else the first that says more
    than where it happened.
    """
    said = [(row, _BLOCK.sub("", row, count=1)) for row in rows]
    named = (row for row, rest in said if error_template(rest))
    return next(named, next((row for row, rest in said if not _DETAIL.match(rest)), rows[0]))


def _kind(line: str) -> str | None:
    """What kind of error a line reports; a test that failed is one of its own. None if it reports none."""
    name = failing_test(line)
    return _TEST + name if name else error_template(line)


def _only_shows(call: Call) -> bool:
    command = call.command
    if not command:
        return call.is_a("looks", "fetches", "searches") or _SEARCHES.search(call.tool) is not None
    return program(command)[0].split(" ")[0].rpartition("/")[2] in _SHOWS


def _ran(call: Call) -> _Ran:
    if command := call.command:
        name, words = program(command)
        return _Ran(name or command, words)
    paths = tuple(strings_of(call.arguments, argument_keys("paths")))
    return _Ran(_EDIT if call.is_a("changed") and paths else call.tool, paths)


def _told(state: str) -> _Ran:
    """What a state of a pin says of its call."""
    if state.startswith(f"{_EDIT} "):
        return _Ran(_EDIT, (state.removeprefix(f"{_EDIT} "),))
    return _Ran(*program(state))


def _narrowing(ran: _Ran) -> frozenset[str]:
    """The words by which it ran on less: another call without them ran on at least as much."""
    return frozenset(word for word in ran.words if not _OPTION.fullmatch(word))
