"""One text's outcome as JSON: the same object from the command line and over HTTP."""

import json
from typing import Any

from elision.compaction.types import Compressed, Receipt


def receipt_json(compressed: Compressed, handle: str | None = None) -> dict[str, Any]:
    """The shortened text and its receipt; offsets are code points of the input."""
    receipt = compressed.receipt
    return {
        "text": compressed.text,
        "handle": handle,
        "tokens_before": receipt.tokens_before,
        "tokens_after": receipt.tokens_after,
        "tokens_saved": receipt.tokens_before - receipt.tokens_after,
        "target_met": receipt.target_met,
        "changed": receipt.changed,
        "reason": receipt.reason,
        **spans_json(receipt),
        "bundle": receipt.bundle,
        "runner": receipt.runner,
        "token_counter": {"encoding": receipt.encoding, "exact": receipt.exact},
    }


def spans_json(receipt: Receipt) -> dict[str, Any]:
    """What went and what had to stay."""
    return {
        "dropped": [
            {"start": d.span.start, "end": d.span.stop, "replacement": d.replacement, "reason": d.reason}
            for d in receipt.dropped
        ],
        "pinned": [{"start": p.span.start, "end": p.span.stop, "reason": p.reason} for p in receipt.pinned],
    }


def dumps(value: object, indent: int | None = None) -> bytes:
    """JSON in ASCII, so that a lone surrogate comes back as it came: ``\\ud800``."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, indent=indent).encode("ascii")
