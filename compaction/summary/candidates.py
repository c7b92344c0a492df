"""What an extractive summary may say: sentences of people and the agent, errors of tools, paths of calls.

Everything is a slice of a source with its white space folded. Words of a tool are taken only where they
report an error, a failing test or a total, or end an output, and only as a quotation.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import regex

from elision.compaction.guard.markers import OPENING
from elision.compaction.guard.prose import is_prose
from elision.compaction.guard.reports import exit_code, total
from elision.compaction.guard.sentences import split_sentences
from elision.compaction.pins.requests import is_courtesy
from elision.compaction.pins.text import error_template
from elision.compaction.pins.troubles import failures
from elision.compaction.pins.types import HistoryPin, PinKind
from elision.compaction.summary.types import Source
from elision.model.types import Span

_LONGEST, _LONGEST_REPORT, _LONGEST_CALL = 600, 300, 200  # characters
_MOST_SAID = 100_000  # characters of one message: what is longer was pasted, and its ends are what was said
_FEW = 3  # lines: so short a text is all said, whatever it looks like
_CALL = regex.compile(r"(?P<name>[\w.:/-]{1,120}+)\((?P<arguments>.*)\)", regex.DOTALL)
_LEAD = regex.compile(r"(?:\s|[>*+•–◦▪-](?=\s)|\#{1,6}(?=\s)|\d{1,3}[.)](?=\s)|\[[ xX]\](?=\s))*+")
_QUOTED = regex.compile(r"\s{0,3}>|\s*+\|")  # and rows of tables
_FENCE = regex.compile(r"\s{0,8}(?:```|~~~)")
_SAYS = regex.compile(r"[\p{L}\p{N}]")
_WORDS = regex.compile(r"[^|]*?\p{L}[^|\s]*+\s++[^|\s]*?\p{L}")
_GOES_ON = (":", "：", ":**", ":*")  # what it says comes after it
_ANNOUNCES = (":", "：")
# Of one output: what began it, and how it went; errors between follow from the first mostly.
_FIRST_REPORTS, _LAST_REPORTS = 3, 2
_MOST_OPEN = 100  # calls that are looked through for the one that a result answers
# What clients put into a user's message; nobody said it.
_MACHINE = regex.compile(
    r"^[ \t]*+<(?P<tag>(?:system|environment|command|local-command|bash|tool|function|hook|ide|editor|file|document|attach|git|open)[\w-]{0,40}"
    r"|(?:user-prompt-submit|session-start)-hook|stdout|stderr|output|logs?|summary|state_snapshot|transcript|conversation)(?:\s[^>\n]{0,200})?>"
)
_PATH = regex.compile(
    r'"(?:(?:file|notebook|absolute|target|relative)?_?-?(?:path|file)|file_?name)"\s*+:\s*+"(?P<path>[^"\\\n]{1,300}+)"'
    r"|\*\*\* (?:Add|Update|Delete) File: (?P<patched>[^\\\n\"]{1,300}+)",
    regex.IGNORECASE,
)
_CHANGES = regex.compile(
    r"write|edit|patch|create|replace|insert|append|update|save|delete|remove|rename|move", regex.IGNORECASE
)
_READS = regex.compile(r"read|view|open|cat$|show|load", regex.IGNORECASE)
# These show what others wrote; an error in it is not one of this session.
_SHOWS = regex.compile(r"read|view|cat$|grep|search|glob|find|fetch|^ls$|list|document", regex.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as it was told.

    Attributes:
        id: Of its source.
    """

    name: str
    line: str
    id: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that may be said.

    Attributes:
        text: A slice of its source, white space folded.
        source: Where it stands.
        order: Of its source among the sources.
        place: Of it in its source.
        call: Of what a tool reported the call that made it, as it was told; empty if not known or long.
        cites: Ids of its sources.
        report: What it reports: ``error``, ``result`` or, if neither, ``last`` of what its output says; empty if it
            is said by a person or the agent.
        path: What was done to the path that it is: ``read``, ``changed`` or ``deleted``; empty if it is none.
        begun: How the agent said it right before a call: ``announced``, with a colon, or ``said``; what it is
            about to do has begun. Empty if no call followed.
    """

    text: str
    source: Source
    order: int
    place: int
    call: str = ""
    cites: tuple[str, ...] = ()
    report: str = ""
    path: str = ""
    begun: str = ""


def candidates(sources: Sequence[Source], pins: Sequence[HistoryPin] = ()) -> list[Candidate]:
    """Everything that may be said, in order; nothing twice.

    What is said again stands where it was said first; an error, a path and what came before a call where it
    came last.

    Args:
        pins: Files among them are paths too, where their source holds them.
    """
    files = _files(pins)
    found: dict[tuple[str, str], Candidate] = {}
    waiting: list[_Call] = []
    for order, source in enumerate(sources):
        calls = _calls(source)
        waiting += calls
        if source.trusted:
            pinned = _pinned(source, order, files.get(source.index, ()))
            listed = [*_said(source, order, bool(calls)), *_paths(source, order, calls), *pinned]
        else:
            listed = list(_reports(source, order, _answered(waiting, source.tool)))
        for one in listed:
            key = _key(one)
            before = found.pop(key, one)
            found[key] = one if one.path or one.report or one.begun else before
            if one.path == "read" and before.path != "read":  # what was changed and then read is changed
                found[key] = replace(one, path=before.path)
    return sorted(found.values(), key=lambda one: (one.order, one.place))


def fold(text: str) -> str:
    """What makes two statements the same: their words."""
    return " ".join(text.casefold().split()).rstrip(".!。 ")


def sentences(text: str, acts: bool = False) -> Iterator[str]:
    """The sentences of what somebody said, without list marks; code, tables and quotations are none.

    Args:
        acts: Whether a call follows the text, so that a last sentence with a colon says what it is for.
    """
    lines = list(_spoken(text if len(text) <= _MOST_SAID else _ends(text)))
    for number, line in enumerate(lines, 1):
        lead = _LEAD.match(line)
        start = lead.end() if lead else 0
        if len(lines) > _FEW and not is_prose(line) and not (start and _WORDS.match(line, start)):
            continue
        for span in split_sentences(line, Span(start, len(line))):
            sentence = " ".join(span.of(line).split())
            whole = not sentence.endswith(_GOES_ON) or (
                acts and number == len(lines) and sentence.endswith(_ANNOUNCES)
            )
            if whole and len(sentence) <= _LONGEST and _SAYS.search(sentence):
                yield sentence


def _ends(text: str) -> str:
    """The whole lines at the beginning and the end of a text that is too long to be spoken."""
    half = _MOST_SAID // 2
    return text[:half].rpartition("\n")[0] + "\n" + text[-half:].partition("\n")[2]


def _key(one: Candidate) -> tuple[str, str]:
    if one.path:
        return "path", one.text
    if one.report == "error" and exit_code(one.text):
        return one.report, one.call + fold(one.text)
    return one.report, (error_template(one.text) if one.report == "error" else None) or fold(one.text)


def _said(source: Source, order: int, acts: bool) -> Iterator[Candidate]:
    said = [one for one in sentences(source.text, acts) if source.speaker != "assistant" or not is_courtesy(one)]
    for place, text in enumerate(said):
        words = text.rstrip("".join(_ANNOUNCES)).rstrip() if acts else text
        begun = ("" if not acts or place < len(said) - 1 else "said") if words == text else "announced"
        yield Candidate(words, source, order, place, cites=(source.id,), begun=begun)


def _spoken(text: str) -> Iterator[str]:
    """The lines that are somebody's words."""
    fenced, until = False, ""
    for line in text.splitlines():
        if until:
            until = "" if until in line else until
        elif _FENCE.match(line):
            fenced = not fenced
        elif machine := None if fenced else _MACHINE.match(line):
            close = f"</{machine['tag']}>"
            until = "" if close in line or close not in text else close
        elif not fenced and line.strip() and not _QUOTED.match(line) and not _call(line):
            yield line


def _calls(source: Source) -> list[_Call]:
    if source.speaker != "assistant":
        return []
    return [
        _Call(match["name"], line, source.id) for line in source.text.split("\n") if (match := _call(line))
    ]


def _call(line: str) -> "regex.Match[str] | None":
    return _CALL.fullmatch(line) if line.endswith(")") else None


def _answered(waiting: list[_Call], tool: str) -> _Call | None:
    """The oldest call of this tool that has no result yet."""
    for at, call in enumerate(waiting[:_MOST_OPEN]):
        if call.name == tool:
            return waiting.pop(at)
    return None


def _paths(source: Source, order: int, calls: Sequence[_Call]) -> Iterator[Candidate]:
    for place, call in enumerate(calls):
        done = "changed" if _CHANGES.search(call.name) else "read" if _READS.search(call.name) else ""
        for match in _PATH.finditer(call.line):
            if done or match["patched"]:
                text = " ".join((match["path"] or match["patched"]).split())
                path = "changed" if match["patched"] else done
                yield Candidate(text, source, order, place, cites=(source.id,), path=path)


def _files(pins: Sequence[HistoryPin]) -> dict[int, list[HistoryPin]]:
    """The pins of files, by the index of their message."""
    files: dict[int, list[HistoryPin]] = defaultdict(list)
    for pin in pins:
        if pin.kind is PinKind.FILE and not pin.superseded_by:
            files[pin.index].append(pin)
    return files


def _pinned(source: Source, order: int, pins: Sequence[HistoryPin]) -> Iterator[Candidate]:
    text = " ".join(source.text.split()) if pins else ""
    for place, pin in enumerate(pins):
        if pin.text in text:
            yield Candidate(pin.text, source, order, place, cites=(source.id,), path=pin.state or "read")


def _reports(source: Source, order: int, call: _Call | None) -> Iterator[Candidate]:
    """The lines in which a tool reports errors and results, else its last; what others wrote reports none."""
    if _SHOWS.search(source.tool):
        return
    line = call.line if call and len(call.line) <= _LONGEST_CALL else ""
    cites = (call.id, source.id) if call and line else (source.id,)
    rows = [row for row in source.text.splitlines() if OPENING not in row]
    short = [(place, row) for place, row in enumerate(rows) if len(row) <= _LONGEST_REPORT]
    errors = set(failures(["\n".join(row for _, row in short)]).values())
    found = [
        (place, row, report)
        for place, row in short
        if (report := "error" if row in errors else "result" if total(row) else "")
    ]
    found = found[:_FIRST_REPORTS] + found[max(_FIRST_REPORTS, len(found) - _LAST_REPORTS) :]
    # How a command ended says little where its own words tell.
    found = found or [(place, row, "error") for place, row in short if exit_code(row) not in (None, "0")]
    found = found or _last_words(rows)
    for place, row, report in found:
        yield Candidate(" ".join(row.split()), source, order, place, line, cites, report)


def _last_words(rows: Sequence[str]) -> list[tuple[int, str, str]]:
    """The last line of an output that is words, as a report; none if it has none that is short."""
    for place in range(len(rows) - 1, -1, -1):
        line = " ".join(rows[place].split())
        if len(line) <= _LONGEST_REPORT and _WORDS.match(line):
            return [(place, line, "last")]
    return []
