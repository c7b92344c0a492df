"""What the lines of a session's texts were used for, chunk by chunk.

A line of a tool output, or of what the agent said, is worth what the agent wrote again of it: rare terms
more than common ones, terms that were not known before more than those that were, soon more than late, a
whole line (an edit's old text) most; errors that an edit followed count as used.
"""

import math
import random
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from elision.compaction.logs.levels import tells_error
from elision.model.types import Span
from elision.training.labels.chunks import Chunk, chunks, context, context_end
from elision.training.labels.later import HORIZON, Later, Said, Uses, said_by
from elision.training.labels.rows import HINDSIGHT, JudgedLine, LabelRow
from elision.training.labels.terms import Rarity, Term, key_set, keys, line_counts, terms
from elision.training.transcripts.outputs import call_of, call_text, calls_of, said_before, task_of, text_of
from elision.training.transcripts.types import Json, Transcript

# Chosen by how well evidence ranks the lines of 452 judged train chunks (line_auc_ge2 .722):
KNOWN = 0.6  # what a use counts for if the term was known before (0 loses .14, 1 loses nothing)
PART = 0.5  # what a part of a term counts for
RARE = 2  # power of a term's rarity (1 loses .003, 1/2 loses .011)
UNUSED = 0.05  # what a term counts for that was not used, but might have been (0 loses .03, 0.2 loses .006)
WHOLE = 1.0  # evidence of a line that was written again as a whole
FIXED = 0.3  # evidence of an error that an edit followed
_SHORTEST = 200  # characters of a text that is looked at
_FEWEST = 3  # lines of a chunk that can be ranked


@dataclass(frozen=True, slots=True)
class Settings:
    """What is looked at, and how far ahead.

    Attributes:
        per_session: Texts of one session that are looked at, drawn by the seed; a long session does not
            crowd out others.
        per_text: Chunks of one text.
        per_source: Chunks of one source.
        horizon: Assistant messages looked ahead. A short one asks what was needed next, a long one what
            was worth knowing.
        known: What a use counts for if the term was known before, in [0, 1].
        seed: Of the draw.
    """

    per_session: int = 1000
    per_text: int = 2
    per_source: int = 1_000_000
    horizon: int = HORIZON
    known: float = KNOWN
    seed: int = 13


@dataclass(frozen=True, slots=True)
class Evidence:
    """A chunk with what its lines were used for, not yet on the scale of values.

    Attributes:
        row: The chunk; its levels are still to be filled in.
        sizes: Characters of each line.
        amounts: Evidence for each line.
        used: The terms of each line that were used.
        touched: Whether anything of the chunk was used: a term, a whole line, an error.
    """

    row: LabelRow
    sizes: tuple[int, ...]
    amounts: tuple[float, ...]
    used: tuple[tuple[Span, ...], ...]
    touched: bool


@dataclass(frozen=True, slots=True)
class _Reader:
    """What the worth of a text's terms depends on."""

    after: Later
    known: AbstractSet[str]
    known_share: float
    rarity: Rarity
    spread: Counter[str]


def of_session(transcript: Transcript, rarity: Rarity, settings: Settings = Settings()) -> Iterator[Evidence]:
    """Evidence for chunks of the texts of a session after which the agent went on."""
    rng = random.Random(f"{settings.seed}/{transcript.id}")
    messages, task = transcript.messages, task_of(transcript.messages)
    said = [said_by(message) for message in messages]
    if transcript.answer:
        said.append(said_by({"role": "assistant", "content": transcript.answer}))
    last = max((index for index, one in enumerate(said) if one.says), default=0)
    places = [index for index, message in enumerate(messages[:last]) if _is_looked_at(message)]
    drawn = set(rng.sample(places, min(len(places), settings.per_session)))
    uses, spoken = Uses(said), 0
    known: set[str] = set()
    for index, message in enumerate(messages):
        spoken += said[index].says
        spread: Counter[str] = Counter()
        if index in drawn:
            text = text_of(message)
            parts = [chunk for chunk in chunks(text) if len(chunk.lines) >= _FEWEST]
            spread = line_counts(text)
            reader = _Reader(Later(uses, spoken, settings.horizon), known, settings.known, rarity, spread)
            for chunk in rng.sample(parts, min(len(parts), settings.per_text)):
                yield _evidence(_row(transcript, index, chunk, task), chunk, reader)
        known |= _keys_of(message, said[index], spread)


def _keys_of(message: Json, said: Said, spread: Counter[str]) -> AbstractSet[str]:
    """All keys of a message, read anew only where nobody has read all of it."""
    if said.whole:
        return said.talk | said.arguments
    return (spread.keys() or key_set(text_of(message))) | key_set("\n".join(map(call_text, calls_of(message))))


def _is_looked_at(message: Json) -> bool:
    return message["role"] in ("tool", "assistant") and len(text_of(message)) >= _SHORTEST


def _row(transcript: Transcript, index: int, chunk: Chunk, task: str) -> LabelRow:
    messages = transcript.messages
    is_output = messages[index]["role"] == "tool"
    return LabelRow(
        id=f"{transcript.id}#{index}+{chunk.span.start}",
        kind="tool" if is_output else "assistant",
        unit=chunk.unit,
        source=transcript.source,
        doc=transcript.id,
        task=context(task),
        call=context(call_of(messages, index)) if is_output else "",
        before=context_end(said_before(messages, index)) if is_output else "",
        text=chunk.span.of(text_of(messages[index])),
        lines=tuple(JudgedLine(span.start, span.stop, 0) for span in chunk.lines),
        origin=HINDSIGHT,
        licence=transcript.licence,
    )


def _evidence(row: LabelRow, chunk: Chunk, reader: _Reader) -> Evidence:
    amounts: list[float] = []
    used: list[tuple[Span, ...]] = []
    touched = False
    for line in chunk.lines:
        amount, might, spans = _of_line(row.text, line, reader)
        amounts.append(amount + UNUSED * might)
        used.append(spans)
        touched = touched or amount > 0
    return Evidence(row, tuple(len(line) for line in chunk.lines), tuple(amounts), tuple(used), touched)


def _of_line(text: str, line: Span, reader: _Reader) -> tuple[float, float, tuple[Span, ...]]:
    """What a line was used for, what it might have been, and the terms of it that were used."""
    seen: set[str] = set()
    uses = [(term.span, *_use(term, reader, seen)) for term in terms(text, line.start, line.stop)]
    amount = sum(used for _, used, _ in uses)
    shown = line.of(text).strip()
    amount += WHOLE * reader.after.line(shown)
    if reader.after.edits() and tells_error(shown):
        amount += FIXED
    return amount, sum(might for _, _, might in uses), tuple(span for span, used, _ in uses if used)


def _use(term: Term, reader: _Reader, seen: set[str]) -> tuple[float, float]:
    """The best use of a term or of one of its parts, and the best there might have been.

    What stands in many lines tells little of each.
    """
    best = might = 0.0
    for key in keys(term.whole):
        if key in seen:
            continue
        seen.add(key)
        telling = reader.rarity(key) ** RARE / (1 + math.log(max(1, reader.spread[key])))
        telling *= PART if key != term.whole.lower() else 1.0
        might = max(might, telling)
        best = max(best, reader.after.key(key) * (reader.known_share if key in reader.known else 1.0) * telling)
    return best, might
