import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.prices.lookup import price_of
from elision.compaction.prices.price import Cliff, Price, Tier, cost
from elision.compaction.prices.price_file import Dated, plain_name, price_file

tokens = st.integers(0, 2_000_000)

HAIKU = Price("small", 0.10, 0.50, (Tier(300, 1.25), Tier(3600, 2.0)), 0.10, cliffs=(Cliff(100_000, 5, 5),))

# The list and its sources: tiers, read multiplier and minimum of each row of the table of caches.
CACHES = [
    ("claude-opus-4-5", [(300, 1.25), (3600, 2.0)], 0.10, 4096),
    ("claude-opus-4-6", [(300, 1.25), (3600, 2.0)], 0.10, 4096),
    ("claude-haiku-4-5", [(300, 1.25), (3600, 2.0)], 0.10, 4096),
    ("claude-opus-4-7", [(300, 1.25), (3600, 2.0)], 0.10, 2048),
    ("claude-opus-4-8", [(300, 1.25), (3600, 2.0)], 0.10, 1024),
    ("claude-sonnet-4-5", [(300, 1.25), (3600, 2.0)], 0.10, 1024),
    ("claude-sonnet-4-6", [(300, 1.25), (3600, 2.0)], 0.10, 1024),
    ("claude-sonnet-5", [(300, 1.25), (3600, 2.0)], 0.10, 1024),
    ("claude-opus-5", [(300, 1.25), (3600, 2.0)], 0.10, 512),
    ("claude-fable-5", [(300, 1.25), (3600, 2.0)], 0.10, 512),
    ("claude-haiku-5-5", [(300, 1.25), (3600, 2.0)], 0.10, 512),
    ("claude-opus-5-5", [(300, 1.25), (3600, 2.0)], 0.05, 512),
    ("claude-sonnet-5-5", [(300, 1.25), (3600, 2.0)], 0.05, 512),
    ("claude-fable-5-1", [(300, 1.25), (3600, 2.0)], 0.025, 512),
    ("claude-fable-5-2", [(300, 1.25), (3600, 2.0)], 0.025, 512),
    ("claude-mythos-5-1", [(300, 1.25), (3600, 2.0)], 0.025, 512),
    ("gpt-4o", [(3600, 1.0)], 0.50, 1024),
    ("gpt-4.1", [(3600, 1.0), (86400, 1.0)], 0.25, 1024),
    ("o3", [(3600, 1.0), (86400, 1.0)], 0.25, 1024),
    ("o4-mini", [(3600, 1.0), (86400, 1.0)], 0.25, 1024),
    ("gpt-5", [(3600, 1.0), (86400, 1.0)], 0.10, 1024),
    ("gpt-5.5", [(3600, 1.0), (86400, 1.0)], 0.10, 1024),
    ("gpt-5.6-sol", [(1800, 1.25), (43200, 2.5)], 0.10, 1024),
    ("gpt-6-sol", [(1800, 1.25), (43200, 2.5)], 0.10, 1024),
    ("gpt-6.1-sol", [(1800, 1.25), (43200, 2.5)], 0.05, 1024),
    ("gpt-6.1-terra", [(1800, 1.25), (43200, 2.5)], 0.05, 1024),
    ("gemini-2.5-pro", [(3600, 1.0)], 0.10, 2048),
    ("gemini-3.8-flash", [(3600, 1.0)], 0.10, 4096),
    ("gemini-4-argon", [(3600, 1.0)], 0.05, 4096),
    ("deepseek-v4-flash", [(86400, 1.0)], 0.02, 0),
    ("deepseek-v4-pro", [(86400, 1.0)], 0.033, 0),
]

DOLLARS = [
    ("claude-fable-5-2", 8, 40),
    ("claude-fable-5-1", 10, 50),
    ("claude-opus-5-5", 4, 20),
    ("claude-opus-5", 5, 25),
    ("claude-sonnet-5", 2, 10),
    ("claude-sonnet-5-5", 2, 10),
    ("claude-haiku-5-5", 0.10, 0.50),
    ("claude-haiku-4-5", 1, 5),
    ("gpt-6-astra", 10, 50),
    ("gpt-6-sol", 2, 10),
    ("gpt-6.1-sol", 2, 10),
    ("gpt-6.1-terra", 1, 5),
    ("gpt-6-luna", 0.10, 0.50),
    ("gpt-5.6-sol", 4, 20),
    ("gpt-5.5", 5, 30),
    ("gemini-3.8-flash", 0.75, 3.75),
]


@pytest.mark.parametrize(("model", "tiers", "read", "minimum"), CACHES)
def test_a_family_caches_as_its_provider_says(
    model: str, tiers: list[tuple[int, float]], read: float, minimum: int
) -> None:
    price = price_of(model)

    assert [(tier.seconds, tier.write) for tier in price.tiers] == tiers
    assert (price.read, price.minimum) == (read, minimum)


@pytest.mark.parametrize(("model", "input", "output"), DOLLARS)
def test_our_list_says_what_a_model_costs_and_when_somebody_looked(
    model: str, input: float, output: float
) -> None:
    price = price_of(model)

    assert (price.input, price.output, price.source, price.known) == (input, output, "prices.toml", True)
    assert price.checked is not None


@pytest.mark.parametrize("model", ["kimi-k2.5", "glm-5.2", "grok-4.5", "minimax-m2"])
def test_of_a_family_whose_members_differ_the_price_list_knows_better(model: str) -> None:
    price = price_of(model)

    assert price.known
    assert price.source.startswith("genai-prices")
    assert 0.05 <= price.read <= 0.25


@pytest.mark.parametrize(
    ("model", "read"), [("grok-4.nobody", 0.15), ("kimi-nobody", 0.1), ("glm-nobody", 0.1)]
)
def test_of_a_family_whose_members_differ_an_unlisted_one_reads_at_the_least(model: str, read: float) -> None:
    assert price_of(model).read == read


@pytest.mark.parametrize(
    "model",
    [
        "claude-opus-5-5",
        "claude-opus-5.5",
        "Claude-Opus-5-5",
        "anthropic/claude-opus-5.5",
        "openrouter/anthropic/claude-opus-5.5",
        "us.anthropic.claude-opus-5-5-20261007-v1:0",
        "global.anthropic.claude-opus-5-5-v1",
        "bedrock/us.anthropic.claude-opus-5-5-20261007-v1:0",
        "claude-opus-5-5@20261007",
        "claude-opus-5-5-latest",
        "claude-opus-5.5:thinking",
    ],
)
def test_a_model_is_known_under_every_name_it_is_sold_by(model: str) -> None:
    price = price_of(model)

    assert plain_name(model) == "claude-opus-5-5"
    assert (price.known, price.input, price.read, price.minimum) == (True, 4.0, 0.05, 512)


def test_one_who_resells_a_model_has_a_price_of_his_own_and_the_cache_is_the_model_s() -> None:
    ours = price_of("claude-haiku-4-5", "anthropic")
    resold = price_of("us.anthropic.claude-haiku-4-5-20251001-v1:0", "aws")

    assert ours.source == "prices.toml"
    assert resold.source.startswith("genai-prices")
    assert (resold.tiers, resold.read, resold.minimum) == (ours.tiers, ours.read, ours.minimum)


def test_a_seller_nobody_knows_is_taken_to_ask_what_the_maker_does() -> None:
    assert price_of("claude-opus-5", "our-own-gateway").source == "prices.toml"


def test_a_model_that_our_list_has_not_is_priced_by_the_package() -> None:
    price = price_of("claude-opus-4-5")

    assert price.known
    assert price.source.startswith("genai-prices")
    assert (price.input, price.output) == (5, 25)


def test_the_package_s_steps_become_cliffs() -> None:
    assert price_of("claude-sonnet-4-5").cliffs == (Cliff(200_000, 2, 1.5),)


@pytest.mark.parametrize(
    ("model", "cliff"),
    [
        ("claude-haiku-5-5", Cliff(100_000, 5, 5)),
        ("gpt-5.5", Cliff(272_000, 2, 1.5)),
        ("gpt-6.1-terra", Cliff(272_000, 2, 1.5)),
        ("gemini-2.5-pro", Cliff(200_000, 2, 1.5)),
        ("gemini-3.1-pro", Cliff(200_000, 2, 1.5)),
    ],
)
def test_cliffs_are_known(model: str, cliff: Cliff) -> None:
    assert price_of(model).cliffs == (cliff,)


@pytest.mark.parametrize(
    "model", ["", "nonsense", "meine-maschine", "模型", "gpt 5.5", "a" * 1_000_000, "/" * 100_000]
)
def test_a_model_nobody_knows_gets_a_flagged_stand_in(model: str) -> None:
    price = price_of(model)

    assert not price.known
    assert price.source == "unknown"
    assert price.input > 0
    assert "assumed" in price.note


def test_a_new_member_of_a_known_family_caches_like_it_though_its_dollars_are_not_known() -> None:
    price = price_of("claude-novella-7")

    assert not price.known
    assert (price.read, price.minimum, price.clock, price.automatic) == (0.1, 1024, "request", False)


def test_a_price_holds_from_its_day_on() -> None:
    assert price_of("gemini-4-argon", on=date(2026, 11, 30)).input == 2
    assert price_of("gemini-4-argon", on=date(2026, 12, 1)).input == 4
    assert price_of("claude-opus-5-5", on=date(2026, 10, 6)).read == 0.1


def test_without_a_day_the_latest_price_holds() -> None:
    assert price_of("gemini-4-argon").input == 4


def test_a_cache_that_the_caller_made_says_that_its_storage_is_not_counted() -> None:
    price = price_of("gemini-4-argon", explicit=True)

    assert (price.read, price.automatic) == (0.1, False)
    assert "storage" in price.note


def test_where_no_cache_can_be_made_the_automatic_one_is_meant() -> None:
    assert price_of("claude-opus-5", explicit=True) == price_of("claude-opus-5")


def rows() -> list[Dated]:
    lists = price_file()
    return [*lists.cache, *lists.price]


def test_every_row_is_dated_and_says_where_its_numbers_are_from() -> None:
    for row in rows():
        assert date(2026, 1, 1) <= row.checked
        assert row.evidence
        assert row.provider


def test_no_two_rows_are_for_the_same_models() -> None:
    lists = price_file()
    caches = Counter((glob, row.since, row.explicit) for row in lists.cache for glob in row.models)
    prices = Counter((glob, row.since) for row in lists.price for glob in row.models)

    assert max(caches.values()) == max(prices.values()) == 1


def test_every_row_is_found_by_its_own_models() -> None:
    lists = price_file()
    for row in lists.price:
        for glob in row.models:
            assert price_of(glob, on=row.since or date(2026, 11, 1)).input == row.input
    for cache in lists.cache:
        for glob in cache.models:
            found = price_of(glob.replace("[6-9]", "6").replace("*", "-nobody"), explicit=cache.explicit)
            assert (found.read, found.minimum) == (cache.read, cache.minimum)


def test_multipliers_are_sane() -> None:
    for row in price_file().cache:
        lifetimes = [seconds for seconds, _ in row.tiers]
        writes = [write for _, write in row.tiers]
        assert lifetimes == sorted(set(lifetimes))
        assert 1 <= min(writes) <= max(writes) <= 3
        assert row.read < 1
    for price in price_file().price:
        assert price.input <= price.output <= 20 * price.input
        assert all(input > 1 and output > 1 for _, input, output in price.cliffs)


def test_a_lifetime_that_is_not_offered_is_the_next_longer_one() -> None:
    assert HAIKU.tier().seconds == 300
    assert HAIKU.tier(3600).write == 2.0
    assert HAIKU.tier(600).seconds == 3600
    assert HAIKU.tier(86_400).seconds == 3600


def test_a_request_costs_what_is_read_written_sent_and_answered() -> None:
    dollars = cost(HAIKU, 90_000, cached_tokens=50_000, written_tokens=30_000, output_tokens=2_000)

    assert dollars == pytest.approx((10_000 + 0.1 * 50_000 + 1.25 * 30_000) * 1e-7 + 2_000 * 5e-7)


def test_above_a_cliff_the_whole_request_costs_more() -> None:
    assert cost(HAIKU, 100_000) == pytest.approx(0.01)
    assert cost(HAIKU, 100_001, output_tokens=1000) == pytest.approx(0.05 + 0.0025, rel=1e-4)


def test_of_several_cliffs_the_highest_counts() -> None:
    price = replace(HAIKU, cliffs=(Cliff(10, 2, 2), Cliff(20, 3, 3)))

    assert [price.cliff(at).input for at in (10, 11, 20, 21)] == [1, 2, 2, 3]


def test_a_batch_is_cheaper_where_the_list_says_so() -> None:
    price = price_of("claude-opus-5")

    assert cost(price, 1000, batch=True) == pytest.approx(cost(price, 1000) / 2)


@pytest.mark.law
@given(tokens, tokens, tokens, tokens)
def test_a_cache_never_costs_more_than_writing_all_and_never_less_than_reading_all(
    sent: int, cached: int, written: int, output: int
) -> None:
    dollars = cost(HAIKU, sent, cached, written, output)

    least, most = cost(HAIKU, sent, sent, 0, output), cost(HAIKU, sent, 0, sent, output)
    assert least <= dollars * (1 + 1e-12)
    assert dollars <= most * (1 + 1e-12)


@pytest.mark.law
@given(st.text(max_size=60), st.text(max_size=20))
def test_any_name_has_a_price(model: str, provider: str) -> None:
    price = price_of(model, provider)

    assert price.tiers
    assert price.input >= 0
    assert price == price_of(model, provider)


def test_no_price_is_fetched() -> None:
    """In a process of its own: an audit hook cannot be taken back."""
    watched = """
import sys
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise SystemExit(f"{event} {arguments}")
sys.addaudithook(watch)
from elision.compaction.prices.lookup import price_of
assert price_of("claude-opus-4-5").source.startswith("genai-prices")
assert price_of("gpt-5.5").source == "prices.toml"
assert not price_of("nobody").known
"""
    done = subprocess.run([sys.executable, "-c", watched], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
