"""Events as JSON documents and back: how stores keep them and how they are told over HTTP.

Members that this version does not know are passed over, so that a newer one may add some.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

from elision.compaction.conversation import Format
from elision.compaction.pins.types import HistoryPin, PinKind
from elision.compaction.sessions.errors import BadEvent
from elision.compaction.sessions.types import (
    Appended,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Configured,
    Edited,
    Entry,
    Event,
    Forked,
    Glue,
    Inserted,
    Item,
    Kept,
    RolledBack,
    Undone,
)

KINDS: dict[str, type[Event]] = {
    "configured": Configured,
    "appended": Appended,
    "compaction_started": CompactionStarted,
    "compacted": Compacted,
    "compaction_failed": CompactionFailed,
    "rolled_back": RolledBack,
    "undone": Undone,
    "forked": Forked,
}
_NAMES = {kind: name for name, kind in KINDS.items()}
_ITEMS: dict[str, type[Item]] = {"kept": Kept, "edited": Edited, "inserted": Inserted}
_ITEM_NAMES = {kind: name for name, kind in _ITEMS.items()}

Json = dict[str, Any]


def kind_of(event: Event) -> str:
    """What a kind of event is called outside."""
    return _NAMES[type(event)]


def to_json(event: Event) -> Json:
    """An event as a JSON object."""
    document = {"kind": kind_of(event), "seq": event.seq, "at": event.at} | asdict(event)
    if isinstance(event, Compacted):
        items = [{"kind": _ITEM_NAMES[type(item)]} | asdict(item) for item in event.items]
        document |= {"items": items}
    return document


def from_json(document: Mapping[str, Any]) -> Event:
    """The inverse of `to_json`.

    Raises:
        BadEvent: If the document is no event: says what is missing or wrong.
    """
    try:
        kind = KINDS[document["kind"]]
        event: Event = _made(
            kind, {name: _READERS.get(name, _same)(value) for name, value in document.items()}
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadEvent(f"no event: {type(error).__name__}: {error}") from None
    return event


def _made(kind: Callable[..., Any], members: Mapping[str, Any]) -> Any:
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # all are dataclasses
    return kind(**{name: value for name, value in members.items() if name in known})


def _same(value: Any) -> Any:
    return value


def _item(document: Json) -> Item:
    item: Item = _made(_ITEMS[document["kind"]], document | {"covers": tuple(document.get("covers", ()))})
    return item


def _pin(document: Json) -> HistoryPin:
    pin: HistoryPin = _made(HistoryPin, document | {"kind": PinKind(document["kind"])})
    return pin


_READERS: dict[str, Callable[[Any], Any]] = {
    "format": Format,
    "glue": lambda value: _made(Glue, value),
    "messages": lambda value: tuple(_made(Entry, one) for one in value),
    "items": lambda value: tuple(map(_item, value)),
    "pins": lambda value: tuple(map(_pin, value)),
}
