"""Decide what will be done to each leaf of a conversation; nothing is done yet.

Agents send their whole history every turn and pay little for the part that did not change. So what a
leaf becomes depends on itself and on what stands before it, never on what follows, and once decided it
is looked up. Only what was never sent yet, after the last words of the assistant, is free of that.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from elision.compaction.conversation import Block, Conversation, Format, Leaf, Part, Place, Role
from elision.compaction.cuts import last_signed
from elision.compaction.decisions import OURS, decided, decision_key, is_ours
from elision.compaction.policy import Policy, Treatment
from elision.compaction.query import compose_query
from elision.compaction.store import Store
from elision.compaction.types import Budget, Compressed, Order

_REPEATED = 200  # characters: a shorter text is no dearer than its pointer
_QUOTED_CALL = 60


class Action(StrEnum):
    """What is to be done to a leaf."""

    KEEP = "keep"
    SHORTEN = "shorten"
    POINT = "point"  # to an earlier leaf that says the same
    REPLAY = "replay"  # what was decided before


@dataclass(frozen=True, slots=True)
class LeafPlan:
    """What will be done to one leaf.

    Attributes:
        leaf: The leaf.
        index: Index of its message; -1 for a tool definition.
        tool: Tool whose result or definition it belongs to, if any.
        action: What is to be done.
        reason: Why it is kept, or why another text stands in its place.
        order: How to shorten it.
        key: Under which the decision is remembered.
        pointer: The text that points to the earlier copy.
        decided: The decision to replay.
    """

    leaf: Leaf
    index: int
    tool: str
    action: Action
    reason: str = ""
    order: Order | None = None
    key: str = ""
    pointer: str = ""
    decided: Compressed | None = None


def plan(
    conversation: Conversation, policy: Policy, *, store: Store, made_by: str, resent: bool = True
) -> list[LeafPlan]:
    """Look at every leaf of the messages, and of the tools if asked, in the order they are sent.

    Args:
        made_by: What will shorten: bundle, runner and token encoding. A decision made by another is
            not replayed.
        resent: Whether the prefix law holds: nothing depends on what follows, and what may have been
            sent before we came is not touched. Without it no decision is looked up.
    """
    planner = _Planner(conversation, policy, store, made_by, resent)
    return [*planner.tools(), *planner.messages()]


def with_target(planned: LeafPlan, target: int, clip: bool, policy: Policy, made_by: str) -> LeafPlan:
    """The plan of a leaf with a budget of its own, to be decided anew."""
    order = planned.order
    if order is not None:
        order = replace(order, budget=Budget(target_tokens=max(1, target), floor_tokens=0), clip=clip)
    mine = replace(planned, order=order, decided=None)
    return replace(mine, key=_key(mine, policy, made_by))


def with_pointers(planned: Sequence[LeafPlan]) -> list[LeafPlan]:
    """The plans, with older copies of a result that comes again pointing to the newest one."""
    newest = {leaf.leaf.text: index for index, leaf in enumerate(planned)}
    return [
        replace(leaf, action=Action.POINT, order=None, pointer=_pointer(leaf.leaf.text, leaf.tool, "later"))
        if newest[leaf.leaf.text] != index and leaf.tool and len(leaf.leaf.text) >= _REPEATED
        else leaf
        for index, leaf in enumerate(planned)
    ]


class _Planner:
    def __init__(
        self, conversation: Conversation, policy: Policy, store: Store, made_by: str, resent: bool
    ) -> None:
        self.conversation, self.policy, self.store, self.made_by = conversation, policy, store, made_by
        self.resent = resent
        self.bound = _bound(conversation) if resent else 0
        self.story = _Story(conversation.raw)
        self.seen: dict[str, str] = {}

    def tools(self) -> Iterator[LeafPlan]:
        for tool in self.conversation.tools if self.policy.tool_descriptions else ():
            for leaf in tool.leaves:
                order = self._order(None, "")
                yield self._decided(LeafPlan(leaf, -1, tool.name, Action.SHORTEN, order=order))

    def messages(self) -> Iterator[LeafPlan]:
        for index, message in enumerate(self.conversation.messages):
            for block in message.blocks:
                for leaf in block.leaves:
                    yield self._planned(Place(index, message, block, leaf))
                self.story.goes_on(message.role, block)

    def _planned(self, place: Place) -> LeafPlan:
        name, leaf = place.block.name, place.leaf
        earlier = self._earlier_copy(place)
        reason = self._hands_off(place)
        if reason:
            return LeafPlan(leaf, place.index, name, Action.KEEP, reason)
        treatment = self.policy.treatment(name) if place.block.part is Part.RESULT else None
        if treatment is Treatment.NEVER and not (self.policy.clean or self.policy.redact):
            return LeafPlan(leaf, place.index, name, Action.KEEP, "tool_rule")
        order = self._order(treatment, self.story.query(place.block))
        if earlier and order.budget.keep_ratio != 1:
            return self._decided(LeafPlan(leaf, place.index, name, Action.POINT, pointer=earlier))
        return self._decided(LeafPlan(leaf, place.index, name, Action.SHORTEN, order=order))

    def _hands_off(self, place: Place) -> str:
        """Why a leaf may not be touched at all, or the empty string."""
        if not self._in_question(place):
            return "role"
        if place.index < self.policy.frozen_messages:
            return "frozen"
        if place.index in self.policy.protected:
            return "protected"
        return OURS if is_ours(self.store, place.leaf.text) else ""

    def _in_question(self, place: Place) -> bool:
        if place.block.part is Part.RESULT:
            return True
        spoken = place.block.part is Part.TEXT and place.message.role is Role.ASSISTANT
        return spoken and self.policy.assistant_text

    def _order(self, treatment: float | Treatment | None, query: str) -> Order:
        policy = self.policy
        ratio = 1.0 if treatment is Treatment.NEVER else treatment
        return Order(
            budget=policy.budget_for(ratio) if isinstance(ratio, float | int) else policy.budget,
            query=query,
            pins=policy.all_pins(),
            fold_only=treatment is Treatment.FOLD_ONLY,
            clean=policy.clean,
            redact=policy.redact,
        )

    def _decided(self, planned: LeafPlan) -> LeafPlan:
        """The plan of a leaf, or what was decided about it before."""
        if not self.resent:
            return planned
        key = _key(planned, self.policy, self.made_by)
        found = decided(self.store, key)
        if found is not None:
            return replace(planned, action=Action.REPLAY, key=key, decided=found)
        # The provider's cache, or a signature, may hold what was sent; we do not know that it was ours.
        if 0 <= planned.index < self.bound and not self.policy.redact:
            return LeafPlan(planned.leaf, planned.index, planned.tool, Action.KEEP, "sent_before")
        return replace(planned, key=key)

    def _earlier_copy(self, place: Place) -> str:
        """A pointer to the result that said the same before, or the empty string."""
        text, block = place.leaf.text, place.block
        if not (self.policy.pointers and self.resent) or block.part is not Part.RESULT or len(text) < _REPEATED:
            return ""
        if text in self.seen:
            return _pointer(text, self.seen[text], "earlier")
        self.seen[text] = self.story.calls.get(block.call_id, block.name)
        return ""


class _Story:
    """What was said so far, as far as a query needs it; the same whatever the wire format."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.task = self.said = self.last_call = ""
        self.calls: dict[str, str] = {}

    def goes_on(self, role: Role, block: Block) -> None:
        if block.part is Part.CALL:
            called = f"{block.name} {_arguments(block.arguments.of(self.raw))}".strip()
            self.last_call = self.calls[block.call_id] = called
        elif block.part is Part.TEXT and role is Role.ASSISTANT:
            self.said = "\n".join(leaf.text for leaf in block.leaves)
        elif block.part is Part.TEXT and role is Role.USER and not self.task:
            self.task = "\n".join(leaf.text for leaf in block.leaves)

    def query(self, block: Block) -> str:
        call = self.calls.get(block.call_id, "") if block.call_id else self.last_call
        return compose_query(task=self.task, call=call, before=self.said)


def _arguments(spelled: str) -> str:
    """Arguments as one spelling, be they an object or a string that holds one."""
    try:
        value = json.loads(spelled, strict=False)
        value = json.loads(value, strict=False) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return spelled.strip('"')
    return json.dumps(value, ensure_ascii=False)


def _bound(conversation: Conversation) -> int:
    """Index of the first message that no cache mark and no signature can hold to what was sent before.

    What stands after the last words of the assistant is sent for the first time.
    """
    spoken = [index for index, message in enumerate(conversation.messages) if message.role is Role.ASSISTANT]
    marked = [
        index
        for index, message in enumerate(conversation.messages)
        if message.cache_mark or any(block.cache_mark for block in message.blocks)
    ]
    # Only Anthropic ties a signature to every byte before it.
    signed = last_signed(conversation) if conversation.format is Format.ANTHROPIC else -1
    last_held = max([*marked, signed])
    return min(last_held, spoken[-1] if spoken else -1) + 1


def _pointer(text: str, call: str, where: str) -> str:
    lines = text.count("\n") + (not text.endswith("\n"))
    counted = "1 line" if lines == 1 else f"{lines} lines"
    name = " ".join(call.split())
    name = name if len(name) <= _QUOTED_CALL else name[: _QUOTED_CALL - 1] + "…"
    return f"[…{counted}, the same as the {where} result of {name or 'a call'}]"


def _key(planned: LeafPlan, policy: Policy, made_by: str) -> str:
    return decision_key(planned.leaf.text, planned.order, made_by, planned.pointer, policy.show_handles)
