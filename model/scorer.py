"""The scorer everyone else is handed: a bundle, its tokeniser and a runner behind one call."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from elision.model.bundle import MODEL, TOKENIZER, Bundle, load_bundle
from elision.model.line_head import LineHead, LineReader, read_weights
from elision.model.runner import OnnxRunner, Runner
from elision.model.tokeniser import PieceTokeniser
from elision.model.types import Scores, nothing
from elision.model.windows import QUERY_PIECES, Window, input_of

NO_SCORES = Scores(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))


class WindowScorer:
    """Scores texts window by window; see `elision.model.types.Scorer`.

    Args:
        bundle: Checked bundle; gives the input, the window length and the identity.
        tokeniser: Its tokeniser.
        runner: What computes a window.
        threads: Windows of one text that run side by side; it changes no bit of the scores.
        head: Its line head, if it has one.

    Attributes:
        input: What the model reads: a bundle of plain input knows no query.
    """

    def __init__(
        self,
        bundle: Bundle,
        tokeniser: PieceTokeniser,
        runner: Runner,
        threads: int = 1,
        head: LineHead | None = None,
    ) -> None:
        self.bundle = bundle.identity
        self.runner = runner.name
        self.input = input_of(bundle.input, tokeniser, bundle.window_pieces)
        self._tokeniser, self._runner, self._head = tokeniser, runner, head
        self._ahead = 2 * threads  # windows in the pool at once: memory stays bounded on any text
        self._pool = ThreadPoolExecutor(threads, "elision-window") if threads > 1 else None

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        """See `elision.model.types.Scorer`."""
        asked = self._tokeniser.query(query, QUERY_PIECES)
        found = [NO_SCORES]
        for scored in self._in_order(partial(self._score, asked), self.windows(text)):
            tick()
            found.append(scored)
        return Scores(
            np.concatenate([scored.starts for scored in found]),
            np.concatenate([scored.stops for scored in found]),
            np.concatenate([scored.values for scored in found]),
        )

    def _score(self, query: list[int], window: Window) -> Scores:
        starts, stops = np.array(window.starts, dtype=np.int64), np.array(window.stops, dtype=np.int64)
        values = self._runner.run(self.input.ids(query, window))[-len(window.ids) :]
        if self._head is not None:
            values = self._head.added(query, window, values)
        text = stops > starts  # borders have no characters
        return Scores(starts[text], stops[text], values[text])

    def _in_order(self, score: Callable[[Window], Scores], found: Iterator[Window]) -> Iterator[Scores]:
        """`score` of each window, in order; some of them ahead of time where there is a pool."""
        if self._pool is None:
            yield from map(score, found)
            return
        running: deque[Future[Scores]] = deque()
        try:
            for window in found:
                running.append(self._pool.submit(score, window))
                if len(running) >= self._ahead:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()

    def windows(self, text: str) -> Iterator[Window]:
        """The windows of ``text``, which do not depend on anything else."""
        return self.input.windows(self._tokeniser.lines(text))


def load_scorer(path: Path | None = None, threads: int = 1) -> WindowScorer:
    """The scorer of the bundle at ``path``, or of the bundle in use; see `WindowScorer` for ``threads``.

    Raises:
        BundleError: If the bundle is missing, incomplete or corrupt.
    """
    bundle = load_bundle(path)
    tokeniser = PieceTokeniser.load(bundle.file(TOKENIZER))
    return WindowScorer(bundle, tokeniser, runner_of(bundle), threads, line_head_of(bundle, tokeniser))


def line_head_of(bundle: Bundle, tokeniser: PieceTokeniser) -> LineHead | None:
    """The line head of a bundle, if it has one.

    Raises:
        BundleCorrupt: If its weights have another size.
    """
    if bundle.line_head is None:
        return None
    return LineHead(LineReader(tokeniser), read_weights(bundle.line_head), bundle.manifest["line_head"])


def runner_of(bundle: Bundle) -> OnnxRunner:
    """What computes the windows of a bundle.

    Raises:
        BundleCorrupt: If its graph cannot be loaded.
    """
    return OnnxRunner(bundle.file(MODEL), bundle.labels, bundle.words)
