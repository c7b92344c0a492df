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
from elision.compaction.errors import RedactionFailed
from elision.compaction.formats.read import read
from elision.compaction.handles import as_it_came, pointed, with_handle
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
    would have become, with the same store or with none. What a cache mark or a later signature of
    Anthropic's holds to bytes that were sent before we came is left as it is, which only a store can tell
    from what we sent; and a client that sends our own outputs needs the store that knows them.

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
    if planned.action is Action.KEEP and not planned.key:
        return kept(planned)
    original, found = original_of(planned.leaf.text, planned.order), planned.decided
    if found is None:
        found = remembered(store, planned.key, original, _done(planned, policy, shorten, counter))
    if not found.text.strip() and planned.leaf.text.strip():
        return kept(planned, "nothing_left")  # providers refuse an empty text
    handle = handle_of(original) if found.receipt.changed else ""
    return LeafOutcome(planned, found.text, found.receipt.reason, handle, found)


def kept(planned: LeafPlan, reason: str = "") -> LeafOutcome:
    """A leaf that stays as it came, and why."""
    return LeafOutcome(planned, planned.leaf.text, reason or planned.reason)


def applied(
    conversation: Conversation, outcomes: Sequence[LeafOutcome], counter: TokenCounter
) -> CompressedMessages:
    """The body with what became of its leaves; those that a provider would refuse stay as they came.

    Raises:
        RedactionFailed: If one of them had a secret to lose.
    """
    before, problems = count(conversation, counter), validate(conversation)
    raw, found = _put_back(conversation, outcomes, problems)
    if found:
        outcomes = [_refused(outcome) if _is_at(outcome, found) else outcome for outcome in outcomes]
        raw, found = _put_back(conversation, outcomes, problems)
    if found:
        outcomes = [_refused(outcome) for outcome in outcomes]
        raw = conversation.raw
    after = before if raw == conversation.raw else count(read(raw, conversation.format), counter)
    reason = INVALID_OUTPUT if found else ""
    return CompressedMessages(raw, tuple(outcomes), before, after, reason, tuple(problems))


def _put_back(
    conversation: Conversation, outcomes: Sequence[LeafOutcome], known: Sequence[Problem]
) -> tuple[str, list[Problem]]:
    """The body, and what is wrong with it that was not before."""
    raw = conversation.with_texts({outcome.planned.leaf.path: outcome.text for outcome in outcomes})
    if raw == conversation.raw:
        return raw, []
    old = {(problem.pointer, problem.rule) for problem in known}
    found = validate(read(raw, conversation.format))
    return raw, [problem for problem in found if (problem.pointer, problem.rule) not in old]


def _refused(outcome: LeafOutcome) -> LeafOutcome:
    order = outcome.planned.order
    if outcome.changed and order is not None and order.redact:
        raise RedactionFailed("a provider would refuse the request with its secrets replaced")
    return kept(outcome.planned, INVALID_OUTPUT) if outcome.changed else outcome


def _is_at(outcome: LeafOutcome, problems: Sequence[Problem]) -> bool:
    path = outcome.planned.leaf.path
    return any(path.startswith(problem.pointer) or problem.pointer.startswith(path) for problem in problems)


def _done(planned: LeafPlan, policy: Policy, shorten: Shorten, counter: TokenCounter) -> Compressed:
    original, order = planned.leaf.text, planned.order
    assert order is not None
    if planned.action is Action.KEEP:
        return as_it_came(original, planned.reason, counter)
    if planned.action is Action.POINT:
        short = pointed(original, planned.pointer, counter)
        if order.budget.floor_tokens <= short.receipt.tokens_before > short.receipt.tokens_after:
            return short
    shorter = shorten(original, order)
    if not policy.show_handles:
        return shorter
    return with_handle(original, shorter, handle_of(original_of(original, order)), counter)
