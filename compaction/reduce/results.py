"""The results of a history that a reducer may touch, and how long ago they came.

What the model has not read yet is not history. What a user answered, instructions that were loaded and
what was fetched back on purpose are never given up for room.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Literal

import regex

from elision.compaction.conversation import Block, Conversation, Leaf, Message, Part, Role
from elision.compaction.cuts.pairs import Site, pair, sites
from elision.compaction.cuts.turns import of_the_model
from elision.compaction.guard.markers import OPENING
from elision.compaction.policy import KEEP_TAGS, LASTING_TOOLS, ToolRule, Treatment

TurnKind = Literal["user", "step"]

_USER_ANSWERS = tuple(
    ToolRule(name, Treatment.NEVER)
    for name in (
        "ask_user*",
        "askuser*",
        "ask_followup_question",
        "request_user_input",
        "user_input",
        "ask_human",
    )
)
_LASTING = (*LASTING_TOOLS, *_USER_ANSWERS)
_LONGEST_STAND_IN = 400  # characters
_STAND_IN = regex.compile(rf"(?:{regex.escape(OPENING)}|\[\d+ lines? )[^\n]*+(?<=\])")
_OPEN_TAGS = [regex.compile(rf"<{tag}(?:\s[^<>]*+)?>") for tag in KEEP_TAGS]


@dataclass(frozen=True, slots=True)
class Result:
    """What a call brought.

    Attributes:
        index: Index of its message.
        block: The result.
        call: What it answers, None where that is not there.
        free: Whether a reducer may touch it.
    """

    index: int
    block: Block
    call: Block | None
    free: bool

    @property
    def tool(self) -> str:
        """The tool's name, empty if it is not known."""
        return self.block.name or (self.call.name if self.call else "")

    @property
    def open_leaves(self) -> list[Leaf]:
        """Its texts, where it may be touched, without those that have to stay or stand for something already."""
        return [leaf for leaf in self.block.leaves if is_open(leaf.text)] if self.free else []


def results(
    conversation: Conversation,
    exempt: Sequence[str] = (),
    only: Sequence[str] = (),
    unread: bool = False,
) -> list[Result]:
    """All results of a conversation, in order.

    Args:
        exempt: Globs of tools whose results are not to be touched.
        only: Globs of tools whose results may be; all if there are none.
        unread: Whether those may be that the model has not read yet.
    """
    calls = {
        (site.index, site.position): exchange.call.block
        for exchange in pair(conversation).exchanges
        for site in exchange.results
    }
    history = len(conversation.messages) if unread else read_until(conversation)
    stays = (*_LASTING, *_rules(exempt))
    goes = _rules(only)

    @cache
    def may_go(tool: str) -> bool:
        return not _fits(stays, tool) and (not goes or _fits(goes, tool))

    def result(site: Site) -> Result:
        call = calls.get((site.index, site.position))
        tool = site.block.name or (call.name if call else "")
        free = site.index < history and not site.block.signed
        return Result(site.index, site.block, call, free and may_go(tool))

    return [result(site) for site in sites(conversation) if site.block.part is Part.RESULT]


def read_until(conversation: Conversation) -> int:
    """Index of the model's last message: what stands behind it, the model has not read yet."""
    spoken = [index for index, message in enumerate(conversation.messages) if of_the_model(message)]
    return spoken[-1] if spoken else 0


def turns_ago(conversation: Conversation, turn: TurnKind) -> list[int]:
    """For each message how many turns began after it: 0 in the latest turn."""
    begins = _speaks if turn == "user" else of_the_model
    ago, found = 0, []
    for opens, run in groupby(reversed(conversation.messages), key=begins):
        found += [ago for _ in run]
        ago += opens
    return found[::-1]


def is_open(text: str) -> bool:
    """Whether a text may be given up: it is none of our placeholders, and holds nothing in keep tags."""
    return bool(text) and not is_stand_in(text) and not _holds_kept(text)


def is_stand_in(text: str) -> bool:
    """Whether a text is nothing but a marker, a pointer or a placeholder."""
    return len(text) <= _LONGEST_STAND_IN and bool(_STAND_IN.fullmatch(text.strip()))


def line_count(text: str) -> int:
    """Lines of a text; a last one without its line end counts."""
    return text.count("\n") + (not text.endswith("\n"))


def _speaks(message: Message) -> bool:
    """Whether a user speaks; a message that also holds results is one that a client has put together."""
    return message.role is Role.USER and all(block.part is not Part.RESULT for block in message.blocks)


def _holds_kept(text: str) -> bool:
    for tag, opening in zip(KEEP_TAGS, _OPEN_TAGS, strict=True):
        last = text.rfind(f"</{tag}")
        if last >= 0 and opening.search(text, 0, last):
            return True
    return False


def _rules(globs: Sequence[str]) -> tuple[ToolRule, ...]:
    return tuple(ToolRule(glob, Treatment.NEVER) for glob in globs)


def _fits(rules: Sequence[ToolRule], tool: str) -> bool:
    return any(rule.fits(tool) for rule in rules)
