"""A history as it came, measured: whether there is something to do, and what its messages cost."""

from dataclasses import dataclass

from elision.compaction.compact.measure import measured
from elision.compaction.compact.trigger import Reason, triggered, triggers_at
from elision.compaction.compact.types import CompactionPlan, Fate, MessagePlan, Occasion
from elision.compaction.conversation import Conversation
from elision.compaction.counting import count
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.prices.bills import Bills
from elision.compaction.prices.verdict import Decision
from elision.compaction.types import TokenCounter


@dataclass(frozen=True, slots=True)
class Look:
    """A history before anything is done to it.

    Attributes:
        conversation, policy, occasion, counter: What one looks at, by which rules and by whose count.
        reason: Why there is something to do, `Reason.NONE` if there is not.
        point: Tokens at which the policy acts, None where it does not go by tokens.
        measured: Tokens of the request by the policy's own measure, tools included.
        costs: Tokens of each message by the reader's tokeniser.
        total: Of system and messages.
    """

    conversation: Conversation
    policy: CompactionPolicy
    occasion: Occasion
    counter: TokenCounter
    reason: Reason
    point: int | None
    measured: int
    costs: tuple[int, ...]
    total: int

    @property
    def system(self) -> int:
        """Tokens that are no message's."""
        return self.total - sum(self.costs)

    @property
    def below(self) -> str:
        """Why nothing is due, in words."""
        if self.point is None:
            return f"{self.measured:,} tokens; the policy does not go by tokens"
        return f"{self.measured:,} tokens of {self.point:,} at which the policy acts"

    def left(self, reason: str, detail: str, bills: Bills | None = None) -> CompactionPlan:
        """The plan to do nothing."""
        rows = tuple(MessagePlan(index, Fate.KEEP, cost, cost) for index, cost in enumerate(self.costs))
        return self.plan(Decision.LEAVE, reason, detail, self.total, rows, bills)

    def plan(
        self,
        decision: Decision,
        reason: str,
        detail: str,
        after: int,
        rows: tuple[MessagePlan, ...],
        bills: Bills | None,
    ) -> CompactionPlan:
        """A plan of this history, with nothing in it of what goes."""
        return CompactionPlan(
            policy=f"{self.policy.name}@{self.policy.version}",
            decision=decision,
            reason=reason,
            detail=detail,
            triggers_at=self.point,
            measured=self.measured,
            before=self.total,
            after=after,
            messages=rows,
            bills=bills,
        )


def look_at(
    conversation: Conversation, policy: CompactionPolicy, occasion: Occasion, counter: TokenCounter
) -> Look:
    """Measure a history.

    Raises:
        BadPolicy: If the policy waits for more tokens than the window has.
    """
    tokens = measured(conversation, policy.measure, counter, occasion.usage, policy.trigger.scope)
    reason = triggered(policy, occasion.window, conversation, tokens, occasion.cause)
    counted = count(conversation, counter)
    target = occasion.target_tokens
    if reason is Reason.NONE and target is not None and counted.total > target:
        reason = Reason.REQUEST  # somebody said how much there may be
    return Look(
        conversation=conversation,
        policy=policy,
        occasion=occasion,
        counter=counter,
        reason=reason,
        point=triggers_at(policy, occasion.window),
        measured=tokens,
        costs=counted.messages,
        total=counted.total,
    )
