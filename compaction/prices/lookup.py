"""Find what a model costs: our own dated list, then the `genai-prices` package, then a flagged guess.

Dollars and cache rules are looked up apart. A family caches alike, whatever its members cost, and the
minimum and the lifetimes that decide whether an edit pays stand in no price list.
"""

from datetime import date
from functools import lru_cache

from elision.compaction.prices.price import Cliff, Price, Tier
from elision.compaction.prices.price_file import (
    LONGEST_NAME,
    CacheRow,
    PriceRow,
    plain_name,
    price_file,
    row_for,
)
from elision.compaction.prices.price_package import Listed, listed

OURS = "prices.toml"
UNKNOWN = "unknown"
# How some spell the maker; Google's own API has its models under models/ and publishers/.
_SELLERS = {"gemini": "google", "models": "google", "publishers": "google", "xai": "x-ai"}


def price_of(model: str, provider: str = "", *, on: date | None = None, explicit: bool = False) -> Price:
    """What a model costs; one nobody knows gets a stand-in with ``known`` false.

    Args:
        model: Its name, as requests spell it; who sells it may stand in front (``openrouter/...``).
        provider: Who sells it. Of one who only resells our list's models the package is asked first.
        on: The day; None for the latest price there is, even if it is still to come.
        explicit: Whether the cache is one that the caller made and names (Gemini ``cachedContent``).
    """
    model = "" if len(model) > LONGEST_NAME else model  # requests name models; what is remembered is bounded
    provider = "" if len(provider) > LONGEST_NAME else provider
    return _price_of(model, provider, on, explicit)


@lru_cache(maxsize=512)
def _price_of(model: str, provider: str, on: date | None, explicit: bool) -> Price:
    name, lists = plain_name(model), price_file()
    named = row_for([row for row in lists.cache if row.explicit], name, on) if explicit else None
    cache = named or row_for([row for row in lists.cache if not row.explicit], name, on)
    ours = row_for(lists.price, name, on)
    seller = _seller(model, provider)
    if ours and seller in ("", ours.provider):
        return _priced(model, cache, ours, None)
    makers = [] if ours else [cache.provider, ""] if cache else [""]
    sellers = [seller, *makers] if seller else makers
    theirs = listed(model, sellers, on, cache.tiers[0][0] if cache else lists.unknown.seconds)
    return _priced(model, cache, None if theirs else ours, theirs)


def _seller(model: str, provider: str) -> str:
    """Who is named as the one who sells it, by genai-prices' name where that is known."""
    named = provider or model.rpartition("/")[0].partition("/")[0]
    return _SELLERS.get(named.strip().lower(), named.strip().lower())


def _priced(model: str, cache: CacheRow | None, ours: PriceRow | None, theirs: Listed | None) -> Price:
    stand_in = price_file().unknown
    dollars = theirs or ours or stand_in
    ours_cliffs = tuple(Cliff(*cliff) for cliff in ours.cliffs) if ours else ()
    assumed = not cache and (theirs is None or theirs.read is None)
    notes = [cache.note if cache else "", "cache rules assumed" if assumed else ""]
    return Price(
        model=model,
        input=dollars.input,
        output=dollars.output,
        tiers=_tiers(cache, theirs),
        read=_read(cache, theirs),
        minimum=cache.minimum if cache else stand_in.minimum,
        cliffs=theirs.cliffs if theirs else ours_cliffs,
        batch=ours.batch if ours else 1.0,
        clock=cache.clock if cache else "response",
        best_effort=cache.best_effort if cache else True,
        automatic=cache.automatic if cache else True,
        source=theirs.source if theirs else OURS if ours else UNKNOWN,
        checked=ours.checked if ours else None,
        known=dollars is not stand_in,
        note="; ".join(filter(None, notes)),
    )


def _tiers(cache: CacheRow | None, theirs: Listed | None) -> tuple[Tier, ...]:
    if theirs and theirs.tiers and (cache is None or cache.prior):
        return theirs.tiers
    if cache:
        return tuple(Tier(*tier) for tier in cache.tiers)
    stand_in = price_file().unknown
    # Whoever says what reading costs, but not what writing does, takes nothing for it.
    return (Tier(stand_in.seconds, 1.0 if theirs and theirs.read is not None else stand_in.write),)


def _read(cache: CacheRow | None, theirs: Listed | None) -> float:
    if theirs and theirs.read is not None and (cache is None or cache.prior):
        return theirs.read
    return cache.read if cache else price_file().unknown.read
