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
from elision.compaction.decisions import OURS, SENT_BEFORE, decided, decision_key, is_ours
from elision.compaction.policy import Policy, Treatment
from elision.compaction.query import compose_query
from elision.compaction.store import Store
from elision.compaction.types import Budget, Compressed, Order

_REPEATED = 200  # characters: a shorter text is no dearer than its pointer
_QUOTED_CALL = 60
_CLEANED = frozenset({"tool_rule"})  # what a rule keeps whole is cleaned where that is asked for


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
        order: How to shorten it, or what has to go of it at any budget; none where it is only kept.
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
        replace(leaf, action=Action.POINT, pointer=_pointer(leaf.leaf.text, leaf.tool, "later"))
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
        self.seen: dict[str, tuple[str, Budget]] = {}
        self.first: dict[str, str] = {}

    def tools(self) -> Iterator[LeafPlan]:
        frozen = "frozen" if self.policy.frozen_messages else ""
        for tool in self.conversation.tools if self.policy.tool_descriptions else ():
            for leaf in tool.leaves:
                planned = LeafPlan(leaf, -1, tool.name, Action.SHORTEN, order=self._order(None, ""))
                yield self._kept(planned, frozen) if frozen else self._decided(planned)

    def messages(self) -> Iterator[LeafPlan]:
        for index, message in enumerate(self.conversation.messages):
            for block in message.blocks:
                for leaf in block.leaves:
                    yield self._planned(Place(index, message, block, leaf))
                self.story.goes_on(message.role, block)

    def _planned(self, place: Place) -> LeafPlan:
        result = place.block.part is Part.RESULT
        treatment = self.policy.treatment(place.block.name) if result else None
        order = self._order(treatment, self.story.query(place.block))
        planned = LeafPlan(place.leaf, place.index, place.block.name, Action.SHORTEN, order=order)
        earlier = self._earlier_copy(place, order)
        if not self._in_question(place):
            return replace(planned, action=Action.KEEP, reason="role", order=None)
        reason = self._hands_off(place, treatment)
        if reason:
            return self._kept(planned, reason)
        return self._decided(replace(planned, action=Action.POINT, pointer=earlier) if earlier else planned)

    def _hands_off(self, place: Place, treatment: float | Treatment | None) -> str:
        """Why a leaf is not shortened, or the empty string."""
        if place.index < self.policy.frozen_messages:
            return "frozen"
        if place.index in self.policy.protected:
            return "protected"
        return "tool_rule" if treatment is Treatment.NEVER else ""

    def _kept(self, planned: LeafPlan, reason: str) -> LeafPlan:
        """A leaf that is not shortened; what has to go at any budget goes all the same."""
        order = planned.order
        if order is None or not (self.policy.redact or (self.policy.clean and reason in _CLEANED)):
            return replace(planned, action=Action.KEEP, reason=reason, order=None)
        return self._decided(replace(planned, action=Action.SHORTEN, order=self._whole(order), pointer=""))

    def _whole(self, order: Order) -> Order:
        return replace(order, budget=Budget(keep_ratio=1.0), fold_only=False)

    def _in_question(self, place: Place) -> bool:
        if place.block.part is Part.RESULT:
            return True
        spoken = place.block.part is Part.TEXT and place.message.role is Role.ASSISTANT
        return spoken and self.policy.assistant_text

    def _order(self, treatment: float | Treatment | None, query: str) -> Order:
        policy = self.policy
        return Order(
            budget=policy.budget_for(treatment) if isinstance(treatment, float | int) else policy.budget,
            query=query,
            pins=policy.all_pins(),
            fold_only=treatment is Treatment.FOLD_ONLY,
            clean=policy.clean,
            redact=policy.redact,
        )

    def _decided(self, planned: LeafPlan) -> LeafPlan:
        """The plan of a leaf, or what was decided about it before."""
        planned = replace(planned, key=_key(planned, self.policy, self.made_by))
        found = decided(self.store, planned.key) if self.resent else None
        if found is not None:
            return replace(planned, action=Action.REPLAY, decided=found)
        # The provider's cache, or a signature, may hold what was sent; we do not know that it was ours.
        held = SENT_BEFORE if max(planned.index, 0) < self.bound else ""  # tools stand before all messages
        reason = OURS if is_ours(self.store, planned.leaf.text) else held
        if not reason:
            return planned
        if self.policy.redact or (self.policy.clean and reason == OURS):
            assert planned.order is not None
            whole = replace(planned, action=Action.SHORTEN, order=self._whole(planned.order), pointer="")
            return replace(whole, key=_key(whole, self.policy, self.made_by))
        return replace(planned, action=Action.KEEP, reason=reason)

    def _earlier_copy(self, place: Place, order: Order) -> str:
        """A pointer to the result that said the same before, or the empty string.

        Not where something of the result has to stay, and not to a copy of which less stays.
        """
        text, block = place.leaf.text, place.block
        if block.part is not Part.RESULT or len(text) < _REPEATED or order.budget.keep_ratio == 1 or order.fold_only:
            return ""
        if not (self.policy.pointers and self.resent) or _pinned(text, order):
            return ""
        call = block.name if self.policy.redact else self.story.calls.get(block.call_id, block.name)
        earlier, budget = self.seen.setdefault(text, (call, order.budget))
        first = self.first.setdefault(text, place.leaf.path) == place.leaf.path
        return "" if first or budget != order.budget else _pointer(text, earlier, "earlier")


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


def _pinned(text: str, order: Order) -> bool:
    """Whether a pattern whose matches must stay matches; one that takes too long may."""
    try:
        return any(pin.search(text, timeout=1.0) for pin in order.pins)
    except TimeoutError:
        return True


def _key(planned: LeafPlan, policy: Policy, made_by: str) -> str:
    return decision_key(planned.leaf.text, planned.order, made_by, planned.pointer, policy.show_handles)
