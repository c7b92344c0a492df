"""Look at a history, and compact it: a plan, and what comes of carrying it out."""

from dataclasses import replace

from elision.compaction.compact.apply import apply
from elision.compaction.compact.hiding import hidden, means_without_secrets
from elision.compaction.compact.notes import pins_of
from elision.compaction.compact.plan import plan
from elision.compaction.compact.trigger import triggers_at
from elision.compaction.compact.types import CompactedHistory, CompactionPlan, Means, Occasion
from elision.compaction.compact.writing import carried_within
from elision.compaction.conversation import Conversation
from elision.compaction.counting import count
from elision.compaction.errors import BudgetTooSmall
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.store import NoStore

_SHORTER = 3  # times that a tail is made shorter to make room for what may not be lost


def look(
    conversation: Conversation, policy: CompactionPolicy, occasion: Occasion, means: Means
) -> CompactionPlan:
    """Say what a policy would do to a history; see `plan`. What `compact` refuses is refused here.

    Raises:
        BadPolicy: If the policy waits for more tokens than the window has.
        BudgetTooSmall: If what may not be lost does not fit into the target.
        RedactionFailed: If secrets were to be hidden and could not be.
    """
    shown, at_hand = _shown(conversation, means)
    return _planned(shown, policy, _limited(occasion, shown, at_hand), at_hand)[1]


def compact(
    conversation: Conversation, policy: CompactionPolicy, occasion: Occasion, means: Means
) -> CompactedHistory:
    """Do to a history what a policy says.

    Where secrets are to be hidden, they are in what stays as well, whatever is decided.

    Raises:
        BadPolicy: If the policy waits for more tokens than the window has.
        BudgetTooSmall: If what may not be lost does not fit into the target.
        RedactionFailed: If secrets were to be hidden and could not be.
    """
    conversation, means = _shown(conversation, means)
    occasion = _limited(occasion, conversation, means)
    within, planned = _planned(conversation, policy, occasion, means)
    done = _applied(conversation, policy, planned, within, means)
    target = occasion.target_tokens
    most = _room(conversation, occasion.window.input, means) if target is None else target
    if done.after > most and within is occasion and (done.changed or not done.attempts):
        deeper = _within_window(conversation, policy, occasion, means)  # it was estimated to fit
        if deeper:
            tried = done.attempts
            done = _applied(conversation, policy, deeper[1], deeper[0], means)
            done = replace(done, attempts=(*tried, *done.attempts))
    return replace(done, target_met=done.after <= most)


def _planned(
    conversation: Conversation, policy: CompactionPolicy, occasion: Occasion, means: Means
) -> tuple[Occasion, CompactionPlan]:
    """The plan, and the occasion it is for: with a target where the history would stay over the window."""
    planned = _fitting(conversation, policy, occasion, means)
    # What a summary may have at most it seldom takes.
    least = planned.after - planned.summary_tokens
    fits = least <= _room(conversation, occasion.window.input, means)
    deeper = None if fits else _within_window(conversation, policy, occasion, means)
    return deeper or (occasion, planned)


def _within_window(
    conversation: Conversation, policy: CompactionPolicy, occasion: Occasion, means: Means
) -> tuple[Occasion, CompactionPlan] | None:
    """The same with a target, where the policy wants that: what reducing has to reach, else the window."""
    if not policy.gate.fits or occasion.target_tokens is not None:
        return None
    usable = occasion.window.usable
    point = triggers_at(policy, occasion.window) or usable
    for tokens in (int(point * (policy.gate.enough or 1)), usable):
        within = replace(occasion, target_tokens=max(1, _room(conversation, tokens, means)))
        try:
            return within, _fitting(conversation, policy, within, means)
        except BudgetTooSmall:
            continue
    return None  # what is done without a target is better than nothing


def _limited(occasion: Occasion, conversation: Conversation, means: Means) -> Occasion:
    """The occasion without a target that is more than the window has room for: that limits nothing."""
    room = _room(conversation, occasion.window.input, means)
    beyond = occasion.target_tokens is not None and 0 < room < occasion.target_tokens
    return replace(occasion, target_tokens=None) if beyond else occasion


def _room(conversation: Conversation, tokens: int, means: Means) -> int:
    """What system and messages may have of a window: the tools stand in it too."""
    return tokens - count(conversation, means.counter).tools


def _fitting(
    conversation: Conversation, policy: CompactionPolicy, occasion: Occasion, means: Means
) -> CompactionPlan:
    """A plan that leaves room for what may not be lost, which goes before what a summary can tell."""
    planned, tries = _looked(conversation, policy, occasion, means), _SHORTER
    while planned.selection and policy.summary.writer != "none" and occasion.target_tokens is not None:
        try:
            # Nothing is kept before it is known that it will be used.
            aside = replace(means, store=NoStore())
            carried_within(conversation, policy, planned, aside, occasion.target_tokens)
            break
        except BudgetTooSmall as error:
            kept = sum(row.after for row in planned.messages) - (error.needed - error.room)
            occasion = replace(occasion, kept_tokens=kept)
            again = _looked(conversation, policy, occasion, means)
            if not tries or not _covers_more(again, planned):
                raise
            planned, tries = again, tries - 1
    return planned


def _covers_more(one: CompactionPlan, other: CompactionPlan) -> bool:
    return len(one.covered) > len(other.covered)


def _applied(
    conversation: Conversation,
    policy: CompactionPolicy,
    planned: CompactionPlan,
    occasion: Occasion,
    means: Means,
) -> CompactedHistory:
    every = policy.summary.rebuild_every
    return apply(
        conversation,
        policy,
        planned,
        means,
        focus=occasion.focus,
        language=occasion.language,
        alternate=occasion.alternate,
        target_tokens=occasion.target_tokens,
        rebuild=bool(every) and (occasion.passes + 1) % every == 0,
    )


def _shown(conversation: Conversation, means: Means) -> tuple[Conversation, Means]:
    """What may be seen of a history."""
    return (hidden(conversation), means_without_secrets(means)) if means.redact else (conversation, means)


def _looked(
    conversation: Conversation, policy: CompactionPolicy, occasion: Occasion, means: Means
) -> CompactionPlan:
    return plan(
        conversation,
        policy,
        occasion,
        counter=means.counter,
        pins=lambda found: pins_of(found, policy, means.originals, means.values),
        compresses=means.shorten is not None,
    )
