"""Keep an original that a compaction takes out, so that it comes back."""

from elision.compaction.decisions import decision_key, remembered
from elision.compaction.handles import pointed
from elision.compaction.redaction import without_secrets
from elision.compaction.store import Store, handle_of
from elision.compaction.types import TokenCounter


def keep(store: Store, original: str, counter: TokenCounter, redact: bool = False) -> str:
    """Keep an original, and say under which handle it comes back."""
    original = without_secrets(original) if redact else original
    outcome = pointed(original, "", counter)
    remembered(store, decision_key(original, None, "compact"), original, outcome)
    return handle_of(original)
