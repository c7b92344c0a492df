"""Leave out sessions that are in the import already: exact copies, and beginnings of longer ones.

A log of requests has a session once for every turn, each time longer by one. Sessions are compared by
what is said and done in them. Ids do not count, as the same session has others in another log; nor do
system and developer messages, as some hold a clock or a request's id and are others every turn.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from elision.training.transcripts.drafts import Draft, Json

_INSTRUCTIONS = ("system", "developer")


@dataclass(frozen=True, slots=True)
class Distinct:
    """What is left.

    Attributes:
        kept: Indices of the sessions that stay, in order.
        copies: Sessions left out that say exactly what another does.
        beginnings: Sessions left out that another one continues.
    """

    kept: tuple[int, ...]
    copies: int
    beginnings: int


def distinct(sessions: Sequence[Draft]) -> Distinct:
    """The sessions that no other one repeats or continues; of copies the first."""
    chains = [_chain(session.messages) for session in sessions]
    continued = {digest for chain in chains for digest in chain[:-1]}
    kept: list[int] = []
    seen: set[bytes] = set()
    copies = beginnings = 0
    for index, chain in enumerate(chains):
        if chain and chain[-1] in continued:
            beginnings += 1
        elif chain and chain[-1] in seen:
            copies += 1
        else:
            kept.append(index)
            seen.update(chain[-1:])
    return Distinct(tuple(kept), copies, beginnings)


def _chain(messages: Sequence[Json]) -> list[bytes]:
    """For every message that counts a digest of it and all before it."""
    found: list[bytes] = []
    before = b""
    for message in messages:
        if message["role"] in _INSTRUCTIONS:
            continue
        calls = [
            (call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls") or ()
        ]
        said = json.dumps([message["role"], (message.get("content") or "").strip(), calls])
        before = hashlib.sha256(before + said.encode()).digest()
        found.append(before)
    return found
