"""Rankings that need no model: what the classifier has to beat.

Each one values the lines or sentences of a text, the way a good afternoon's rule would. They
are measured by the same figures and cut by the same hand as ours, so they are made as strong
as a rule of their kind gets: variants were compared on the train labels, never on dev.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import regex

from elision.compaction.relevance import bm25, terms
from elision.model.types import Span
from elision.training.evaluation.metrics import Values

Ranker = Callable[[str, Sequence[Span], str], Values]
"""Text, its lines or sentences, query -> value of each, shape ``(n_spans,)``; ties by position."""

# Most telling first; a line takes the value of the first that matches.
_RULES: tuple[tuple[float, regex.Pattern[str]], ...] = tuple(
    (value, regex.compile(pattern))
    for value, pattern in (
        # "0 errors", "no failures": a summary, not an error
        (3.0, r"(?i)\b(?:no|0|zero) (?:error|failure|warning|problem|issue)s?\b"),
        (5.0, r"\b\w*(?:Error|Exception|Failure)\b(?=:|$)|(?i:\btraceback\b|\bpanic(?:ked)?\b|\bsegfault\b|\bfatal\b)"),
        (5.0, r"(?i)\b(?:error|err!|errors|failed|failure|failing|fail|exception|assert\w*)\b|[✗✘✖×❌]|^E  "),
        (4.0, r"(?i)\b(?:cannot|can't|could not|couldn't|unable to|not found|no such|denied|refused|invalid|"
              r"undefined|unexpected|missing|timed? ?out|timeout|killed|aborted|unresolved|conflict|oom\w*|"
              r"unauthorized|forbidden|crash\w*|violat\w+|exceed\w*|mismatch|does not exist|not supported)\b"),
        (3.0, r"(?i)\bexit(?:ed)?(?: with)?(?: code| status)?:? ?\d+|\b\d+ (?:passed|failed|errors?|warnings?|tests?)\b"),
        (2.0, r"(?i)\b(?:warn(?:ing)?|deprecat\w+|retry\w*|must|important|critical|severe)\b|⚠"),
        (1.0, r"\b[\w./\\-]+\.\w{1,5}[:(]\d+|^\s*(?:def|class|func|function|export|interface|type|fn|pub) "),
    )
)  # fmt: skip


def baselines(texts: Sequence[str]) -> dict[str, Ranker]:
    """Every baseline by its name in reports.

    Args:
        texts: The texts that will be ranked; document frequencies are counted over them.
    """
    return {
        "random": random_order,
        "head_tail": head_tail,
        "length": length,
        "tfidf": Tfidf(texts),
        "bm25": bm25,
        "error_keyword": error_keyword,
    }


def random_order(text: str, spans: Sequence[Span], query: str) -> Values:
    """Chance, the same for the same text."""
    seed = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(int.from_bytes(seed[:8], "big")).random(len(spans))


def head_tail(text: str, spans: Sequence[Span], query: str) -> Values:
    """Nearest to either end first, the head before the tail: what most agents do today."""
    places = np.arange(len(spans), dtype=np.float64)
    ends: Values = -np.minimum(places, len(spans) - 1 - places)
    return ends


def length(text: str, spans: Sequence[Span], query: str) -> Values:
    """Longest first, white space apart."""
    return np.array([len("".join(span.of(text).split())) for span in spans], dtype=np.float64)


class Tfidf:
    """Rare terms of the collection first: the summed inverse document frequency of a line's terms."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = max(1, len(texts))
        self.frequency = Counter(term for text in texts for term in set(terms(text)))

    def __call__(self, text: str, spans: Sequence[Span], query: str) -> Values:
        counts = [Counter(terms(span.of(text))) for span in spans]
        return np.array(
            [sum(self._weight(t, n) for t, n in count.items()) for count in counts], dtype=np.float64
        )

    def _weight(self, term: str, count: int) -> float:
        return (1 + math.log(count)) * math.log((1 + self.texts) / (1 + self.frequency[term]))


def error_keyword(text: str, spans: Sequence[Span], query: str) -> Values:
    """Errors, then complaints, totals, warnings, places in files; a hit's neighbours share in it."""
    own = np.array([_rule(span.of(text)) for span in spans], dtype=np.float64)
    shared = own.copy()
    # What an error is about stands just after it more often than before.
    for distance, part in ((1, 0.5), (2, 0.25)):
        shared[distance:] = np.maximum(shared[distance:], part * own[:-distance])
    shared[:-1] = np.maximum(shared[:-1], 0.4 * own[1:])
    return shared


def _rule(line: str) -> float:
    return next((value for value, pattern in _RULES if pattern.search(line)), 0.0)
