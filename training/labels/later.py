"""What an agent wrote after a message, and how strong a sign of use each key and line of it is.

Nearer uses count more, arguments of calls more than talk (an argument was needed, a word in
passing may be chance), and the last message of a session counts as near: it is the answer.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from elision.training.labels.terms import key_set
from elision.training.transcripts.outputs import call_text, calls_of, text_of

HORIZON = 40  # assistant messages looked ahead (6 loses .025 of line_auc_ge2 on judged train chunks)
DECAY = 0.88  # per assistant message
ANSWER = 2  # messages that the last one counts as away, if it is beyond the horizon
TALK = 0.7  # strength of what is only said, an argument's is 1
_EDIT = regex.compile(r"(?i)edit|write|patch|replace|insert|create_file|undo")
_EDIT_COMMAND = regex.compile(r"apply_patch|sed -i|\*\*\* (?:Update|Add) File|cat > |str_replace")
_LINE = 12  # characters of a line that is found again as a whole
_CLIP = 20_000  # characters of one argument or text that are read


@dataclass(frozen=True, slots=True)
class Said:
    """What one assistant message holds.

    Attributes:
        talk: Keys of its text.
        arguments: Keys of its calls.
        lines: Lines of both, long enough to be found again.
        edits: Whether a call changes a file.
        whole: Whether all of it was read.
    """

    talk: frozenset[str]
    arguments: frozenset[str]
    lines: frozenset[str]
    edits: bool
    whole: bool

    @property
    def says(self) -> bool:
        """Whether it says anything."""
        return bool(self.talk or self.arguments)


class Uses:
    """What the agent wrote in a session and when, asked for what came after a message."""

    def __init__(self, said: Iterable[Said]) -> None:
        self.arguments: dict[str, list[int]] = {}
        self.talk: dict[str, list[int]] = {}
        self.lines: dict[str, list[int]] = {}
        self.edits: list[int] = []
        self.count = 0
        for one in said:
            if one.says:
                self._add(one)

    def _add(self, one: Said) -> None:
        for table, found in ((self.arguments, one.arguments), (self.talk, one.talk), (self.lines, one.lines)):
            for key in found:
                table.setdefault(key, []).append(self.count)
        if one.edits:
            self.edits.append(self.count)
        self.count += 1


@dataclass(frozen=True, slots=True)
class Later:
    """What came after the first ``start`` messages that say something, at most ``horizon`` of them."""

    uses: Uses
    start: int
    horizon: int = HORIZON

    def key(self, key: str) -> float:
        """Strength in [0, 1] of a key."""
        return max(self._strength(self.uses.arguments.get(key)), TALK * self._strength(self.uses.talk.get(key)))

    def line(self, line: str) -> float:
        """Strength in [0, 1] of a whole line, without the white space around it."""
        return self._strength(self.uses.lines.get(line))

    def edits(self) -> bool:
        """Whether a file was changed within the horizon."""
        edits = self.uses.edits
        first = bisect_left(edits, self.start)
        return first < len(edits) and edits[first] < self.start + self.horizon

    def _strength(self, places: Sequence[int] | None) -> float:
        first = bisect_left(places, self.start) if places else 0
        if not places or first == len(places):
            return 0.0
        distance, last = places[first] - self.start, self.uses.count - 1
        if last - self.start >= self.horizon >= HORIZON and places[-1] == last:
            distance = min(distance, ANSWER)
        return DECAY**distance if distance < self.horizon else 0.0


def said_by(message: Mapping[str, Any]) -> Said:
    """Keys and lines of an assistant message; of other roles nothing."""
    if message["role"] != "assistant":
        return Said(frozenset(), frozenset(), frozenset(), edits=False, whole=False)
    full = [text_of(message), *map(call_text, calls_of(message))]
    talk, *calls = (text[:_CLIP] for text in full)
    lines = (line.strip() for text in (talk, *calls) for line in text.splitlines())
    return Said(
        talk=key_set(talk),
        arguments=key_set("\n".join(calls)),
        lines=frozenset(line for line in lines if len(line) >= _LINE),
        edits=any(map(_edits, calls_of(message))),
        whole=all(len(text) <= _CLIP for text in full),
    )


def _edits(call: Mapping[str, Any]) -> bool:
    """Whether a call changes a file, by the names that the known agents give such tools."""
    function = call["function"]
    return bool(_EDIT.search(function["name"]) or _EDIT_COMMAND.search(function["arguments"][:_CLIP]))
