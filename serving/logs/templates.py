"""Lines of logs by template, added up and listed; what there is no room for is counted together."""

from collections.abc import Mapping
from typing import Any

OTHER = "(other)"  # where the lines of all other templates go

# Of each template how many lines there were, and how many of them stay.
Templates = dict[str, tuple[int, int]]


def add(into: Templates, more: Mapping[str, tuple[int, int]]) -> None:
    """Add to the lines of some templates those of others."""
    for template, (lines, kept) in more.items():
        before = into.get(template, (0, 0))
        into[template] = (before[0] + lines, before[1] + kept)


def most(templates: Mapping[str, tuple[int, int]], room: int) -> Templates:
    """The ``room`` templates with the most lines, these first; the lines of all others come last as `OTHER`."""
    named = sorted(
        (item for item in templates.items() if item[0] != OTHER), key=lambda item: (-item[1][0], item[0])
    )
    others: Templates = {}
    for _, counts in [*named[room:], ("", templates.get(OTHER, (0, 0)))]:
        add(others, {OTHER: counts})
    return dict(named[:room]) | (others if others[OTHER][0] else {})


def rows(templates: Mapping[str, tuple[int, int]]) -> list[dict[str, Any]]:
    """Templates as JSON."""
    return [{"template": name, "lines": lines, "kept": kept} for name, (lines, kept) in templates.items()]
