"""Decide once: what a text became is looked up before it is worked out, and remembered after.

A store that cannot be reached costs time, never the text: what was decided is worked out again, to the
same outcome.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace

from elision.compaction.errors import StoreUnavailable
from elision.compaction.redaction import without_secrets
from elision.compaction.store import Store
from elision.compaction.types import Budget, Compressed, Order

Shorten = Callable[[str, Order], Compressed]
RULES = 2  # part of every key: raised when a text would be decided differently
OURS = "ours"
SENT_BEFORE = "sent_before"
# What is not the outcome of the text and its order, and would come out differently another time.
_ACCIDENTS = frozenset({"deadline", "internal_error", "pin_timeout", SENT_BEFORE})


def decision_key(text: str, order: Order | None, made_by: str, *more: object) -> str:
    """What decides: the text, its order, and who decides; two equal keys mean one outcome.

    Args:
        made_by: Bundle, runner and token encoding.
        more: What else the outcome depends on, as JSON.
    """
    parts: list[object] = [RULES, made_by, text, *more]
    if order is not None:
        budget = order.budget
        parts += [order.query, order.asked, budget.keep_ratio, budget.target_tokens, budget.floor_tokens]
        parts += [order.fold_only, order.clean, order.redact, order.clip, [pin.pattern for pin in order.pins]]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()


def decided(store: Store, key: str) -> Compressed | None:
    """What the store remembers under a key, if it can be asked."""
    try:
        return store.decision(key)
    except StoreUnavailable:
        return None


def is_ours(store: Store, text: str) -> bool:
    """Whether we wrote this text, as far as the store can tell."""
    try:
        return store.wrote(text)
    except StoreUnavailable:
        return False


def original_of(text: str, order: Order | None) -> str:
    """What is kept as the original: where secrets are to go, the text without them."""
    return without_secrets(text) if order is not None and order.redact else text


def remembered(store: Store, key: str, original: str, outcome: Compressed) -> Compressed:
    """What stands under the key from now on: an earlier outcome if there is one.

    What would come out the same again is not kept; an original that went out by accident is.
    """
    if not outcome.receipt.changed and outcome.receipt.reason not in _ACCIDENTS:
        return outcome
    try:
        return store.remember(key, original, outcome)
    except StoreUnavailable:
        return outcome


def compress_once(text: str, order: Order, *, shorten: Shorten, store: Store, made_by: str) -> Compressed:
    """Shorten one text, or say what was made of it before; our own output is left alone."""
    key = decision_key(text, order, made_by)
    found = decided(store, key)
    if found is not None:
        return found
    if is_ours(store, text):
        whole = shorten(text, replace(order, budget=Budget(keep_ratio=1.0), clip=False))
        return replace(whole, receipt=replace(whole.receipt, reason=OURS))
    return remembered(store, key, original_of(text, order), shorten(text, order))
