"""Our own dated list of prices: `prices.toml`, its rows and how a model's name finds one."""

import tomllib
from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Literal, TypeVar

import regex
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt

LONGEST_NAME = 200  # characters; no model has a longer one
_SELLER = regex.compile(
    r"^(?:[a-z]{2,6}(?:-gov)?\.)?(?:anthropic|openai|google|deepseek|moonshotai?|minimax|zai|xai)\."
)
_RELEASE = regex.compile(r"(?:[-@]20\d\d-?\d\d-?\d\d|-v\d+(?::\d+)?|-latest|@[a-z0-9]+|:[a-z][a-z0-9:-]*)$")


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Dated(_Row):
    """What every row says.

    Attributes:
        models: Globs of plain names; the longest that fits decides, and of rows that fit alike the latest.
        provider: Who sells them, by genai-prices' name.
        evidence: Where the numbers are from.
        checked: When somebody last looked.
        since: From when they hold; not set if always.
    """

    models: tuple[str, ...] = Field(min_length=1)
    provider: str
    evidence: str = Field(min_length=1)
    checked: date
    since: date | None = None


class CacheRow(Dated):
    """How a family of models caches; see `elision.compaction.prices.price.Price`.

    Attributes:
        tiers: Pairs of seconds and write multiplier, the shortest first.
        explicit: Whether this is the cache that a caller makes and names, beside the automatic one.
        prior: Whether it is a guess for the family, and a price list's word on the model goes first.
    """

    tiers: tuple[tuple[PositiveInt, float], ...] = Field(min_length=1)
    read: float = Field(gt=0, le=1)
    minimum: NonNegativeInt = 0
    clock: Literal["request", "response"] = "response"
    best_effort: bool = False
    automatic: bool = True
    explicit: bool = False
    prior: bool = False
    note: str = ""


class PriceRow(Dated):
    """Dollars per million tokens.

    Attributes:
        cliffs: Triples: above so many input tokens the whole request costs so many times as much, for
            input and for output.
    """

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cliffs: tuple[tuple[PositiveInt, float, float], ...] = ()
    batch: float = Field(default=0.5, gt=0, le=1)


class Unknown(_Row):
    """What is assumed of a model that nobody knows; nothing in it makes an edit look better than it is."""

    input: float = Field(gt=0)
    output: float = Field(gt=0)
    seconds: PositiveInt
    write: float
    read: float = Field(gt=0, le=1)
    minimum: NonNegativeInt


class PriceFile(_Row):
    """All of it."""

    unknown: Unknown
    cache: tuple[CacheRow, ...]
    price: tuple[PriceRow, ...]


@cache
def price_file() -> PriceFile:
    """The list that ships with us; read once."""
    text = (files("elision.compaction.prices") / "prices.toml").read_text(encoding="utf-8")
    return PriceFile.model_validate(tomllib.loads(text))


def plain_name(model: str) -> str:
    """A model's name without who sells it, without its release date, and with dashes for dots.

    ``us.anthropic.claude-opus-5-5-20261007-v1:0`` and ``openrouter/anthropic/claude-opus-5.5`` are both
    ``claude-opus-5-5``; what is too long to be a name is empty.
    """
    if len(model) > LONGEST_NAME:
        return ""
    name = model.strip().lower().removeprefix("ft:").rpartition("/")[2]
    name = _SELLER.sub("", name)
    while (shorter := _RELEASE.sub("", name)) != name:
        name = shorter
    return name.replace(".", "-")


RowT = TypeVar("RowT", bound=Dated)


def row_for(rows: Iterable[RowT], name: str, on: date | None) -> RowT | None:
    """The row for a plain name on a day; without a day the latest, even if it is still to come."""
    best: tuple[int, date] = (-1, date.min)
    found: RowT | None = None
    for row in rows:
        if row.since and on and row.since > on:
            continue
        fitting = [len(glob) for glob in map(_plain_glob, row.models) if fnmatchcase(name, glob)]
        rank = (max(fitting, default=-1), row.since or date.min)
        if fitting and rank > best:
            best, found = rank, row
    return found


@cache
def _plain_glob(glob: str) -> str:
    return glob.lower().replace(".", "-")
