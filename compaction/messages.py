"""Shorten a conversation's leaves and put them back: the message path.

`plan` says what is to be done to each leaf, `decide` does it to one, `applied` puts all of them into
the body and looks whether a provider would still take it. Leaves can be decided one by one or side by
side; the outcome is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from elision.compaction.conversation import Conversation
from elision.compaction.counting import ConversationTokens, count
from elision.compaction.cuts import Problem, validate
from elision.compaction.decisions import Shorten, original_of, remembered
from elision.compaction.formats.read import read
from elision.compaction.handles import pointed, with_handle
from elision.compaction.plan import Action, LeafPlan, plan
from elision.compaction.policy import Policy
from elision.compaction.store import Store, handle_of
from elision.compaction.types import Compressed, TokenCounter

INVALID_OUTPUT = "verify_failed:invalid_output"


@dataclass(frozen=True, slots=True)
class LeafOutcome:
    """What became of one leaf.

    Attributes:
        planned: What was to be done.
        text: What stands there now.
        reason: Why it stayed as it came, or what stands in its place; empty where it was just shortened.
        handle: Content address of the original, where it changed.
        compressed: The receipt's source, where a text was shortened or tried to be.
    """

    planned: LeafPlan
    text: str
    reason: str
    handle: str = ""
    compressed: Compressed | None = None

    @property
    def changed(self) -> bool:
        return self.text != self.planned.leaf.text


@dataclass(frozen=True, slots=True)
class CompressedMessages:
    """A request with its leaves shortened.

    Attributes:
        raw: The body; apart from changed leaves every character is as it came.
        leaves: What became of each leaf.
        before: Tokens of the request as it came.
        after: Tokens of `raw`.
        reason: Why all of it went back as it came; empty otherwise.
        problems: What a provider would refuse in the request as it came.
    """

    raw: str
    leaves: tuple[LeafOutcome, ...]
    before: ConversationTokens
    after: ConversationTokens
    reason: str
    problems: tuple[Problem, ...]

    @property
    def changed(self) -> bool:
        return any(outcome.changed for outcome in self.leaves)


def compress_messages(
    conversation: Conversation,
    policy: Policy,
    *,
    shorten: Shorten,
    store: Store,
    counter: TokenCounter,
    made_by: str,
) -> CompressedMessages:
    """Shorten what a policy allows, each leaf by its own budget.

    The prefix law: for every k, the first k messages of the outcome are what the first k messages alone
    would have become, whatever the store remembers.

    Args:
        conversation: The request.
        policy: What may be touched, and how much of it stays.
        shorten: Shortens one text; must not raise for a text it cannot shorten.
        store: Where decisions and originals are kept.
        counter: Counts reader tokens.
        made_by: Bundle, runner and encoding behind ``shorten``, see `plan`.
    """
    planned = plan(conversation, policy, store=store, made_by=made_by)
    outcomes = [decide(leaf, policy, shorten=shorten, store=store, counter=counter) for leaf in planned]
    return applied(conversation, outcomes, counter)


def decide(
    planned: LeafPlan, policy: Policy, *, shorten: Shorten, store: Store, counter: TokenCounter
) -> LeafOutcome:
    """Do to one leaf what was planned, and remember it.

    What goes out is what the store remembers first: also an original that went out because time was
    over, for the provider has cached it.
    """
    if planned.action is Action.KEEP:
        return kept(planned)
    original, found = original_of(planned.leaf.text, planned.order), planned.decided
    if found is None:
        found = remembered(store, planned.key, original, _done(planned, policy, shorten, counter))
    handle = handle_of(original) if found.receipt.changed else ""
    return LeafOutcome(planned, found.text, found.receipt.reason, handle, found)


def kept(planned: LeafPlan, reason: str = "") -> LeafOutcome:
    """A leaf that stays as it came, and why."""
    return LeafOutcome(planned, planned.leaf.text, reason or planned.reason)


def applied(
    conversation: Conversation, outcomes: Sequence[LeafOutcome], counter: TokenCounter
) -> CompressedMessages:
    """The body with what became of its leaves; as it came if a provider would refuse the outcome."""
    before, problems = count(conversation, counter), validate(conversation)
    raw = conversation.with_texts({outcome.planned.leaf.path: outcome.text for outcome in outcomes})
    if raw == conversation.raw:
        return CompressedMessages(raw, tuple(outcomes), before, before, "", tuple(problems))
    shorter = read(raw, conversation.format)
    if _worse(validate(shorter), problems):
        as_came = tuple(kept(outcome.planned, INVALID_OUTPUT) for outcome in outcomes)
        return CompressedMessages(conversation.raw, as_came, before, before, INVALID_OUTPUT, tuple(problems))
    return CompressedMessages(raw, tuple(outcomes), before, count(shorter, counter), "", tuple(problems))


def _done(planned: LeafPlan, policy: Policy, shorten: Shorten, counter: TokenCounter) -> Compressed:
    original = planned.leaf.text
    if planned.action is Action.POINT:
        return pointed(original, planned.pointer, counter)
    assert planned.order is not None
    shorter = shorten(original, planned.order)
    if not policy.show_handles:
        return shorter
    return with_handle(original, shorter, handle_of(original_of(original, planned.order)), counter)


def _worse(after: Sequence[Problem], before: Sequence[Problem]) -> bool:
    """Whether there is a kind of problem at a place that was not there before."""
    known = {(problem.pointer, problem.rule) for problem in before}
    return any((problem.pointer, problem.rule) not in known for problem in after)
