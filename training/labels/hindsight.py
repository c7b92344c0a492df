"""Labels from hindsight: what a text was later used for is what it was worth.

No LLM judges anything. Evidence of use (`elision.training.labels.evidence`) becomes a value by its rank,
so that values lie where judged levels do: about a quarter of the characters at each. A text that was never
touched again is worth little.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from elision.training.labels.evidence import Evidence, Settings, of_session
from elision.training.labels.rows import VALUES, JudgedLine, LabelRow
from elision.training.labels.terms import Rarity, key_set
from elision.training.transcripts.files import read_transcripts, transcript_files
from elision.training.transcripts.outputs import text_of

RELATIVE = 0.6  # share of a value that is the rank among the lines of its own chunk
NEVER = 0.05  # value of a line in a text of which nothing was used
_SHARES, _WORTH = (0.0, 0.25, 0.5, 0.75, 1.0), (0.02, 0.18, 0.46, 0.72, 0.95)


def label_transcripts(paths: Iterable[Path], settings: Settings = Settings()) -> list[LabelRow]:
    """Label chunks of the tool outputs and talk of recorded sessions, in the order of the sessions.

    Args:
        paths: Transcript files, or folders of them; read twice.
        settings: How many chunks of what, and how far ahead is looked.

    Raises:
        BadTranscript: If a file breaks the schema.
    """
    files = [file for path in paths for file in transcript_files(path)]
    rarity = Rarity(_outputs(files))
    sessions = (transcript for file in files for transcript in read_transcripts(file))
    found = [one for transcript in sessions for one in of_session(transcript, rarity, settings)]
    return valued(_sampled(found, settings))


def valued(found: Sequence[Evidence]) -> list[LabelRow]:
    """Turn evidence into values by its rank, among the characters of all lines and of those of its chunk."""
    scale = _scale([amount for one in found for amount in one.amounts], [size for one in found for size in one.sizes])
    return [replace(one.row, lines=tuple(_lines(one, scale))) for one in found]


def _outputs(files: Iterable[Path]) -> Iterator[frozenset[str]]:
    """Keys of each tool output: in how many of them a key stands says how rare it is."""
    for file in files:
        for transcript in read_transcripts(file):
            yield from (key_set(text_of(m)) for m in transcript.messages if m["role"] == "tool")


def _sampled(found: Sequence[Evidence], settings: Settings) -> list[Evidence]:
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
        return float(np.interp(np.interp(amount, levels, middle), _SHARES, _WORTH))

    return value


def _lines(one: Evidence, scale: Callable[[float], float]) -> Iterator[JudgedLine]:
    own = _scale(one.amounts, one.sizes)
    for line, amount, used in zip(one.row.lines, one.amounts, one.used, strict=True):
        value = RELATIVE * own(amount) + (1 - RELATIVE) * scale(amount) if one.touched else NEVER
        level = int(np.argmin([abs(value - level) for level in VALUES]))
        yield JudgedLine(line.start, line.end, level, used if used and level else None, value)
