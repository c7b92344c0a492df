"""How texts and decisions are spelled in a store: zstd over UTF-8, decisions as JSON with a version.

Every string comes back as it was, lone surrogates too.
"""

import json
from dataclasses import asdict
from typing import Any

import zstandard

from elision.compaction.errors import StoreUnavailable
from elision.compaction.types import Compressed, Drop, Pin, Receipt
from elision.model.types import Span

VERSION = 1
_LEVEL = 3


def pack_text(text: str) -> bytes:
    return zstandard.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)


def unpack_text(body: bytes) -> str:
    """The inverse of `pack_text`.

    Raises:
        StoreUnavailable: If the bytes are not what it wrote.
    """
    try:
        return zstandard.decompress(body).decode("utf-8", "surrogatepass")
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise StoreUnavailable(f"a stored text is damaged: {error}") from None


def pack(compressed: Compressed) -> bytes:
    """A decision with its whole receipt."""
    receipt = compressed.receipt
    fields = asdict(receipt) | {
        "dropped": [[d.span.start, d.span.stop, d.replacement, d.reason] for d in receipt.dropped],
        "pinned": [[p.span.start, p.span.stop, p.reason] for p in receipt.pinned],
    }
    return pack_text(json.dumps({"version": VERSION, "text": compressed.text, "receipt": fields}))


def unpack(body: bytes) -> Compressed:
    """The inverse of `pack`.

    Raises:
        StoreUnavailable: If the bytes are not what it wrote, or another version of it did.
    """
    text = unpack_text(body)
    try:
        document = json.loads(text)
        if document["version"] != VERSION:
            raise StoreUnavailable(f"a decision has version {document['version']}, this one reads {VERSION}")
        return Compressed(document["text"], _receipt(document["receipt"]))
    except (ValueError, TypeError, KeyError) as error:
        raise StoreUnavailable(f"a stored decision is damaged: {type(error).__name__}: {error}") from None


def _receipt(fields: dict[str, Any]) -> Receipt:
    dropped = tuple(Drop(Span(start, stop), put, why) for start, stop, put, why in fields["dropped"])
    pinned = tuple(Pin(Span(start, stop), why) for start, stop, why in fields["pinned"])
    return Receipt(**fields | {"dropped": dropped, "pinned": pinned})
