"""A scorer whose weights are read when the first text needs them."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from elision.model.bundle import load_bundle
from elision.model.errors import BundleError
from elision.model.scorer import WindowScorer, load_scorer
from elision.model.types import Scores, nothing

NOT_LOADED = "not loaded"


class LazyScorer:
    """Scores as the bundle at a path does; see `elision.model.types.Scorer`.

    Attributes:
        error: Why the bundle could not be loaded, where it could not. Whoever fails open has to ask.
    """

    def __init__(self, path: Path | None, threads: int = 1) -> None:
        self._path, self._threads = path, threads
        self.error: BundleError | None = None

    @cached_property
    def bundle(self) -> str:
        """Name and content hash of the weights."""
        return load_bundle(self._path).identity

    @property
    def runner(self) -> str:
        """What computes the scores; `NOT_LOADED` until there were some to compute."""
        return self._loaded.runner if "_loaded" in vars(self) else NOT_LOADED

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        """See `elision.model.types.Scorer`."""
        return self._loaded.score(text, query, tick)

    @cached_property
    def _loaded(self) -> WindowScorer:
        try:
            return load_scorer(self._path, self._threads)
        except BundleError as error:
            self.error = error
            raise
