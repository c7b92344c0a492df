"""How agents count tokens without a tokeniser.

Each is a weight a character: a quarter for what is read as English, more for other scripts. They are
counters like the reader's own, so a policy's limits can be counted by the ruler that its agent uses.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from elision.compaction.policies.timing import Measure
from elision.compaction.types import TokenCounter
from elision.model.types import IntArray

_ASCII, _OTHER = 0.25, 1.5  # Gemini CLI's tokens a character
_WEIGHED_UP_TO = 100_000  # characters; it takes a quarter of a longer text, whatever the script


@dataclass(frozen=True, slots=True)
class Estimator:
    """A counter by rule; it never is the reader's own.

    Attributes:
        encoding: How policies call the rule.
        weigh: Tokens of a text, not rounded.
    """

    encoding: str
    weigh: Callable[[str], float]
    exact: bool = False

    def count(self, text: str) -> int:
        """Number of tokens of ``text``, rounded up."""
        return _whole(self.weigh(text))

    def prefix(self, text: str) -> IntArray:
        """Tokens that start before each character: shape ``(len(text) + 1,)``, rising from 0."""
        each = np.fromiter(map(self.weigh, text), dtype=np.float64, count=len(text))
        whole = float(each.sum())
        each *= self.weigh(text) / whole if whole else 1.0
        return np.ceil(np.concatenate([[0.0], np.cumsum(each)]) - 1e-6).astype(np.int64)


def ruler(measure: Measure, counter: TokenCounter) -> TokenCounter:
    """What a policy counts texts by: the reader's tokeniser, or its agent's rule.

    Args:
        counter: The reader's.
    """
    return RULES.get(measure.estimator, counter)


def _quarter(text: str) -> float:
    return len(text) / 4


def _bytes(text: str) -> float:
    return len(text.encode("utf-8", "surrogatepass")) / 4


def _by_script(text: str) -> float:
    if len(text) > _WEIGHED_UP_TO:
        return _quarter(text)
    plain = len(text.encode("ascii", "ignore"))
    return _ASCII * plain + _OTHER * (len(text) - plain)


def _whole(tokens: float) -> int:
    return -int(-tokens // 1)


RULES: Mapping[str, TokenCounter] = {
    "chars4": Estimator("chars4", _quarter),
    "bytes4": Estimator("bytes4", _bytes),
    "script_weighted": Estimator("script_weighted", _by_script),
}
"""The rules by their names."""
