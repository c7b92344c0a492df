"""What stands for a text that is not there: a pointer to its earlier copy, a handle to its original."""

from dataclasses import replace

from elision.compaction.guard.whole_json import is_json
from elision.compaction.types import Compressed, Drop, Receipt, TokenCounter, meets
from elision.model.types import Span

HANDLE = "handle"
REPEATED = "repeated"


def with_handle(original: str, shorter: Compressed, handle: str, counter: TokenCounter) -> Compressed:
    """The shortened text with a last line that names its original; as it was where that costs too much.

    A JSON document has no place for another line.
    """
    receipt = shorter.receipt
    if not receipt.changed or is_json(shorter.text):
        return shorter
    line = f"\n[…original: {handle}]"
    after = counter.count(shorter.text + line)
    if after >= receipt.tokens_before:
        return shorter
    end = Drop(Span(len(original), len(original)), line, HANDLE)
    met = receipt.target_met and meets(after, receipt.target_tokens)
    return Compressed(
        shorter.text + line, replace(receipt, tokens_after=after, target_met=met, dropped=(*receipt.dropped, end))
    )


def pointed(original: str, pointer: str, counter: TokenCounter) -> Compressed:
    """A text of which only a pointer to its earlier copy stays."""
    whole, after = as_it_came(original, REPEATED, counter), counter.count(pointer)
    drop = Drop(Span(0, len(original)), pointer, REPEATED)
    receipt = replace(whole.receipt, tokens_after=after, target_tokens=after, changed=True, dropped=(drop,))
    return Compressed(pointer, receipt)


def as_it_came(original: str, reason: str, counter: TokenCounter) -> Compressed:
    """A text of which nothing went, and why."""
    tokens = counter.count(original)
    receipt = Receipt(
        tokens_before=tokens,
        tokens_after=tokens,
        target_tokens=tokens,
        target_met=True,
        changed=False,
        reason=reason,
        dropped=(),
        pinned=(),
        bundle="",
        runner="",
        encoding=counter.encoding,
        exact=counter.exact,
    )
    return Compressed(original, receipt)
