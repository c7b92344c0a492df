"""The last line of a block of pins: how many of each kind do not stand in it, and the handle of those.

When the block is written anew, an earlier line goes behind the new handle with what did not fit this time. So the
counts add up, and whoever follows the handles comes to every pin there ever was.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import regex

from elision.compaction.pins.types import PinKind
from elision.compaction.store import HANDLE_LENGTH

_NAMES = {
    PinKind.CONSTRAINT: ("demand", "demands"),
    PinKind.DECISION: ("decision", "decisions"),
    PinKind.REJECTED: ("rejected option", "rejected options"),
    PinKind.FIGURE: ("figure", "figures"),
    PinKind.TODO: ("todo", "todos"),
    PinKind.FILE: ("file", "files"),
    PinKind.ERROR: ("error", "errors"),
    PinKind.IDENTIFIER: ("identifier", "identifiers"),
}
_MORE = frozenset({PinKind.CONSTRAINT, PinKind.TODO, PinKind.IDENTIFIER})  # the others were older
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names}
_COUNT = regex.compile(
    rf"(?P<many>\d{{1,9}}) (?:more|older) (?P<name>{'|'.join(sorted(_KINDS, key=len, reverse=True))})"
)
_LINE = regex.compile(rf"\[…{_COUNT.pattern}(?:, {_COUNT.pattern})*: [0-9a-f]{{{HANDLE_LENGTH}}}\]")


def counted_line(
    counts: Mapping[PinKind, int], texts: Sequence[str], earlier: Sequence[str], handle: Callable[[str], str]
) -> str:
    """The line for what did not fit; empty if everything did, an earlier one if nothing else did not.

    Args:
        counts: How much of each kind does not fit.
        texts: What it says, a line or more each.
        earlier: Lines of blocks before.
        handle: Stores a text and returns the address by which it comes back.
    """
    if not counts and len(earlier) < 2:
        return "".join(earlier)
    total = sum(map(counts_of, earlier), Counter(counts))
    told = ", ".join(_counted(kind, total[kind]) for kind in _NAMES if total[kind])
    return f"[…{told}: {handle(chr(10).join([*earlier, *texts]))}]"


def counts_of(line: str) -> Counter[PinKind]:
    """What a counted line counts; nothing if it is none."""
    if not _LINE.fullmatch(line):
        return Counter()
    return Counter({_KINDS[one["name"]]: int(one["many"]) for one in _COUNT.finditer(line)})


def _counted(kind: PinKind, many: int) -> str:
    """``3 more demands``, ``14 older files``."""
    return f"{many} {'more' if kind in _MORE else 'older'} {_NAMES[kind][many != 1]}"
