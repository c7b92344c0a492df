"""Forms about lines and omission markers."""

import re

from tests.cases.grammar import each_run
from tests.cases.marks import MARKER, is_marker, stretches
from tests.cases.outcome import Run
from tests.cases.reading import texts
from tests.cases.sequences import first_stray

_OPEN, _CLOSE = "({[", ")}]"


@each_run("every output line is an input line or an omission marker")
def whole_lines(run: Run) -> None:
    old = {line for text in texts(run.given) for line in text.splitlines()}
    lines = [line for text in texts(run.output) for line in text.splitlines()]
    stray = [line for line in lines if line not in old and not is_marker(line)]
    assert not stray, f"{len(stray)} lines, first {stray[0]!r}"


@each_run("output contains an omission marker")
def marked(run: Run) -> None:
    assert any(MARKER.search(text) for text in texts(run.output)), "no marker"


@each_run("output contains an omission marker with a number")
def counted(run: Run) -> None:
    markers = [found[0] for text in texts(run.output) for found in MARKER.finditer(text)]
    assert any(re.search(r"\d", marker) for marker in markers), markers


@each_run("braces are balanced in each block between omission markers that is balanced in the input")
def balanced(run: Run) -> None:
    source = "\n".join(texts(run.given)).splitlines()
    for block in stretches("\n".join(texts(run.output))):
        whole = _source_of(block, source)
        assert not _balanced(whole) or _balanced(block), "\n".join(block)


@each_run(
    "the lines after <text> up to the next <text> are a subsequence of the input's lines there, markers aside"
)
def section_in_order(run: Run, start: str, stop: str) -> None:
    before, after = (_section("\n".join(texts(body)), start, stop) for body in (run.given, run.output))
    stray = first_stray([line for line in after if not is_marker(line)], before)
    assert stray is None, f"{stray!r} is not under {start!r}"


def _source_of(block: list[str], source: list[str]) -> list[str]:
    """The input's lines from the first to the last line of ``block``."""
    if not block or block[0] not in source or block[-1] not in source:
        return block
    first = source.index(block[0])
    behind = source[first:]
    return behind[: len(behind) - behind[::-1].index(block[-1])] if block[-1] in behind else block


def _balanced(lines: list[str]) -> bool:
    waiting: list[str] = []
    for character in "\n".join(lines):
        if character in _OPEN:
            waiting.append(_CLOSE[_OPEN.index(character)])
        elif character in _CLOSE and (not waiting or waiting.pop() != character):
            return False
    return not waiting


def _section(text: str, start: str, stop: str) -> list[str]:
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if start in line), None)
    assert first is not None, f"no line holds {start!r}"
    section = lines[first + 1 :]
    return section[: next((at for at, line in enumerate(section) if stop in line), len(section))]
