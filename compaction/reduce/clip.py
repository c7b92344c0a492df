"""Clip a text to its beginning and its end: the last resort, which always meets the limit.

At a line's end where one is near, else between characters, never inside a grapheme.
"""

from collections.abc import Sequence
from dataclasses import replace

import regex

from elision.compaction.cut import rebuild
from elision.compaction.guard.markers import marker
from elision.compaction.types import Compressed, Drop, TokenCounter, meets
from elision.model.types import Span

CLIPPED = "clipped"
HEAD = 0.5  # share of the room for the beginning; the end of an output tells how it went
_STEP = 8  # tokens: what the marker and its neighbours cost is found by trying
_NEAR = 200  # characters from a cut to the line end that is better
_GRAPHEME = regex.compile(r"\X")


def clipped(original: str, shorter: Compressed, counter: TokenCounter) -> Compressed:
    """The shortened text, clipped if it is still over its target.

    Lines are counted in the source: what was left out before counts as well.
    """
    receipt = shorter.receipt
    if receipt.tokens_after <= receipt.target_tokens:
        return shorter
    gone = clip(shorter.text, receipt.target_tokens, counter)
    drops = _merged(original, receipt.dropped, gone)
    text = rebuild(original, drops)
    after = counter.count(text)
    if after >= receipt.tokens_after:  # a text this short is cheaper than its marker
        return shorter
    met = meets(after, receipt.target_tokens)
    return Compressed(
        text,
        replace(
            receipt, tokens_after=after, target_met=met, changed=True, reason=CLIPPED, dropped=tuple(drops)
        ),
    )


def clip(text: str, tokens: int, counter: TokenCounter, head_share: float = HEAD) -> Span:
    """The middle to leave out so that the rest and its marker fit into ``tokens``.

    Where not even a marker fits, that is all of the text.

    Args:
        head_share: Share of the room that the beginning has.
    """
    prefix = counter.prefix(text)
    total = int(prefix[-1])
    room = tokens
    while room > 0:
        head = int(prefix.searchsorted(head_share * room, side="right")) - 1
        tail = (
            int(prefix.searchsorted(total - (1 - head_share) * room, side="left"))
            if head_share < 1
            else len(text)
        )
        middle = _at_borders(text, Span(head, max(head, tail)))
        if counter.count(text[: middle.start] + describe(text, middle) + text[middle.stop :]) <= tokens:
            return middle
        room -= _STEP
    return Span(0, len(text))


def describe(text: str, gone: Span) -> str:
    """The marker for a stretch: its lines, or where it is inside one line its characters."""
    lines = gone.of(text).count("\n")
    if lines > 1:
        end = "\n" if gone.of(text).endswith("\n") else ""
        return marker(lines + (not end)) + end
    return f"[…{len(gone)} characters]"


def _at_borders(text: str, gone: Span) -> Span:
    """A little more than ``gone``: it begins and ends at line ends, or at least between graphemes."""
    line = text.rfind("\n", max(0, gone.start - _NEAR), gone.start) + 1
    end = text.find("\n", gone.stop, gone.stop + _NEAR) + 1
    start = line or border(text, gone.start, after=False)
    return Span(start, max(start, end or border(text, gone.stop, after=True)))


def border(text: str, at: int, after: bool) -> int:
    """The border between graphemes nearest to ``at`` on one side of it."""
    begin, end = max(0, at - _NEAR), min(len(text), at + _NEAR)
    borders = [match.start() for match in _GRAPHEME.finditer(text, begin, end)] + [end]
    if after:
        return min(border for border in borders if border >= at)
    return max((border for border in borders if border <= at), default=begin)


def _merged(original: str, drops: Sequence[Drop], gone: Span) -> list[Drop]:
    """The drops of a text and the stretch of its outcome that goes too, as drops of the original."""
    start, stop = _in_source(drops, gone.start, False), _in_source(drops, gone.stop, True)
    before = [drop for drop in drops if drop.span.stop <= start and drop.span.start < start]
    after = [drop for drop in drops if drop.span.start >= stop and drop not in before]
    middle = Span(start, stop)
    return [*before, Drop(middle, describe(original, middle), CLIPPED), *after]


def _in_source(drops: Sequence[Drop], at: int, after: bool) -> int:
    """Where a place of the outcome stands in the original; inside a replacement, the side of its drop."""
    shift = 0  # the original is so much longer up to here
    for drop in drops:
        start = drop.span.start - shift
        if at < start or (at == start and not after):
            break
        stop = start + len(drop.replacement)
        if at < stop or (at == start and after):
            return drop.span.stop if after else drop.span.start
        shift += len(drop.span) - len(drop.replacement)
    return at + shift
