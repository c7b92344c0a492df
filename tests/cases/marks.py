"""Omission markers: the service's own, such as ``[…12 lines]``, and those of the cases' default pattern."""

import re

MARKER = re.compile(
    r"\[…[^\]]*\]|\[[^\]]*(?:omitted|truncated|elided|removed|compressed)[^\]]*\]", re.IGNORECASE
)


def without_markers(text: str) -> str:
    return MARKER.sub(" ", text)


def is_marker(line: str) -> bool:
    """Whether a line is nothing but markers."""
    return bool(line.strip()) and not without_markers(line).strip()


def stretches(text: str) -> list[list[str]]:
    """The runs of lines that no marker interrupts."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if is_marker(line):
            found.append([])
        else:
            found[-1].append(line)
    return found
