"""Labels from hindsight: what a text was later used for is what it was worth.

No LLM judges anything. A line of a tool output (or of what the agent said) is worth what the agent
wrote again of it, in its talk and in the arguments of its calls: rare terms more than common ones,
terms that were not known before more than those that were, soon more than late, a whole line (an
edit's old text) most; errors that an edit followed count as used. A text that was never touched
again is worth little. Evidence becomes a value by its rank, so that values lie where judged levels
do: about a quarter of the characters at each.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from elision.compaction.logs.levels import tells_error
from elision.model.types import Span
from elision.training.labels.chunks import Chunk, chunks, context, context_end
from elision.training.labels.later import Later, Said, Uses, said_by
from elision.training.labels.rows import HINDSIGHT, JudgedLine, LabelRow
from elision.training.labels.terms import Rarity, Term, key_set, keys, line_counts, terms
from elision.training.transcripts.files import read_transcripts, transcript_files
from elision.training.transcripts.outputs import call_of, call_text, calls_of, said_before, task_of, text_of
from elision.training.transcripts.types import Json, Transcript

# Chosen by how well evidence ranks the lines of 452 judged train chunks (line_auc_ge2 .722):
KNOWN = 0.6  # what a use counts for if the term was known before (0 loses .14, 1 loses nothing)
PART = 0.5  # what a part of a term counts for
RARE = 2  # power of a term's rarity (1 loses .003, 1/2 loses .011)
UNUSED = 0.05  # what a term counts for that was not used, but might have been (0 loses .03, 0.2 loses .006)
WHOLE = 1.0  # evidence of a line that was written again as a whole
FIXED = 0.3  # evidence of an error that an edit followed
RELATIVE = 0.6  # share of a value that is the rank among the lines of its own chunk
NEVER = 0.05  # value of a line in a text of which nothing was used
LEVELS = (0.02, 0.33, 0.60, 0.85)  # the judged levels' targets
_QUANTILES, _VALUES = (0.0, 0.25, 0.5, 0.75, 1.0), (0.02, 0.18, 0.46, 0.72, 0.95)
_SHORTEST = 200  # characters of a text that is labelled
_FEWEST = 3  # lines of a chunk that can be ranked


@dataclass(frozen=True, slots=True)
class Settings:
    """How many chunks are taken.

    Attributes:
        per_session: Texts of one session that are labelled, drawn by the seed; a long session does not
            crowd out others.
        per_text: Chunks of one text.
        per_source: Chunks of one source.
        seed: Of the draw.
    """

    per_session: int = 1000
    per_text: int = 2
    per_source: int = 1_000_000
    seed: int = 13


@dataclass(frozen=True, slots=True)
class _Evidence:
    """A chunk with what its lines were used for, not yet on the scale of values.

    Attributes:
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


def label_transcripts(paths: Iterable[Path], settings: Settings = Settings()) -> list[LabelRow]:
    """Label chunks of the tool outputs and talk of recorded sessions, in the order of the sessions.

    Args:
        paths: Transcript files, or folders of them; read twice.
        settings: How many chunks of what.

    Raises:
        BadTranscript: If a file breaks the schema.
    """
    files = [file for path in paths for file in transcript_files(path)]
    rarity = Rarity(_texts(files))
    found = [one for file in files for one in _of_file(file, rarity, settings)]
    return valued(_sampled(found, settings))


def valued(found: Sequence[_Evidence]) -> list[LabelRow]:
    """Turn evidence into values by its rank, among the characters of all lines and of those of its chunk."""
    scale = _scale([amount for one in found for amount in one.amounts], [size for one in found for size in one.sizes])
    return [replace(one.row, lines=tuple(_lines(one, scale))) for one in found]


def _texts(files: Iterable[Path]) -> Iterator[frozenset[str]]:
    for file in files:
        for transcript in read_transcripts(file):
            yield from (key_set(text_of(m)) for m in transcript.messages if m["role"] == "tool")


def _of_file(file: Path, rarity: Rarity, settings: Settings) -> Iterator[_Evidence]:
    for transcript in read_transcripts(file):
        yield from of_session(transcript, rarity, settings)


def of_session(transcript: Transcript, rarity: Rarity, settings: Settings = Settings()) -> Iterator[_Evidence]:
    """Evidence for chunks of the texts of a session after which the agent went on."""
    rng = random.Random(f"{settings.seed}/{transcript.id}")
    messages, task = transcript.messages, task_of(transcript.messages)
    said = [said_by(message) for message in messages]
    if transcript.answer:
        said.append(said_by({"role": "assistant", "content": transcript.answer}))
    last = max((index for index, one in enumerate(said) if one.says), default=0)
    places = [index for index, message in enumerate(messages[:last]) if _is_labelled(message)]
    drawn = set(rng.sample(places, min(len(places), settings.per_session)))
    uses, spoken = Uses(said), 0
    known: set[str] = set()
    for index, message in enumerate(messages):
        spoken += said[index].says
        spread: Counter[str] = Counter()
        if index in drawn:
            text = text_of(message)
            parts = [chunk for chunk in chunks(text) if len(chunk.lines) >= _FEWEST]
            spread, after = line_counts(text), Later(uses, spoken)
            for chunk in rng.sample(parts, min(len(parts), settings.per_text)):
                row = _row(transcript, index, chunk, task)
                yield _evidence(row, chunk, after, known, rarity, spread)
        known |= _keys_of(message, said[index], spread)


def _keys_of(message: Json, said: Said, spread: Counter[str]) -> AbstractSet[str]:
    """All keys of a message, read anew only where nobody has read all of it."""
    if said.whole:
        return said.talk | said.arguments
    return (spread.keys() or key_set(text_of(message))) | key_set("\n".join(map(call_text, calls_of(message))))


def _is_labelled(message: Json) -> bool:
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


def _evidence(
    row: LabelRow, chunk: Chunk, after: Later, known: AbstractSet[str], rarity: Rarity, spread: Counter[str]
) -> _Evidence:
    amounts: list[float] = []
    used: list[tuple[Span, ...]] = []
    touched = False
    for line in chunk.lines:
        amount, might, spans = _of_line(row.text, line, after, known, rarity, spread)
        amounts.append(amount + UNUSED * might)
        used.append(spans)
        touched = touched or amount > 0
    return _Evidence(row, tuple(len(line) for line in chunk.lines), tuple(amounts), tuple(used), touched)


def _of_line(
    text: str, line: Span, after: Later, known: AbstractSet[str], rarity: Rarity, spread: Counter[str]
) -> tuple[float, float, tuple[Span, ...]]:
    """What a line was used for, what it might have been, and the terms of it that were used."""
    seen: set[str] = set()
    uses = [(term.span, *_use(term, after, known, rarity, spread, seen)) for term in terms(text, line.start, line.stop)]
    amount = sum(used for _, used, _ in uses)
    shown = line.of(text).strip()
    amount += WHOLE * after.line(shown)
    if after.edits() and tells_error(shown):
        amount += FIXED
    return amount, sum(might for _, _, might in uses), tuple(span for span, used, _ in uses if used)


def _use(
    term: Term, after: Later, known: AbstractSet[str], rarity: Rarity, spread: Counter[str], seen: set[str]
) -> tuple[float, float]:
    """The best use of a term or of one of its parts, and the best there might have been.

    What stands in many lines tells little of each.
    """
    best = might = 0.0
    for key in keys(term.whole):
        if key in seen:
            continue
        seen.add(key)
        telling = rarity(key) ** RARE / (1 + math.log(max(1, spread[key])))
        telling *= PART if key != term.whole.lower() else 1.0
        might = max(might, telling)
        best = max(best, after.key(key) * (KNOWN if key in known else 1.0) * telling)
    return best, might


def _sampled(found: Sequence[_Evidence], settings: Settings) -> list[_Evidence]:
    """At most so many chunks of a source, drawn by the seed; order stays."""
    order = list(range(len(found)))
    random.Random(settings.seed).shuffle(order)
    sources: Counter[str] = Counter()
    kept: list[int] = []
    for number in order:
        source = found[number].row.source
        if sources[source] < settings.per_source:
            sources[source] += 1
            kept.append(number)
    return [found[number] for number in sorted(kept)]


def _scale(given: Sequence[float], lengths: Sequence[int]) -> Callable[[float], float]:
    """From evidence to a value, by the share of the characters that have less of it."""
    amounts, sizes = np.array(given), np.array(lengths)
    order = np.argsort(amounts, kind="stable")
    levels, first = np.unique(amounts[order], return_index=True)
    reached = np.concatenate(([0.0], np.cumsum(sizes[order]))) / max(1, sizes.sum())
    middle = (reached[first] + reached[np.append(first[1:], len(order))]) / 2  # ties share their rank

    def value(amount: float) -> float:
        return float(np.interp(np.interp(amount, levels, middle), _QUANTILES, _VALUES))

    return value


def _lines(one: _Evidence, scale: Callable[[float], float]) -> Iterator[JudgedLine]:
    own = _scale(one.amounts, one.sizes)
    for line, amount, used in zip(one.row.lines, one.amounts, one.used, strict=True):
        value = RELATIVE * own(amount) + (1 - RELATIVE) * scale(amount) if one.touched else NEVER
        level = int(np.argmin([abs(value - level) for level in LEVELS]))
        yield JudgedLine(line.start, line.end, level, used if used and level else None, value)
