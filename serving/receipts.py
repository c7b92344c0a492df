"""One text's outcome as JSON: the same object from the command line and over HTTP."""

import json
from typing import Any

from elision.compaction.types import Compressed


def receipt_json(compressed: Compressed) -> dict[str, Any]:
    """The shortened text and its receipt; offsets are code points of the input."""
    receipt = compressed.receipt
    return {
        "text": compressed.text,
        "tokens_before": receipt.tokens_before,
        "tokens_after": receipt.tokens_after,
        "tokens_saved": receipt.tokens_before - receipt.tokens_after,
        "target_met": receipt.target_met,
        "changed": receipt.changed,
        "reason": receipt.reason,
        "dropped": [
            {"start": d.span.start, "end": d.span.stop, "replacement": d.replacement, "reason": d.reason}
            for d in receipt.dropped
        ],
        "pinned": [{"start": p.span.start, "end": p.span.stop, "reason": p.reason} for p in receipt.pinned],
        "bundle": receipt.bundle,
        "runner": receipt.runner,
        "token_counter": {"encoding": receipt.encoding, "exact": receipt.exact},
    }


def dumps(value: object, indent: int | None = None) -> bytes:
    """JSON in ASCII, so that a lone surrogate comes back as it came: ``\\ud800``."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, indent=indent).encode("ascii")
