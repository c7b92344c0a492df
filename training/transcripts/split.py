"""Part sessions into what is learnt from and what is measured, so that nothing is in both.

Sessions of one task stay together, and so do sessions that hold the same long tool output: whoever was
trained on it knows it. Groups of sessions, not sessions, are then drawn for dev.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from elision.training.transcripts.types import Transcript

LONG = 300  # characters; shorter outputs, such as "ok", are the same everywhere
_SLACK = 1.5  # a group may exceed what dev lacks by this much
_MUCH = 2  # times the share: told if dev holds more


def split(transcripts: Sequence[Transcript], dev_share: float, seed: int = 0) -> list[Transcript]:
    """The transcripts in order, each with its split.

    Args:
        transcripts: With their tasks; those without one are tasks of their own.
        dev_share: Share of the messages that dev should have, from 0 to below 1. What it gets depends on
            how the sessions hang together: if all do, dev stays empty, and with few groups it gets the smallest,
            however large that is; see `shares_warning`.
        seed: Draws the groups.
    """
    groups = _groups(transcripts)
    dev = _drawn(groups, [len(one.messages) for one in transcripts], dev_share, seed, transcripts)
    return [replace(one, split="dev" if index in dev else "train") for index, one in enumerate(transcripts)]


def shares_warning(messages: Mapping[str, int], dev_share: float) -> str:
    """What to tell whoever asked for a share and got more than twice as much held out; else nothing.

    Args:
        messages: How many each split has.
        dev_share: What was asked for.
    """
    held = messages["dev"] / max(1, sum(messages.values()))
    if held <= _MUCH * dev_share:
        return ""
    return (
        f"dev holds {held:.0%} of the messages, asked for were {100 * dev_share:.3g}%: "
        "sessions of one task or with the same long output stay together, and there are few such groups"
    )


def _groups(transcripts: Sequence[Transcript]) -> list[list[int]]:
    """Indices of the sessions that must stay together."""
    parents = list(range(len(transcripts)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = index = parents[parents[index]]
        return index

    first: dict[bytes, int] = {}
    for index, transcript in enumerate(transcripts):
        for tie in _ties(transcript):
            parents[root(index)] = root(first.setdefault(tie, index))
    found: defaultdict[int, list[int]] = defaultdict(list)
    for index in range(len(transcripts)):
        found[root(index)].append(index)
    return list(found.values())


def _ties(transcript: Transcript) -> Iterator[bytes]:
    if transcript.task:
        yield hashlib.sha256(b"task " + transcript.task.encode()).digest()
    for message in transcript.messages:
        text = (message.get("content") or "").strip()
        if message["role"] == "tool" and len(text) > LONG:
            yield hashlib.sha256(b"output " + text.encode()).digest()


def _drawn(
    groups: list[list[int]], sizes: list[int], share: float, seed: int, transcripts: Sequence[Transcript]
) -> set[int]:
    """Indices of the sessions that go to dev."""

    def size(group: list[int]) -> int:
        return sum(sizes[index] for index in group)

    def lot(group: list[int]) -> bytes:
        return hashlib.sha256(f"{seed} {min(transcripts[index].id for index in group)}".encode()).digest()

    dev: set[int] = set()
    lacking = share * sum(sizes)
    if lacking <= 0 or len(groups) < 2:
        return dev
    for group in sorted(groups, key=lot):
        if size(group) <= lacking * _SLACK and len(dev) + len(group) < len(sizes):
            dev.update(group)
            lacking -= size(group)
    return dev or set(sorted(groups, key=lambda group: (size(group), lot(group)))[0])
