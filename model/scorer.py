"""The scorer everyone else is handed: a bundle, its tokeniser and a runner behind one call."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from elision.model.bundle import MODEL, TOKENIZER, Bundle, load_bundle
from elision.model.query import QUERY_PIECES
from elision.model.runner import OnnxRunner, Runner
from elision.model.tokeniser import PieceTokeniser
from elision.model.types import FloatArray, Scores, nothing
from elision.model.windows import Window, capacity, windows, with_query


class WindowScorer:
    """Scores texts window by window; see `elision.model.types.Scorer`.

    Args:
        bundle: Checked bundle; gives the window length and the identity.
        tokeniser: Its tokeniser.
        runner: What computes a window.
        pool: Where windows of one text may run side by side; without one they run in turn.
    """

    def __init__(self, bundle: Bundle, tokeniser: PieceTokeniser, runner: Runner, pool: Executor | None = None) -> None:
        self.bundle = bundle.identity
        self.runner = runner.name
        self._room = capacity(bundle.window_pieces)
        self._tokeniser, self._runner, self._pool = tokeniser, runner, pool

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        """See `elision.model.types.Scorer`."""
        asked = self._tokeniser.query(query, QUERY_PIECES)
        starts: list[np.ndarray] = []
        stops: list[np.ndarray] = []
        values: list[FloatArray] = []
        for window in self.windows(text):
            tick()
            first, last = np.array(window.starts, dtype=np.int64), np.array(window.stops, dtype=np.int64)
            found = self._runner.run(with_query(asked, window, self._tokeniser))[-len(window.ids) :]
            real = last > first
            starts.append(first[real])
            stops.append(last[real])
            values.append(found[real])
        if not values:
            return Scores(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
        return Scores(np.concatenate(starts), np.concatenate(stops), np.concatenate(values))

    def windows(self, text: str) -> Iterator[Window]:
        """The windows of ``text``, which do not depend on anything else."""
        return windows(self._tokeniser.lines(text), self._room, self._tokeniser.eos)


def load_scorer(path: Path | None = None) -> WindowScorer:
    """The scorer of the bundle at ``path``, or of the bundle in use.

    Raises:
        BundleError: If the bundle is missing, incomplete or corrupt.
    """
    bundle = load_bundle(path)
    tokeniser = PieceTokeniser.load(bundle.path / TOKENIZER)
    return WindowScorer(bundle, tokeniser, OnnxRunner(bundle.path / MODEL, bundle.labels))
