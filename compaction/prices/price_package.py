"""Prices of models that our own list does not have, from the `genai-prices` package.

Only what is bundled with the package is read: nothing is fetched, and what another part of the process
may have fetched is not looked at, so that one version always gives one answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from elision.compaction.prices.price import Cliff, Tier

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, TieredPrices

    _Amount: TypeAlias = Decimal | TieredPrices | None

_NOON = 12  # hours, UTC: some prices go by the time of day
_LATEST = datetime(9999, 12, 31, _NOON, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Listed:
    """What the package says of a model.

    Attributes:
        input, output: Dollars per million tokens.
        read: Multiple of `input`; None if it does not say.
        tiers: Lifetimes whose write price it says.
        cliffs: In rising order.
        source: The package and its version.
    """

    input: float
    output: float
    read: float | None
    tiers: tuple[Tier, ...]
    cliffs: tuple[Cliff, ...]
    source: str


def listed(model: str, sellers: Sequence[str], on: date | None, seconds: int) -> Listed | None:
    """What the package says of a model, None if it does not know it.

    Args:
        model: Its name, with or without who sells it in front.
        sellers: Whose prices are looked at, in this order; an empty name is whoever makes such a model.
        on: The day; None for the latest price, even if it is still to come.
        seconds: Lifetime of a cache whose write price it says without saying how long it stays.
    """
    asked = (_info(model.strip().lower(), seller.strip().lower()) for seller in sellers)
    info = next(filter(None, asked), None)
    if info is None:
        return None
    prices = info.get_prices(datetime(on.year, on.month, on.day, _NOON, tzinfo=UTC) if on else _LATEST)
    if prices.input_mtok is None:
        return None
    base = _base(prices.input_mtok)
    writes = [(seconds, prices.cache_write_mtok), (3600, prices.cache_write_1h_mtok)]
    tiers = {wanted: _base(amount) / base for wanted, amount in writes if amount is not None and base}
    read = prices.cache_read_mtok
    return Listed(
        input=base,
        output=_base(prices.output_mtok),
        read=_base(read) / base if read is not None and base else None,
        tiers=tuple(Tier(wanted, tiers[wanted]) for wanted in sorted(tiers)),
        cliffs=tuple(_cliffs(prices.input_mtok, prices.output_mtok)),
        source=_source(),
    )


def window_of(model: str) -> int | None:
    """Tokens of a model's window, None if the package does not know the model or its window."""
    info = _info(model.strip().lower(), "") if model.strip() else None
    return info.context_window if info else None


def _source() -> str:
    from genai_prices import __version__

    return f"genai-prices {__version__}"


def _info(model: str, seller: str) -> "ModelInfo | None":
    from genai_prices.data import providers
    from genai_prices.data_snapshot import find_provider_by_id

    last = model.rpartition("/")[2]
    if not seller:
        makers = (known for known in providers if known.model_match and known.model_match.is_match(last))
        return next(filter(None, (maker.find_model(last) for maker in makers)), None)
    sold_by = find_provider_by_id(providers, seller)
    if sold_by is None:
        return None
    names = filter(None, (model, model.partition("/")[2], last))
    return next(filter(None, (sold_by.find_model(name, all_providers=providers) for name in names)), None)


def _base(amount: "_Amount") -> float:
    return _steps(amount)[0][1]


def _cliffs(input: "_Amount", output: "_Amount") -> Iterator[Cliff]:
    ins, outs = _steps(input), _steps(output)
    for start in sorted({start for start, _ in ins + outs if start}):
        yield Cliff(start, _times(ins, start), _times(outs, start))


def _steps(amount: "_Amount") -> list[tuple[int, float]]:
    """From how many input tokens on it costs how much, in rising order."""
    if amount is None or isinstance(amount, Decimal):
        return [(0, float(amount or 0))]
    return [(0, float(amount.base))] + [(tier.start, float(tier.price)) for tier in amount.tiers]


def _times(steps: list[tuple[int, float]], start: int) -> float:
    reached = [dollars for at, dollars in steps if at <= start]
    return reached[-1] / reached[0] if reached[0] else 1.0
