"""Where a history may be cut, and what must hold of every list of messages: one rule a file.

A rule is a module. It says what a provider would refuse (``problems``), and before which messages the
list may be cut into a head that is dropped and a tail that is kept (``cuts``). Rules know nothing of each
other: what may be done is what all of them allow.

What stands in front of a kept tail is the caller's business: system messages, the first user message, a
summary. The rules take it that the last of these is a user message.
"""

from collections.abc import Iterator
from typing import Protocol

from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts import (
    answered_calls,
    cache_marks,
    compaction_items,
    item_ids,
    known_results,
    non_empty,
    reasoning_followers,
    roles,
    signed_thinking,
    surrogates,
)
from elision.compaction.cuts.problem import Problem, everywhere
from elision.compaction.cuts.signed_thinking import last_signed

__all__ = ["RULES", "Problem", "Rule", "cut_points", "last_signed", "new_problems", "validate"]


class Rule(Protocol):
    """One thing that must hold of a list of messages."""

    @property
    def formats(self) -> frozenset[Format]:
        """The wire formats it holds for."""

    def problems(self, conversation: Conversation) -> Iterator[Problem]:
        """Where it does not hold, in order."""

    def cuts(self, conversation: Conversation) -> set[int]:
        """The positions, 0 to the number of messages, before which a cut does not break it."""


RULES: tuple[Rule, ...] = (
    roles,
    non_empty,
    answered_calls,
    known_results,
    reasoning_followers,
    signed_thinking,
    compaction_items,
    item_ids,
    cache_marks,
    surrogates,
)


def validate(conversation: Conversation) -> list[Problem]:
    """What a provider would refuse, rule by rule; empty if it would take the conversation.

    A call whose result may still come, for nothing of a later turn follows it, is no problem: clients
    compact between the two.
    """
    return [problem for rule in _rules(conversation) for problem in rule.problems(conversation)]


def cut_points(conversation: Conversation) -> list[int]:
    """Where the messages may be cut into a dropped head and a kept tail, ascending.

    Position k drops the first k messages; 0 drops none and is always there. Where a signed thought stands
    in the tail, some models refuse any change in front of it: see `last_signed`.
    """
    allowed = everywhere(conversation)
    for rule in _rules(conversation):
        allowed &= rule.cuts(conversation)
    return sorted(allowed)


def _rules(conversation: Conversation) -> list[Rule]:
    return [rule for rule in RULES if conversation.format in rule.formats]


def new_problems(before: Conversation, after: Conversation) -> list[Problem]:
    """What a provider would refuse of a rewritten conversation, of the rules that the one before it kept."""
    broken = {problem.rule for problem in validate(before)}
    return [problem for problem in validate(after) if problem.rule not in broken]
