"""History mode: bring a whole conversation under one limit, by shortening in place.

Not the default, and priced: what an old message becomes depends on how much room the others leave, so
the provider's cached prefix is lost from the first message that changes. No message goes and none moves.
The newest stay whole as long as the older can make room, and of a repeated output the newest copy stays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from elision.compaction.conversation import Conversation, Role
from elision.compaction.counting import count
from elision.compaction.decisions import Shorten
from elision.compaction.errors import BadBudget
from elision.compaction.messages import CompressedMessages, LeafOutcome, applied, decide, kept
from elision.compaction.plan import Action, LeafPlan, plan, with_pointers, with_target
from elision.compaction.policy import LASTING_TOOLS, Policy
from elision.compaction.store import Store
from elision.compaction.types import TokenCounter

LEAST = 0.2  # of an older text: it is brought down to this before the next newer one is touched
_SMALL = 24  # tokens: a text this short is left alone, a marker would be no shorter
_ROUNDS = 3  # a round spreads over the others what pins kept in the round before


@dataclass(frozen=True, slots=True)
class Limit:
    """How large a whole conversation may be.

    Attributes:
        total_tokens: Of system and messages; tools are counted by the caller.
        protect_recent: So many messages at the end stay as they are.
        clip: Whether texts are clipped to their ends where choosing is not enough.

    Raises:
        BadBudget: If a number makes no sense.
    """

    total_tokens: int
    protect_recent: int = 0
    clip: bool = False

    def __post_init__(self) -> None:
        if self.total_tokens <= 0:
            raise BadBudget(f"total_tokens is {self.total_tokens}, must be at least 1")
        if self.protect_recent < 0:
            raise BadBudget(f"protect_recent is {self.protect_recent}, must not be negative")


def compress_history(
    conversation: Conversation,
    policy: Policy,
    limit: Limit,
    *,
    shorten: Shorten,
    store: Store,
    counter: TokenCounter,
    made_by: str,
) -> CompressedMessages:
    """Shorten what a policy allows until the conversation fits; as it came if it fits already.

    Arguments are those of `compress_messages`; each leaf's budget is set here.
    """
    total = len(conversation.messages)
    newest = frozenset(range(max(0, total - limit.protect_recent), total))
    # A file that was read long ago is history; the newest stay whole as long as they can.
    policy = replace(policy, protected=policy.protected | newest, exact_tools=LASTING_TOOLS)
    planned = plan(conversation, policy, store=store, made_by=made_by, resent=False)
    size = count(conversation, counter).total

    def shorter(leaf: LeafPlan, target: int, clip: bool) -> LeafOutcome:
        ordered = with_target(leaf, target, clip, policy, made_by)
        return decide(ordered, policy, shorten=shorten, store=store, counter=counter)

    texts = [leaf for leaf in planned if leaf.action is not Action.KEEP]
    steps = _steps(conversation)
    rows = [_Row(leaf, counter.count(leaf.leaf.text), steps[leaf.index]) for leaf in with_pointers(texts)]
    over = size - limit.total_tokens
    if over > 0:
        free = [row for row in rows if not row.stays]
        _fit(free, sum(row.tokens for row in free) - over, shorter, limit.clip)
    if policy.clean or policy.redact:
        for row in rows:
            row.outcome = row.outcome or shorter(row.planned, row.tokens, False)
    outcomes = {row.planned.leaf.path: row.outcome for row in rows if row.outcome is not None}
    return applied(conversation, [outcomes.get(leaf.leaf.path) or kept(leaf) for leaf in planned], counter)


_Shorter = Callable[[LeafPlan, int, bool], LeafOutcome]


@dataclass(eq=False)
class _Row:
    """One text: what it costs as it came, what it may cost, and what became of it.

    Attributes:
        step: In which step of the agent it came; what came in one step is equally new.
    """

    planned: LeafPlan
    tokens: int
    step: int
    target: int = 0
    outcome: LeafOutcome | None = None

    @property
    def stays(self) -> bool:
        """Whether no word of it may go; it is there for what has to go at any budget."""
        order = self.planned.order
        return order is not None and order.budget.keep_ratio == 1

    @property
    def now(self) -> int:
        if self.outcome is None or self.outcome.compressed is None:
            return self.tokens
        return self.outcome.compressed.receipt.tokens_after

    @property
    def least(self) -> int:
        return min(self.tokens, max(_SMALL, int(LEAST * self.tokens)))


def _fit(rows: Sequence[_Row], room: int, shorter: _Shorter, clip: bool) -> None:
    """Bring all rows together down to ``room`` tokens, or as near as they go."""
    for row in rows:
        if row.planned.action is Action.POINT:
            row.outcome = shorter(row.planned, row.tokens, False)
    texts = [row for row in rows if row.outcome is None and row.tokens > _SMALL]
    room -= sum(row.tokens for row in rows if row.outcome is None and row.tokens <= _SMALL)
    room -= sum(row.now for row in rows if row.outcome is not None)
    older, whole = _split(texts, room)
    room -= sum(row.tokens for row in whole)
    open_ = list(older)
    for _ in range(_ROUNDS):
        _share(open_, room - sum(row.now for row in older if row not in open_))
        for row in open_:
            row.outcome = shorter(row.planned, row.target, False)
        if sum(row.now for row in older) <= room:
            return
        open_ = [row for row in open_ if row.now <= row.target]
    if clip:
        _clip(older, room, shorter)
    excess = sum(row.now for row in older) - room
    if clip and excess > 0:
        _clip(whole, sum(row.now for row in whole) - excess, shorter)


def _split(rows: Sequence[_Row], room: int) -> tuple[list[_Row], list[_Row]]:
    """Rows that have to make room, and the newest ones that can stay whole if the others do."""
    least = sum(row.least for row in rows)
    whole: list[_Row] = []
    for step in sorted({row.step for row in rows}, reverse=True):
        newest = [row for row in rows if row.step == step]
        least += sum(row.tokens - row.least for row in newest)
        if least > room:
            break
        whole += newest
    return [row for row in rows if row not in whole], whole


def _steps(conversation: Conversation) -> list[int]:
    """For each message, how many messages of the assistant stand before it; tool definitions, at -1, are oldest."""
    spoken = [message.role is Role.ASSISTANT for message in conversation.messages]
    return [*accumulate(spoken, initial=0)][: len(spoken)] + [0]


def _share(rows: Sequence[_Row], room: int) -> None:
    """Give each row the same share of itself."""
    total = sum(row.tokens for row in rows)
    for row in rows:
        row.target = max(min(row.tokens, _SMALL), room * row.tokens // max(1, total))


def _clip(rows: Sequence[_Row], room: int, shorter: _Shorter) -> None:
    total = sum(row.now for row in rows)
    for row in rows:
        if total > room:
            row.target = max(1, max(0, room) * row.now // max(1, total))
            row.outcome = shorter(row.planned, row.target, True)
