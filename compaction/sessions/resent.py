"""What is new of a history that its caller sends whole, as agents do with every request.

A caller is recognised by position: the session's messages are the beginning of what it sends. Some callers
take over every view that they are given, some never do, and some are a compaction behind. So a history may
go on from the view of now, from any view that a compaction in effect replaced, or from the messages as they
came. Where all messages have ids, it may also begin later, for these tell where.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile

from elision.compaction.conversation import Format
from elision.compaction.sessions.bodies import LISTS, split
from elision.compaction.sessions.errors import HistoryDiffers
from elision.compaction.sessions.outline import outline
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import Compacted, Configured, Entry, Shown

_Beginning = Sequence[Entry | Shown]


@dataclass(frozen=True, slots=True)
class Resent:
    """A request that was sent whole.

    Attributes:
        configured: What stands around its messages.
        messages: How many it has.
        new: Those that the session does not have, each with an id.
    """

    configured: Configured
    messages: int
    new: tuple[Entry, ...]


def resent(timeline: Timeline, raw: str, format: Format | None) -> Resent:
    """What a request says that the session does not have; what it has is not read again.

    Raises:
        HistoryDiffers: As `rest` does.
        NotJson, UnknownFormat, BadConversation: As `split` does.
    """
    found = outline(raw, LISTS[format]) if format in LISTS else None
    if found is not None:
        spelled = [Entry("", span.of(raw)) for span in found.messages]
        known = max(_fits(_beginnings(timeline), spelled), default=0)
        if known:
            configured, new = split(found.after(known), format)
            return Resent(replace(configured, glue=found.glue), len(spelled), _named(timeline, new))
    configured, sent = split(raw, format)
    return Resent(configured, len(sent), rest(timeline, sent))


def rest(timeline: Timeline, sent: Sequence[Entry]) -> tuple[Entry, ...]:
    """The messages that the session does not have, each with an id.

    The ids follow from the log alone. So of two writers that send the same at once, the second finds its
    messages there.

    Args:
        timeline: The session.
        sent: The whole history, with ids where the wire has some.

    Raises:
        HistoryDiffers: If it goes on from no state of the session: says at which message.
    """
    beginnings = list(_beginnings(timeline))
    if whole := _fits(beginnings, sent):
        return _named(timeline, sent[max(whole) :])
    if all(one.id for one in sent) and (known := _ends_known(timeline, beginnings, [one.id for one in sent])):
        return (*sent[:known], *_named(timeline, sent[known:]))  # the log passes over those it has
    raise HistoryDiffers(max(_shared(known, sent) for known in beginnings), len(timeline.state.shown()))


def alike(one: str, other: str) -> bool:
    """Whether two messages say the same, however their JSON is spelled and wherever their cache marks stand.

    Callers move the marks with every request, and make a list of a text in order to mark it.
    """
    return one == other or _sense(one) == _sense(other)


def _fits(beginnings: Iterable[_Beginning], sent: Sequence[Entry]) -> list[int]:
    """Of each beginning that goes with what was sent, the messages they share.

    The longest counts, for a view can by chance be the beginning of another.
    """
    fits = [(_shared(known, sent), min(len(known), len(sent))) for known in beginnings]
    return [shared for shared, most in fits if shared == most]


def _shared(known: _Beginning, sent: Sequence[Entry]) -> int:
    return sum(1 for _ in takewhile(_are_alike, zip(known, sent, strict=False)))


def _are_alike(pair: tuple[Entry | Shown, Entry]) -> bool:
    return alike(pair[0].raw, pair[1].raw)


def _ends_known(timeline: Timeline, beginnings: Sequence[_Beginning], ids: Sequence[str]) -> int:
    """How many ids come first that some beginning ends with, if all that follow are new; else none."""
    known = [*takewhile(timeline.digests, ids)]
    if not known or any(map(timeline.digests, ids[len(known) :])):
        return 0
    ends = ([one.id for one in beginning[-len(known) :]] for beginning in beginnings)
    return len(known) if known in ends else 0


def _beginnings(timeline: Timeline) -> Iterator[_Beginning]:
    """What a history may begin with: the views from the newest compaction to none."""
    since: list[Entry] = []
    for state in timeline.state.back():
        if isinstance(state.did, Entry):
            since.append(state.did)
        elif isinstance(state.did, Compacted):
            yield [*state.compacted, *reversed(since)]
    yield since[::-1]


def _named(timeline: Timeline, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries, each under an id that is free: its own, else one as the log would give it.

    Some wires have one id twice, as a reference has that of its item. What a message is, its place tells.
    """
    taken, used = {entry.id for entry in entries}, set[str]()
    named: list[Entry] = []
    for place, entry in enumerate(entries, timeline.position):
        id = entry.id
        if not id or id in used or timeline.digests(id):
            ours = (f"m{n}" for n in count(place))
            id = next(name for name in ours if name not in taken and not timeline.digests(name))
            taken.add(id)
        used.add(id)
        named.append(replace(entry, id=id))
    return tuple(named)


def _sense(raw: str) -> str:
    try:
        message = json.loads(raw)
        if isinstance(message, dict) and isinstance(message.get("content"), str):
            message["content"] = [{"type": "text", "text": message["content"]}]
        return json.dumps(_unmarked(message), sort_keys=True)
    except (ValueError, RecursionError):
        return raw


def _unmarked(message: object) -> object:
    """A message without the marks on it, on its blocks and on the blocks in these."""
    if isinstance(message, list):
        return [_unmarked(block) for block in message]
    if not isinstance(message, dict):
        return message
    bare = {key: value for key, value in message.items() if key != "cache_control"}
    return bare | {"content": _unmarked(bare["content"])} if isinstance(bare.get("content"), list) else bare
