"""Shorten what stays of a history: outputs by the classifier, and everything where a limit leaves no choice."""

from elision.compaction.compact.types import Means
from elision.compaction.conversation import Conversation
from elision.compaction.counting import count
from elision.compaction.history import Limit, compress_history
from elision.compaction.messages import applied, decide
from elision.compaction.plan import plan
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.policy import LASTING_TOOLS, Policy
from elision.compaction.reduce.reducers import eligible
from elision.compaction.types import Budget


def shortened_outputs(conversation: Conversation, policy: CompactionPolicy, means: Means) -> str:
    """The body with the outputs that `reduce.compress` names shortened."""
    how = policy.reduce.compress
    may = eligible(conversation, how) if how and means.shorten else {}
    if how is None or means.shorten is None or not may:
        return conversation.raw
    whole = frozenset(range(len(conversation.messages))) - frozenset(may)
    rules = Policy(
        budget=Budget(keep_ratio=how.keep_ratio),
        exact_tools=LASTING_TOOLS,
        protected=whole,
        pointers=False,
        redact=means.redact,
    )
    planned = plan(conversation, rules, store=means.store, made_by=means.made_by, resent=False)
    outcomes = [
        decide(leaf, rules, shorten=means.shorten, store=means.store, counter=means.counter)
        for leaf in planned
    ]
    return applied(conversation, outcomes, means.counter).raw


def fitted_into(conversation: Conversation, target: int, means: Means) -> str:
    """The body shortened until it has at most ``target`` tokens of system and messages, or as near as it goes."""
    if means.shorten is None or count(conversation, means.counter).total <= target:
        return conversation.raw
    rules = Policy(assistant_text=True, redact=means.redact)
    return compress_history(
        conversation,
        rules,
        Limit(target, clip=True),
        shorten=means.shorten,
        store=means.store,
        counter=means.counter,
        made_by=means.made_by,
    ).raw
