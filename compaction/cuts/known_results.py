"""Every result has its call before it, and is the only one that call has."""

from collections.abc import Iterator

from elision.compaction.conversation import Conversation, Format, Part
from elision.compaction.cuts.body import history_is_hidden
from elision.compaction.cuts.pairs import Site, pair
from elision.compaction.cuts.problem import JSON_FORMATS, Problem, everywhere

formats = JSON_FORMATS
cuts = everywhere  # `answered_calls` keeps the two together
_NAME = "known_results"


def problems(conversation: Conversation) -> Iterator[Problem]:
    """Results without a call, and results after the first."""
    for site in unknown(conversation):
        yield Problem(
            site.block.path, _NAME, f"result {site.called!r} in message {site.index} has no call with that id before it"
        )
    for site in doubled(conversation):
        yield Problem(site.block.path, _NAME, f"result {site.called!r} in message {site.index} is there a second time")


def unknown(conversation: Conversation) -> list[Site]:
    """Results that have no call before them; none where the call may stand in turns that we cannot see."""
    orphans = pair(conversation).orphans
    if conversation.format is Format.ANTHROPIC:
        orphans += pair(conversation, Part.SERVER_CALL, Part.SERVER_RESULT).orphans
    return [] if not orphans or history_is_hidden(conversation) else orphans


def doubled(conversation: Conversation) -> list[Site]:
    """Results of calls that have one already."""
    return [site for exchange in pair(conversation).exchanges for site in exchange.results[1:]]
