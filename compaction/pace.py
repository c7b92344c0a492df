"""Let the caller's clock in: a loop over a long text asks it now and then whether to go on."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
EVERY = 1000


def paced(items: Iterable[T], tick: Callable[[], None], every: int = EVERY) -> Iterator[T]:
    """The items, with ``tick`` called before the first and then before every thousandth, or so.

    Raises:
        DeadlineExceeded: If ``tick`` does.
    """
    for number, item in enumerate(items):
        if number % every == 0:
            tick()
        yield item
