"""Leave a writer alone that fails again and again.

After so many failures in a row the breaker of one tenant and writer opens. After a while one call is let
through: if it succeeds the breaker closes, if not it waits again. Nothing here reads a clock by itself.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

_MOST_KEYS = 10_000  # the ones not used for longest are forgotten


@dataclass(slots=True)
class _State:
    failures: int = 0
    opened: float | None = None
    trying: float | None = None  # since when the one call that was let through has been out


class Breaker:
    """The breakers of all tenants and writers. Thread-safe."""

    def __init__(self, clock: Callable[[], float], failures: int = 3, cooldown: float = 300.0) -> None:
        """With everything closed.

        Args:
            clock: Seconds, never going back.
            failures: So many in a row open it; 0 never does.
            cooldown: Seconds that it stays open.
        """
        self._clock, self._most, self._cooldown = clock, failures, cooldown
        self._states: OrderedDict[tuple[str, str], _State] = OrderedDict()
        self._lock = Lock()

    def allows(self, tenant: str, writer: str, forced: bool = False) -> bool:
        """Whether the writer may be asked; one that is asked must be reported on.

        Args:
            tenant: Whose history it is.
            writer: Its name.
            forced: Whether somebody asked for it by hand: always allowed.
        """
        with self._lock:
            state = self._states.get((tenant, writer))
            if not state or state.opened is None or forced:
                return True
            now = self._clock()
            # Who was let through and never reported back does not keep it shut.
            since = state.opened if state.trying is None else state.trying
            if now - since < self._cooldown:
                return False
            state.trying = now
            return True

    def succeeded(self, tenant: str, writer: str) -> None:
        """The writer wrote something that could be used."""
        with self._lock:
            self._states.pop((tenant, writer), None)

    def failed(self, tenant: str, writer: str) -> None:
        """The writer failed, by its own fault."""
        with self._lock:
            key = tenant, writer
            state = self._states.setdefault(key, _State())
            self._states.move_to_end(key)
            state.failures, state.trying = state.failures + 1, None
            if self._most and state.failures >= self._most:
                state.opened = self._clock()
            while len(self._states) > _MOST_KEYS:
                self._states.popitem(last=False)

    def released(self, tenant: str, writer: str) -> None:
        """The writer was asked, and what came of it says nothing about it."""
        with self._lock:
            if state := self._states.get((tenant, writer)):
                state.trying = None
