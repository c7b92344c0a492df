"""Put a placeholder in the place of old outputs; the calls stay, so the agent knows what it has done.

What goes is told by age, and if asked by what it would take to have it again: what is outdated goes first,
then what can be read again, and last what happened only once. Errors that nothing has resolved cannot be had
again by reading: their lines then stay behind the placeholder.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

import regex

from elision.compaction.compact.edits import Reduction, leaf_reduction
from elision.compaction.conversation import Conversation, Leaf
from elision.compaction.pins.calls import calls
from elision.compaction.pins.inert import inert
from elision.compaction.pins.troubles import LONGEST, MOST, troubles
from elision.compaction.policies.reductions import Mask
from elision.compaction.reduce.again import Again, again, rank
from elision.compaction.reduce.clip import clip
from elision.compaction.reduce.clip_outputs import Characters
from elision.compaction.reduce.failed import failure
from elision.compaction.reduce.results import Result, line_count, results, turns_ago
from elision.compaction.store import handle_of
from elision.compaction.types import TokenCounter

MASK = "mask"
_LONGEST_TOOL = 60
_LONGEST_REST = MOST * (LONGEST + 1) + 600  # characters that may stand behind a placeholder: errors, a failure
_FIELDS = {"lines": r"\d{1,9}", "tool": rf"[^\n]{{1,{_LONGEST_TOOL}}}?", "handle": r"[\w:\-]{1,80}"}


def mask(
    conversation: Conversation,
    settings: Mask,
    *,
    counter: TokenCounter,
    need: int | None = None,
) -> list[Reduction]:
    """Mask old outputs, in the order in which they can best be spared.

    Args:
        need: Tokens to free and no more, at least `Mask.minimum`; if not given all goes that may.
    """
    found = results(conversation, settings.exempt, settings.only)
    known = again(conversation)
    still_open = _open_errors(conversation) if settings.again_first else {}
    masker = _Masker(conversation, settings, counter, known, _pattern(settings.placeholder), still_open)
    old = _unprotected(conversation, found, settings, counter)
    changes = [change for result in old for change in masker.changes(result)]
    if settings.again_first:
        changes = [change for wanted in range(3) for change in changes if change.rank == wanted]
    chosen = _enough(changes, max(need, settings.minimum)) if need is not None else changes
    freed = sum(one.reduction.tokens_saved for one in chosen)
    return [one.reduction for one in chosen] if freed >= settings.minimum else []


@dataclass(frozen=True, slots=True)
class _Change:
    reduction: Reduction
    rank: int


@dataclass(frozen=True, slots=True)
class _Masker:
    conversation: Conversation
    settings: Mask
    counter: TokenCounter
    known: Mapping[str, Again]
    masked: "regex.Pattern[str]"
    still_open: Mapping[int, Sequence[str]]

    def changes(self, result: Result) -> Iterator[_Change]:
        """What masking a result would change: each text that is longer than what would stand there."""
        known = self.known.get(result.block.path)
        for leaf in result.open_leaves:
            if self._is_masked(leaf.text):
                continue
            short = self._masked(result, leaf)
            saved = self.counter.count(leaf.text) - self.counter.count(short)
            if saved > 0:
                how = known.how if known else ""
                reduction = leaf_reduction(self.conversation, result.index, leaf, short, MASK, saved, how)
                yield _Change(reduction, rank(known))

    def _is_masked(self, text: str) -> bool:
        if self.settings.preview:
            return bool(self.masked.search(text))
        found = self.masked.match(text)
        return found is not None and len(text) - found.end() <= _LONGEST_REST

    def _masked(self, result: Result, leaf: Leaf) -> str:
        tool = " ".join(result.tool.split())[:_LONGEST_TOOL] or "a call"
        lines = line_count(leaf.text)
        template = (
            self.settings.placeholder.replace("{lines} lines", "{lines} line")
            if lines == 1
            else self.settings.placeholder
        )
        placeholder = template.format(lines=lines, tool=tool, handle=handle_of(leaf.text))
        kept = failure(leaf.text, result.block.is_error) if self.settings.keep_error else ""
        errors = [inert(line) for line in self.still_open.get(result.index, ()) if line in leaf.text]
        errors = [line for line in errors if line not in kept]
        parts = [*_around(leaf.text, self.settings.preview, placeholder), kept, *errors]
        return "\n".join(part for part in parts if part)


def _open_errors(conversation: Conversation) -> dict[int, list[str]]:
    """The lines of the errors that nothing has resolved, by the message that reported them."""
    found: dict[int, list[str]] = {}
    for pin in troubles(calls(conversation)):
        found.setdefault(pin.index, []).append(pin.text)
    return found


def _around(text: str, preview: int, placeholder: str) -> list[str]:
    """The placeholder between the first and the last characters of a text, where so many are asked for."""
    if not preview or len(text) <= 2 * preview + len(placeholder):
        return [placeholder]
    middle = clip(text, 2 * preview, Characters())
    return [text[: middle.start].rstrip("\n"), placeholder, text[middle.stop :].strip("\n")]


def _pattern(placeholder: str) -> "regex.Pattern[str]":
    """What a filled placeholder looks like, on lines of its own."""
    placeholder = placeholder.replace("{lines} lines", "{lines} line\0")
    parts = [
        regex.escape(literal) + (_FIELDS[name] if name else "")
        for literal, name, _, _ in Formatter().parse(placeholder)
    ]
    pattern = "".join(parts).replace(regex.escape("\0"), "s?")
    return regex.compile(rf"^{pattern}$", regex.MULTILINE)


def _unprotected(
    conversation: Conversation, found: Sequence[Result], settings: Mask, counter: TokenCounter
) -> list[Result]:
    """The results that no protection of the newest covers, oldest first."""
    ago = turns_ago(conversation, settings.turn)
    old = [one for one in found if ago[one.index] >= settings.protect_turns]
    last = {one.block.path for one in found[len(found) - min(settings.protect_last, len(found)) :]}
    old = [one for one in old if one.block.path not in last]
    if not settings.protect_tokens:
        return old
    total, stop = 0, len(old)
    while stop and total <= settings.protect_tokens:
        total += sum(counter.count(leaf.text) for leaf in old[stop - 1].block.leaves)
        stop -= total <= settings.protect_tokens
    return old[:stop]


def _enough(changes: Sequence[_Change], need: int) -> list[_Change]:
    """The first of these that free so much together."""
    freed, chosen = 0, []
    for change in changes:
        if freed >= need:
            break
        chosen.append(change)
        freed += change.reduction.tokens_saved
    return chosen
