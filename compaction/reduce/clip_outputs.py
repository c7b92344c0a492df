"""Clip the outputs of a history to a limit: the beginning and the end stay, a counted marker between them.

Each output has the limit for itself, or all share one that is spent from the newest on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elision.compaction.compact.edits import Reduction, leaf_reduction
from elision.compaction.compact.estimators import RULES
from elision.compaction.conversation import Conversation, Leaf
from elision.compaction.policies.reductions import Clip
from elision.compaction.reduce.clip import clip, describe
from elision.compaction.reduce.results import Result, is_open, line_count, results
from elision.compaction.store import handle_of
from elision.compaction.types import TokenCounter
from elision.model.types import IntArray

CLIP = "clip"
_LONGEST_HEADER = 400  # characters


def clip_outputs(
    conversation: Conversation,
    settings: Clip,
    *,
    counter: TokenCounter,
) -> list[Reduction]:
    """Clip what is over the limit.

    Marker and header count towards the limit. A text that is cheaper than these stays.
    """
    found = results(conversation, unread=settings.unread)
    return _Clipper(conversation, settings, counter).clipped(found)


@dataclass(frozen=True, slots=True)
class _Clipper:
    conversation: Conversation
    settings: Clip
    counter: TokenCounter

    def clipped(self, found: Sequence[Result]) -> list[Reduction]:
        if self.settings.newest:
            return self._spend(found[::-1])
        return [one for result in found for one in self._spend([result])]

    def _spend(self, found: Sequence[Result]) -> list[Reduction]:
        """Let the texts of these results, in this order, use up one limit."""
        room, made = self.settings.limit, []
        ruler = _RULERS.get(self.settings.unit, self.counter)
        for result in found:
            for leaf in result.block.leaves:
                size = ruler.count(leaf.text)
                if size > room and result.free and is_open(leaf.text):
                    change = self._change(result, leaf, room, ruler)
                    if change is not None:
                        made.append(change[0])
                        size = change[1]
                room = max(0, room - size)
        return made

    def _change(
        self, result: Result, leaf: Leaf, room: int, ruler: TokenCounter
    ) -> tuple[Reduction, int] | None:
        """The change of a text that is over its room, and the size it has then; None if nothing is won."""
        top, text = self._headed(result, leaf.text)
        gone = clip(text, room - ruler.count(top), ruler, self.settings.head)
        short = top + text[: gone.start] + describe(text, gone) + text[gone.stop :]
        saved = self.counter.count(leaf.text) - self.counter.count(short)
        if saved <= 0:
            return None
        return leaf_reduction(self.conversation, result.index, leaf, short, CLIP, saved), ruler.count(short)

    def _headed(self, result: Result, text: str) -> tuple[str, str]:
        """The line above a text, and the text; one that was clipped before keeps the line it has."""
        header = self.settings.header
        if not header:
            return "", text
        opening, (line, end, rest) = header.partition("{")[0], text.partition("\n")
        if opening and line.startswith(opening) and len(line) <= _LONGEST_HEADER:
            return line + end, rest
        tool = " ".join(result.tool.split()) or "a call"
        return header.format(lines=line_count(text), tool=tool, handle=handle_of(text)) + "\n", text


@dataclass(frozen=True, slots=True)
class Characters:
    """Counts characters where tokens would be counted."""

    encoding: str = "characters"
    exact: bool = True

    def count(self, text: str) -> int:
        return len(text)

    def prefix(self, text: str) -> IntArray:
        return np.arange(len(text) + 1, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Bytes:
    """Counts bytes of UTF-8 where tokens would be counted."""

    encoding: str = "bytes"
    exact: bool = True

    def count(self, text: str) -> int:
        return len(text.encode("utf-8", "surrogatepass"))

    def prefix(self, text: str) -> IntArray:
        """All bytes of a character start in it."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        widths = 1 + (points > 0x7F) + (points > 0x7FF) + (points > 0xFFFF)
        return np.concatenate([[0], np.cumsum(widths, dtype=np.int64)])


_RULERS: dict[str, TokenCounter] = {"chars": Characters(), "bytes": _Bytes(), **RULES}
