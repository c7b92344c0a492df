"""What holds for every kind of store."""

import random
import string
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elision.compaction.store import handle_of
from elision.compaction.types import Compressed
from elision.serving.stores.sqlite import MemoryStores, SqliteStores
from elision.serving.stores.types import Limits, NoStores

if TYPE_CHECKING:
    from tests.serving.stores.conftest import Clock

Open = Callable[..., SqliteStores]
Decided = Callable[..., Compressed]

DAY = 86_400.0
NOISE = "".join(random.Random(1).choices(string.printable, k=3000))  # zstd finds little in it


def test_a_decision_and_its_original_come_back(open_store: Open, decided: Decided) -> None:
    store = open_store().scope("t", "s")
    original = "line\r\n\x00 \ud800 lone"

    assert store.remember("k", original, decided("short")) == decided("short")

    assert store.decision("k") == decided("short")
    assert store.original(handle_of(original)) == original


def test_what_was_never_stored_is_none(open_store: Open) -> None:
    store = open_store().scope("t", "s")

    assert store.decision("k") is None
    assert store.original("0" * 24) is None
    assert store.original("\ud800") is None


def test_the_first_decision_under_a_key_stays(open_store: Open, decided: Decided) -> None:
    stores = open_store()
    stores.scope("t", "s").remember("k", "original", decided("first"))

    standing = stores.scope("t", "other").remember("k", "original", decided("second"))

    assert standing == decided("first") == stores.scope("t", "other").decision("k")


def test_our_own_outputs_are_known_if_they_changed_something(open_store: Open, decided: Decided) -> None:
    store = open_store().scope("t", "s")
    store.remember("k1", "original", decided("ours"))
    store.remember("k2", "as it was", decided("as it was", changed=False))

    assert store.wrote("ours")
    assert not store.wrote("as it was")
    assert not store.wrote("original")


TENANTS, KEYS, TEXTS = st.sampled_from(["", "a", "b"]), st.sampled_from(["k", "l"]), st.sampled_from(["x", "y", "z"])


@given(writes=st.lists(st.tuples(TENANTS, KEYS, TEXTS), max_size=12))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_tenant_sees_what_it_stored_and_nothing_else(decided: Decided, writes: list[tuple[str, str, str]]) -> None:
    stores = MemoryStores(Limits(1e9, 10**9))
    decisions: dict[tuple[str, str], Compressed] = {}
    for tenant, key, text in writes:
        output = decided(f"{tenant} {text}")
        stores.scope(tenant, "s").remember(key, text, output)
        decisions.setdefault((tenant, key), output)

    for tenant in ("", "a", "b"):
        store = stores.scope(tenant, "s")
        own = {text for whose, _, text in writes if whose == tenant}
        outputs = {kept.text for (whose, _), kept in decisions.items() if whose == tenant}
        assert {text for text in "xyz" if store.original(handle_of(text)) is not None} == own
        assert {key: store.decision(key) for key in "kl"} == {key: decisions.get((tenant, key)) for key in "kl"}
        assert all(store.wrote(kept.text) == (kept.text in outputs) for kept in decisions.values())
    stores.close()


def test_what_nobody_used_for_its_time_is_gone(open_store: Open, decided: Decided, clock: "Clock") -> None:
    store = open_store(ttl_seconds=1000).scope("t", "s")
    store.remember("k", "original", decided("short"))

    clock.at += 999
    assert store.decision("k")  # and is used again
    clock.at += 999
    assert store.original(handle_of("original"))
    clock.at += 1000

    assert store.decision("k") is None
    assert store.original(handle_of("original")) is None
    assert not store.wrote("short")
    assert store.remember("k", "original", decided("new")) == decided("new")


@pytest.mark.parametrize("use", ["decision", "original", "wrote"])
def test_when_full_what_was_unused_for_longest_goes(
    open_store: Open, decided: Decided, clock: "Clock", use: str
) -> None:
    stores = open_store(max_bytes=11_000)
    store = stores.scope("t", "s")
    texts = [NOISE[n:] + NOISE[:n] for n in range(4)]
    for name, text in zip("abc", texts, strict=False):
        store.remember(name, text, decided(name))
        clock.at += 100
    argument = {"decision": "a", "original": handle_of(texts[0]), "wrote": "a"}[use]

    assert getattr(store, use)(argument)
    clock.at += 100
    store.remember("d", texts[3], decided("d"))

    assert [name for name in "abcd" if store.decision(name)] == ["a", "c", "d"]
    assert store.original(handle_of(texts[1])) is None
    assert stores.stats().bytes <= 11_000


def test_what_is_larger_than_the_store_pushes_nothing_out(open_store: Open, decided: Decided) -> None:
    store = open_store(max_bytes=2000).scope("t", "s")
    store.remember("k", "small", decided("kept"))

    assert store.remember("big", NOISE, decided("large")) == decided("large")

    assert store.decision("k") and not store.decision("big")


def test_a_session_can_be_forgotten(open_store: Open, decided: Decided) -> None:
    stores = open_store()
    stores.scope("t", "mine").remember("k1", "only mine", decided("1"))
    stores.scope("t", "mine").remember("k2", "of both", decided("2"))
    stores.scope("t", "theirs").decision("k2")
    stores.scope("u", "mine").remember("k1", "another tenant's", decided("3"))

    assert stores.delete(session="mine", tenant="t") == 1

    left = stores.scope("t", "theirs")
    assert left.decision("k1") is None and left.original(handle_of("only mine")) is None
    assert left.decision("k2") and left.original(handle_of("of both"))
    assert stores.scope("u", "mine").decision("k1")
    assert stores.delete(session="theirs") == 1
    assert stores.delete(session="mine") == 1
    assert stores.stats().bytes == stores.stats().originals == stores.stats().decisions == 0


def test_reading_an_original_makes_nobody_its_owner(open_store: Open, decided: Decided, clock: "Clock") -> None:
    stores = open_store()
    stores.scope("t", "mine").remember("k", "text", decided("1"))
    clock.at += 600
    stores.scope("t", "").original(handle_of("text"))

    assert stores.delete(session="mine") == 1


def test_old_entries_can_be_forgotten(open_store: Open, decided: Decided, clock: "Clock") -> None:
    stores = open_store()
    store = stores.scope("t", "s")
    store.remember("old", "old", decided("1"))
    clock.at += 3600
    store.remember("new", "new", decided("2"))

    assert stores.delete(older_than_seconds=3600, session="other") == 0
    assert stores.delete(older_than_seconds=3600) == 1
    assert store.decision("old") is None and store.decision("new")
    assert stores.delete(older_than_seconds=0) == 1


def test_names_may_be_any_strings(open_store: Open, decided: Decided) -> None:
    stores = open_store()
    stores.scope("\ud800", "s\x00").remember("\udfff'; --", "text", decided("1"))

    assert stores.scope("\ud800", "s").decision("\udfff'; --") == decided("1")
    assert stores.delete(session="s\x00", tenant="\ud800") == 0  # the other session used it as well


def test_threads_agree_on_one_decision(open_store: Open, decided: Decided) -> None:
    store = open_store().scope("t", "s")
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda n: store.remember("k", "text", decided(str(n))).text, range(40)))

    assert len(found) == 1


def test_no_store_keeps_nothing(decided: Decided) -> None:
    stores = NoStores()
    stores.ready()

    assert stores.scope("t", "s").remember("k", "text", decided("1")) == decided("1")
    assert stores.scope("t", "s").original(handle_of("text")) is None
    assert (stores.delete(session="s"), stores.stats().originals) == (0, 0)
    stores.close()


def test_what_a_session_shares_stays_when_it_goes(open_store: Open, decided: Decided) -> None:
    stores = open_store()
    for tenant in ("t", "other"):
        stores.scope(tenant, "parent").remember("k", "original", decided("short"))
    stores.share("t", "parent", "child")

    assert stores.delete("parent") == 1  # the other tenant's
    assert stores.scope("t", "").original(handle_of("original")) == "original"
    assert stores.delete("child", tenant="t") == 1


def test_what_a_session_holds_stays_as_long_as_the_session_and_goes_last(
    open_store: Open, decided: Decided, clock: "Clock"
) -> None:
    stores = open_store(ttl_seconds=DAY, max_bytes=5_000)
    stores.scope("t", "lives", lives=10 * DAY).remember("k", "held", decided("h"))
    stores.scope("t", "later").remember("k2", "held later", decided("l"))
    stores.hold("t", "later", 10 * DAY)
    for n in range(20):
        stores.scope("t", "").remember(f"n{n}", f"other {n}", decided(f"o{n}"))
    clock.at += 5 * DAY
    found = stores.scope("t", "")

    assert stores.stats().oldest_use is not None
    assert [found.original(handle_of(text)) for text in ("held", "held later", "other 19")] == ["held", "held later", None]
    clock.at += 7 * DAY
    assert found.original(handle_of("held")) is None
