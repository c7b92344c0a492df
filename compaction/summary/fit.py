"""Make what is summarised fit the window of the one who writes.

First outputs are clipped harder (`ladder`), so that one call does. What is still too much is told in chunks
(`fitted`), whose summaries are made one afterwards (`merge_prompt`). A call and its results stay together
where a chunk has room for them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from elision.compaction.reduce.clip import clip, describe
from elision.compaction.summary.clipping import clip_ends
from elision.compaction.summary.prompt import told
from elision.compaction.summary.types import Source
from elision.compaction.types import TokenCounter

# What of the outputs is left on each step of the ladder.
SHARES = (1.0, 0.7, 0.5, 0.35)
_SHORT = 200  # characters: a shorter output is not clipped
_LONG_LINE = 2000  # characters: such a line of the agent's is a call that carries a file
_BETWEEN = 2  # tokens that two sources told after each other can cost more than each alone
_LEAST = 16  # tokens of a source that is clipped


def ladder(sources: Sequence[Source], share: float) -> list[Source]:
    """The sources with outputs clipped to a share of their length, head and tail.

    Words of users and system stay whole; of the agent's only lines as long as files are clipped.
    """
    return [_shrunk(source, share) for source in sources] if share < 1 else list(sources)


def fitted(sources: Sequence[Source], room_tokens: int, counter: TokenCounter) -> list[list[Source]]:
    """Chunks of the sources, in order, none of which costs more than the room.

    A source that alone is too large is clipped to its head and its tail. Where the room is smaller than a
    few lines, a chunk of one source may cost more.

    Args:
        room_tokens: For the sources of one call, as `told`; instructions are not part of it.
    """
    chunks: list[list[Source]] = []
    left = 0
    for unit in _units(sources):
        costs = [tokens(source, counter) for source in unit]
        if sum(costs) > room_tokens:
            unit = _narrowed(unit, costs, room_tokens, counter)
            costs = [tokens(source, counter) for source in unit]
        together = sum(costs) <= room_tokens
        for part, cost in (
            [(unit, sum(costs))]
            if together
            else [([one], cost) for one, cost in zip(unit, costs, strict=True)]
        ):
            if not chunks or cost > left:
                chunks.append([])
                left = room_tokens
            chunks[-1] += part
            left -= cost
    return chunks


def tokens(source: Source, counter: TokenCounter) -> int:
    """What a source costs the writer."""
    return counter.count("\n".join(told(source))) + _BETWEEN


def _units(sources: Sequence[Source]) -> Iterator[list[Source]]:
    """What belongs together: the agent's words and calls with the outputs that follow."""
    unit: list[Source] = []
    for source in sources:
        goes_on = bool(unit) and (
            source.speaker == "tool" or (source.speaker == unit[-1].speaker == "assistant")
        )
        if unit and not goes_on:
            yield unit
            unit = []
        unit.append(source)
    if unit:
        yield unit


def _narrowed(unit: Sequence[Source], costs: Sequence[int], room: int, counter: TokenCounter) -> list[Source]:
    """The sources clipped so that all have room, if each then has more than a scrap; short ones stay whole.

    Else each is clipped so that it has room alone.
    """
    limit = _limit(costs, room)
    limit = limit if limit >= 4 * _LEAST else room
    return [
        one if cost <= limit else _clipped(one, limit, counter) for one, cost in zip(unit, costs, strict=True)
    ]


def _limit(costs: Sequence[int], room: int) -> int:
    """The most that each may cost so that all of them fit."""
    left, at = room, 0
    for at, cost in enumerate(sorted(costs)):
        if cost * (len(costs) - at) > left:
            return left // (len(costs) - at)
        left -= cost
    return max(costs, default=0)


def _clipped(source: Source, room: int, counter: TokenCounter) -> Source:
    """The source with its middle left out, so that telling it costs no more than the room."""
    budget = room - tokens(replace(source, text=""), counter)
    while budget >= _LEAST:
        gone = clip(source.text, budget, counter)
        text = source.text[: gone.start] + describe(source.text, gone) + source.text[gone.stop :]
        shorter = replace(source, text=text)
        over = tokens(shorter, counter) - room
        if over <= 0:
            return shorter
        budget -= max(over, budget // 8)
    return replace(source, text=f"[…{len(source.text)} characters]")


def _shrunk(source: Source, share: float) -> Source:
    if not source.trusted:
        return replace(source, text=clip_ends(source.text, max(_SHORT, int(len(source.text) * share))))
    if source.speaker != "assistant" or len(source.text) <= _LONG_LINE:
        return source
    lines = source.text.split("\n")
    return replace(source, text="\n".join(_line(line, share) for line in lines))


def _line(line: str, share: float) -> str:
    return clip_ends(line, int(_LONG_LINE * share)) if len(line) > _LONG_LINE else line
