"""Calls and their results, paired: the unit that most rules are about.

Results pair with calls by id, or by name where the wire has no ids. Clients use ids again in later
turns, so a result belongs to the newest message that made such a call.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from elision.compaction.conversation import Block, Conversation, Format, Part


@dataclass(frozen=True, slots=True)
class Site:
    """A block and where it stands.

    Attributes:
        index: Index of its message.
        position: Index of the block in the message.
    """

    index: int
    position: int
    block: Block

    @property
    def called(self) -> str:
        """The block's id, or its name where it has none, as problems quote it."""
        return self.block.call_id or self.block.name


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call with its results: one if all is well, none while it is open."""

    call: Site
    results: list[Site] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Pairs:
    """All exchanges in the order of their calls, and the results that have no call before them."""

    exchanges: list[Exchange]
    orphans: list[Site]


def sites(conversation: Conversation) -> Iterator[Site]:
    """Every block, in order."""
    for index, message in enumerate(conversation.messages):
        for position, block in enumerate(message.blocks):
            yield Site(index, position, block)


def pair(conversation: Conversation, call: Part = Part.CALL, result: Part = Part.RESULT) -> Pairs:
    """Pair the calls and results of a conversation.

    Args:
        call: What counts as a call; `Part.SERVER_CALL` for those that the provider runs.
        result: What counts as a result.
    """
    found = Pairs([], [])
    newest: dict[str, list[Exchange]] = {}  # of one message, by what its calls are known by
    for site in sites(conversation):
        if site.block.part is call:
            exchange = Exchange(site)
            found.exchanges.append(exchange)
            for key in _keys(conversation.format, site.block):
                same_message = [other for other in newest.get(key, ()) if other.call.index == site.index]
                newest[key] = [*same_message, exchange]
        elif site.block.part is result:
            keys = _keys(conversation.format, site.block)
            known = next((newest[key] for key in keys if key in newest), [])
            candidates = [one for one in known if _can_answer(site.block, one.call.block)]
            if not candidates:
                found.orphans.append(site)
            else:
                next((one for one in candidates if not one.results), candidates[-1]).results.append(site)
    return found


def _can_answer(result: Block, call: Block) -> bool:
    """Whether their ids, where both have one, are the same."""
    return not (result.call_id and call.call_id) or result.call_id == call.call_id


def _keys(format: Format, block: Block) -> list[str]:
    """Gemini's ids are optional: one side may have dropped them."""
    keys = [f"id {block.call_id}"] if block.call_id else []
    return keys if keys and format is not Format.GEMINI else [*keys, f"name {block.name}"]
