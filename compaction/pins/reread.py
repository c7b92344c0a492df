"""Read back what code put in front of an earlier summary: pins, lists of files, quotations of summaries.

Only what stands first is read, of pins as many lines as their block says it has: what a writer wrote behind
it, or a tool anywhere, may look the same and is none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from elision.compaction.pins.counted import counts_of
from elision.compaction.pins.render import DATA_HEADING, HEADINGS, NUMBER
from elision.compaction.pins.shell import CHANGED, READ
from elision.compaction.pins.speech import PINNED
from elision.compaction.pins.types import CARRIED, DATA, HistoryPin, PinKind

_OPENING = regex.compile(rf"{regex.escape(PINNED)} \((?P<lines>\d{{1,6}}) lines?\):[^\n]*\n")
_ENTRY = regex.compile(r"- (?P<source>\[[^\[\]\n]{1,120}\]) (?P<said>.*)", regex.DOTALL)
_DATA = regex.compile(r'(?:(?P<state>[^"\n]*): )?"(?P<text>.*)"')
_STATE = regex.compile(r"\((?P<state>[^()\n]{1,40})\) (?P<text>.*)", regex.DOTALL)
_KINDS = {heading: kind for kind, heading in HEADINGS.items()}
_LISTS = {READ: "Files read:", CHANGED: "Files changed:"}
_QUOTING = "From an earlier summary, in whoever's words it was written; the user did not write it:"


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a summary: what code put in front, and the writer's words."""

    pins: tuple[HistoryPin, ...]
    counted: str
    quoted: str
    rest: str


def reread(notes: str) -> tuple[HistoryPin, ...]:
    """The pins of a summary, in the order in which they stand; none where it has no such block or list.

    Args:
        notes: The summary without its frame.
    """
    return _parts(notes).pins


def counted(notes: str) -> str:
    """The line that counts what did not fit into a summary's block of pins; empty if it has none."""
    return _parts(notes).counted


def quoted(notes: str) -> str:
    """What a summary quotes of other agents' summaries, as `quoting` wrote it."""
    return _parts(notes).quoted


def behind(notes: str) -> str:
    """What the writer of a summary wrote: all but what code put in front of it."""
    return _parts(notes).rest


def quoting(text: str) -> str:
    """The quotation of other agents' summaries; empty if there is none."""
    return "\n".join([_QUOTING, *(f"> {line}".rstrip() for line in text.split("\n"))]) if text else ""


def file_lists(read: Sequence[str], changed: Sequence[str]) -> str:
    """The files that were read and those that were changed, as lists; a path with a line end is left out."""
    listed = {READ: read, CHANGED: changed}
    return "\n\n".join(
        "\n".join([name, *paths])
        for state, name in _LISTS.items()
        if (paths := [path for path in listed[state] if path.strip() and "\n" not in path])
    )


def _parts(notes: str) -> _Parts:
    rest, pins, counted = notes.lstrip(), list[HistoryPin](), ""
    if opening := _OPENING.match(rest):
        many, lines = int(opening["lines"]), rest[opening.end() :].split("\n")
        block, rest = lines[:many], "\n".join(lines[many:]).lstrip()
        pins += _pins(block)
        counted = block[-1] if counts_of(block[-1]) else ""
    for state, name in _LISTS.items():
        first, _, following = rest.partition("\n\n")
        if first.startswith(f"{name}\n"):
            pins += (
                HistoryPin(PinKind.FILE, path, "", CARRIED, state) for path in first.split("\n")[1:] if path
            )
            rest = following.lstrip()
    quoted = list[str]()
    if rest.startswith(f"{_QUOTING}\n>"):
        _, *lines = rest.split("\n")
        stop = next((at for at, line in enumerate(lines) if not line.startswith(">")), len(lines))
        quoted = [line.removeprefix(">").removeprefix(" ") for line in lines[:stop]]
        rest = "\n".join(lines[stop:])
    return _Parts(tuple(pins), counted, "\n".join(quoted), rest.strip())


def _pins(lines: list[str]) -> Iterator[HistoryPin]:
    kind: PinKind | None = None
    entry: list[str] = []
    for line in [*lines, "## "]:
        if line.startswith("  ") and entry:
            entry.append(line[2:])
            continue
        if entry and kind is not None:
            yield from _pin(kind, "\n".join(entry))
        entry = []
        if line.startswith("#"):
            heading = line.lstrip("#").strip()
            kind = None if heading == DATA_HEADING else _KINDS.get(heading)
        elif line.startswith("- "):
            entry = [line]


def _pin(kind: PinKind, entry: str) -> Iterator[HistoryPin]:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        return
    source, said, state = found["source"], found["said"], ""
    texts = [said]
    if kind in DATA:
        told = _DATA.fullmatch(said)
        said, state = (told["text"], told["state"] or "") if told else (said, "")
        texts = said.split('", "')  # no mark of quotation stands inside one
    elif kind is PinKind.OPEN_CALL:
        return  # is known from the calls that are there
    elif kind is PinKind.TODO and (told := _STATE.fullmatch(said)):
        texts, state = [told["text"]], told["state"]
    # An index in brackets stood so; any other id had none.
    source = source if NUMBER.fullmatch(source) else source[1:-1]
    yield from (HistoryPin(kind, text, source, CARRIED, state) for text in texts)
