"""What an agent did after a message, as a table of what it wrote again: key -> strength.

Nearer uses count more, arguments of calls more than talk (an argument was needed, a word in
passing may be chance), and the last message of a session counts as near: it is the answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from elision.training.labels.terms import key_set
from elision.training.transcripts.outputs import call_text, calls_of, text_of

HORIZON = 40  # assistant messages looked ahead (6 loses .025 of line_auc_ge2 on judged train chunks)
DECAY = 0.88  # per assistant message
TALK = 0.7  # strength of what is only said, an argument's is 1
_EDIT = regex.compile(r"(?i)edit|write|patch|replace|insert|create_file|undo")
_EDIT_COMMAND = regex.compile(r"apply_patch|sed -i|\*\*\* (?:Update|Add) File|cat > |str_replace")
_LINE = 12  # characters of a line that is found again as a whole
_CLIP = 20_000  # characters of one argument or text that are read


@dataclass(frozen=True, slots=True)
class Said:
    """What one assistant message holds."""

    talk: frozenset[str]
    arguments: frozenset[str]
    lines: frozenset[str]
    edits: bool

    @property
    def says(self) -> bool:
        """Whether it says anything."""
        return bool(self.talk or self.arguments)


@dataclass(slots=True)
class Later:
    """Strength in [0, 1] of every key and whole line that the agent wrote after a message."""

    keys: dict[str, float] = field(default_factory=dict)
    lines: dict[str, float] = field(default_factory=dict)
    edits: bool = False


def said_by(message: Mapping[str, Any]) -> Said:
    """Keys and lines of an assistant message; of other roles nothing."""
    if message["role"] != "assistant":
        return Said(frozenset(), frozenset(), frozenset(), False)
    talk = text_of(message)[:_CLIP]
    calls = [call_text(call)[:_CLIP] for call in calls_of(message)]
    lines = (line.strip() for text in (talk, *calls) for line in text.splitlines())
    whole = frozenset(line for line in lines if len(line) >= _LINE)
    return Said(key_set(talk), key_set("\n".join(calls)), whole, any(map(_edits, calls_of(message))))


def later(after: Sequence[Said]) -> Later:
    """Sum up the assistant messages that come after a text, in order."""
    found = Later(edits=any(one.edits for one in after[:HORIZON]))
    near = list(enumerate(after[:HORIZON]))
    if len(after) > HORIZON:
        near.append((2, after[-1]))
    for distance, one in near:
        strength = DECAY**distance
        for keys, share in ((one.arguments, 1.0), (one.talk, TALK)):
            for key in keys:
                found.keys[key] = max(found.keys.get(key, 0.0), share * strength)
        for line in one.lines:
            found.lines[line] = max(found.lines.get(line, 0.0), strength)
    return found


def _edits(call: Mapping[str, Any]) -> bool:
    """Whether a call changes a file, by the names that the known agents give such tools."""
    function = call["function"]
    return bool(_EDIT.search(function["name"]) or _EDIT_COMMAND.search(function["arguments"][:_CLIP]))
