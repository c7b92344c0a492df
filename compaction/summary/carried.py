"""Bring an earlier summary up to date by rule: what it said stands before what is new.

Where there is not enough room for both, the oldest statements of the longest section go first. What is
about this moment, the step at hand and the next one, is not carried where there is something newer.
"""

from elision.compaction.policies.telling import Summary
from elision.compaction.summary.sections import EMPTY, split_sections, written
from elision.compaction.summary.topics import Topic, topics
from elision.compaction.summary.types import Section
from elision.compaction.types import TokenCounter

_OF_THE_MOMENT = frozenset({Topic.CURRENT, Topic.NEXT})


def updated_by_rule(prior: str, newer: str, summary: Summary, room_tokens: int, counter: TokenCounter) -> str:
    """One summary of an earlier one and of what came after it.

    Args:
        prior: The earlier summary.
        newer: The summary by rule of what came after it, which stays whole.
        room_tokens: For both together.
    """
    old = {section.heading: _lines(body) for section, body in split_sections(prior, summary)}
    new = [(section, _lines(body)) for section, body in split_sections(newer, summary)]
    merged = [
        (section, _before(section, old.get(section.heading, []), lines), lines) for section, lines in new
    ]
    while True:
        text = written(
            [(section, "\n".join([*carried, *lines])) for section, carried, lines in merged], summary
        )
        longest = max((carried for _, carried, _ in merged), key=len, default=[])
        over = counter.count(text) - room_tokens
        if over <= 0 or not longest:
            return text
        # A statement has some twenty tokens: so many go at once that the loop is short.
        del longest[: max(1, min(over // 60, len(longest) // 2))]


def _before(section: Section, old: list[str], new: list[str]) -> list[str]:
    if new and _OF_THE_MOMENT.intersection(topics(section)):
        return []
    said = set(new)
    return [line for line in old if line not in said]


def _lines(body: str) -> list[str]:
    return [line for line in body.splitlines() if line.strip() and line.strip() != EMPTY]
