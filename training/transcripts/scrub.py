"""Replace secrets and personal data by fakes of the same shape, in every string of every session.

A string is searched as it is spelled and with its escapes undone, level by level (see `spellings`), so
that an address written as ``ann\\u0040corp.com`` or ``ann%40corp.com`` is found, and both get the fake
that the plain one has. Only letters and digits are replaced, where they stand: JSON stays JSON.
User names are learnt from the home paths of the whole import first, secrets from what labels them or from
their shape, so that both are known where nothing tells them.
"""

import json
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from elision.compaction.raw_json import replaced
from elision.model.types import Span
from elision.training.transcripts.fakes import Fakes
from elision.training.transcripts.personal import (
    ADDRESS,
    EMAIL,
    Find,
    find_addresses,
    find_emails,
    find_homes,
    find_known_secrets,
    find_names,
    find_phones,
    find_secret_values,
    known_names,
    known_secrets,
    secret_values,
)
from elision.training.transcripts.spellings import Reading, readings, units
from elision.training.transcripts.types import Transcript

_REMEMBERED = 4096  # logs send the same messages again and again


class Scrubber:
    """Scrubs the sessions of one import alike.

    Args:
        transcripts: All sessions, whose home paths tell the user names, and whose labels the secrets.
        more: Further strings with such, such as file names.
        key: For tests; see `Fakes`.

    Attributes:
        counts: How many of each kind were replaced, once for every place. Never what they were.
    """

    def __init__(self, transcripts: Iterable[Transcript], more: Iterable[str] = (), key: bytes | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._fakes = Fakes(key)
        names: set[str] = set()
        secrets: set[str] = set()
        for text in _all_strings(transcripts, more):
            for reading in readings(text):
                names.update(_names(reading.text))
                secrets.update(_secrets(reading.text))
        self._known = known_names(sorted(names))
        self._secrets = known_secrets(secrets)
        self._scrubbed = lru_cache(_REMEMBERED)(self._text)

    def scrub(self, transcript: Transcript) -> Transcript:
        """The session with every string of it scrubbed."""
        values = {each.name: self.value(getattr(transcript, each.name)) for each in fields(transcript)}
        return replace(transcript, **values)

    def value(self, value: Any) -> Any:
        """A JSON value with every string of it scrubbed, keys too; tuples stay tuples."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.value(key): self.value(member) for key, member in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.value(element) for element in value)
        return value

    def text(self, text: str) -> str:
        """One string; if it was JSON it still is."""
        scrubbed, counts = self._scrubbed(text)
        self.counts.update(dict(counts))
        if scrubbed != text and text.lstrip().startswith(("{", "[", '"')) and not _is_json(scrubbed) and _is_json(text):
            # A letter that was part of a bare value, as in 1e9.
            return json.dumps(self.value(json.loads(text)), ensure_ascii=False)
        return scrubbed

    def _text(self, text: str) -> tuple[str, tuple[tuple[str, int], ...]]:
        counts: Counter[str] = Counter()
        taken = _Taken()
        edits: list[tuple[int, int, str]] = []
        for reading in reversed(readings(text)):
            escapes = list(units(reading.text))
            for find in self._found(reading.text):
                clipped = find if find.after_separator else _clipped(find, escapes)
                new = taken.add(reading.place(clipped.start), reading.place(clipped.stop))
                counts[find.kind] += bool(new)
                for start, stop in new:
                    edits += self._edits(text, reading, clipped, escapes, start, stop)
        return replaced(text, ((Span(start, stop), fake) for start, stop, fake in edits)), tuple(counts.items())

    def _found(self, text: str) -> Iterator[Find]:
        yield from find_known_secrets(text, self._secrets)  # first: with a label more may be taken for the secret
        yield from find_secret_values(text)
        yield from find_emails(text)
        yield from find_names(text, self._known)  # first: of -Users-ann-lee-src only it knows where the name ends
        yield from find_homes(text)
        yield from find_addresses(text)
        yield from find_phones(text)

    def _edits(
        self, text: str, reading: Reading, find: Find, escapes: list[tuple[int, int, str]], start: int, stop: int
    ) -> Iterator[tuple[int, int, str]]:
        """What to write for the letters and digits of a find that stand in a stretch of the source."""
        chars = list(_characters(reading.text, find, escapes))
        said = "".join(char for _, _, char in chars)
        make = self._fakes.of_address if find.kind == ADDRESS else self._fakes.of
        fake = make(said) if find.kind != EMAIL else _with_ending(said, make)
        for (at, end, char), new in zip(chars, fake, strict=True):
            place, after = reading.place(at), reading.place(end)
            if new != char and start <= place and after <= stop:
                yield place, after, new


class _Taken:
    """The stretches of the source that are dealt with, not overlapping."""

    def __init__(self) -> None:
        self._stretches: list[tuple[int, int]] = []

    def add(self, start: int, stop: int) -> list[tuple[int, int]]:
        """The parts of a stretch that were free; they are taken now."""
        free, at = [], start
        for index in range(max(0, bisect_right(self._stretches, (start, start)) - 1), len(self._stretches)):
            taken_start, taken_stop = self._stretches[index]
            if taken_start >= stop:
                break
            if taken_start > at:
                free.append((at, taken_start))
            at = max(at, taken_stop)
        if at < stop:
            free.append((at, stop))
        for stretch in free:
            insort(self._stretches, stretch)
        return free


def _clipped(find: Find, escapes: list[tuple[int, int, str]]) -> Find:
    """Without the rest of an escape that it begins or ends within: the n of a line end before a name."""
    start, stop = find.start, find.stop
    at = bisect_right(escapes, (start,)) - 1
    if at >= 0 and escapes[at][0] < start < escapes[at][1]:
        start = escapes[at][1]
    at = bisect_right(escapes, (stop,)) - 1
    if at >= 0 and escapes[at][0] < stop < escapes[at][1]:
        stop = escapes[at][0]
    return Find(start, max(start, stop), find.kind)


def _characters(text: str, find: Find, escapes: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """The characters of a find, an escape as the one it says; each with where it begins and ends."""
    at = find.start
    index = bisect_right(escapes, (at,))
    while at < find.stop:
        if index < len(escapes) and escapes[index][0] == at and escapes[index][1] <= find.stop and len(escapes[index][2]) == 1:
            yield escapes[index]
            at, index = escapes[index][1], index + 1
        else:
            yield at, at + 1, text[at]
            at += 1
            index += index < len(escapes) and escapes[index][0] < at


def _with_ending(said: str, make: Callable[[str], str]) -> str:
    """An address keeps its last label, so that it still looks like one."""
    body, dot, ending = said.rpartition(".")
    return make(body) + dot + ending


def _names(text: str) -> Iterator[str]:
    return (text[find.start : find.stop] for find in find_homes(text))


def _secrets(text: str) -> Iterator[str]:
    """The secrets of a text, as they are spelled in it and with their escapes undone."""
    return (reading.text for value in secret_values(text) for reading in readings(value))


def _all_strings(transcripts: Iterable[Transcript], more: Iterable[str]) -> Iterator[str]:
    seen: set[int] = set()
    for text in (*more, *(text for one in transcripts for each in fields(one) for text in _strings(getattr(one, each.name)))):
        if hash(text) not in seen:
            seen.add(hash(text))
            yield text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _strings(member)
    elif isinstance(value, list | tuple):
        for element in value:
            yield from _strings(element)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
