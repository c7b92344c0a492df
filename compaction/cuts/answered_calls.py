"""Every call has a result, where the provider looks for it.

OpenAI chat wants the results directly behind the message with the calls, in any order; Anthropic in the
user's next turn, before its text; Gemini in the next message; Responses anywhere later.
"""

from collections.abc import Iterator

from elision.compaction.conversation import Conversation, Format, Part
from elision.compaction.cuts.pairs import Exchange, pair, sites
from elision.compaction.cuts.problem import JSON_FORMATS, Problem, everywhere
from elision.compaction.cuts.turns import awaited, results_end, step_end, turns

formats = JSON_FORMATS
_NAME = "answered_calls"
_PLACES = {
    Format.OPENAI_CHAT: "directly after the message with the call",
    Format.ANTHROPIC: "in the user's next turn",
    Format.GEMINI: "in the next message",
}


def problems(conversation: Conversation) -> Iterator[Problem]:
    """Calls that a later turn leaves unanswered, and results out of place."""
    for exchange in unanswered(conversation):
        call = exchange.call
        yield Problem(
            call.block.path, _NAME, f"call {call.called!r} in message {call.index} has no result, yet a later turn begins"
        )
    for exchange in pair(conversation).exchanges:
        yield from _misplaced(conversation, exchange)
    if conversation.format is Format.ANTHROPIC:
        yield from _behind_text(conversation)


def unanswered(conversation: Conversation) -> list[Exchange]:
    """The calls that have no result although a later turn has begun."""
    open_ = [exchange for exchange in pair(conversation).exchanges if not exchange.results]
    return [exchange for exchange in open_ if not awaited(conversation, exchange.call.index)]


def cuts(conversation: Conversation) -> set[int]:
    """Anywhere but between a call and its result, or a call and the end where its result will be added."""
    allowed = everywhere(conversation)
    own, server = pair(conversation), pair(conversation, Part.SERVER_CALL, Part.SERVER_RESULT)
    for exchange in (*own.exchanges, *server.exchanges):
        allowed -= set(range(exchange.call.index + 1, _last(conversation, exchange) + 1))
    return allowed


def _last(conversation: Conversation, exchange: Exchange) -> int:
    if not exchange.results and exchange.call.block.part is Part.CALL and awaited(conversation, exchange.call.index):
        return len(conversation.messages)
    return max((result.index for result in exchange.results), default=exchange.call.index)


def _misplaced(conversation: Conversation, exchange: Exchange) -> Iterator[Problem]:
    if conversation.format not in _PLACES:
        return
    call, due = exchange.call, step_end(conversation, exchange.call.index)
    for result in exchange.results[:1]:  # the others are doubles, which is another rule's business
        if not due <= result.index < results_end(conversation, due):
            yield Problem(
                result.block.path,
                _NAME,
                f"the result of call {call.called!r} of message {call.index} stands in message {result.index}, "
                f"but must stand {_PLACES[conversation.format]}",
            )


def _behind_text(conversation: Conversation) -> Iterator[Problem]:
    first_text: dict[int, int] = {}  # by start of the turn
    starts = {index: turn.start for turn in turns(conversation) for index in range(turn.start, turn.stop)}
    for site in sites(conversation):
        start = starts[site.index]
        if site.block.part is Part.TEXT:
            first_text.setdefault(start, site.index)
        elif site.block.part is Part.RESULT and start in first_text:
            yield Problem(
                site.block.path,
                _NAME,
                f"result {site.called!r} in message {site.index} stands behind text of message {first_text[start]}",
            )
