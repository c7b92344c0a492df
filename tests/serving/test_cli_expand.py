"""`elision expand` gives originals back, `elision store` tells what is kept and deletes it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from elision.compaction.compress import untouched
from elision.compaction.store import handle_of
from elision.compaction.tokens import counter
from elision.compaction.types import Budget
from elision.serving.commands.store import seconds_of
from elision.serving.errors import BadInput
from elision.serving.stores.sqlite import SqliteStores
from elision.serving.stores.types import Limits

if TYPE_CHECKING:
    from tests.serving.conftest import Ran, WordScorer

Command = Callable[..., "Ran"]

TEXT = "one\r\ntwo ERROR\nthree\n\nfive \ud800 error"
HANDLE = handle_of(TEXT)


@pytest.fixture
def store(tmp_path: Path, scorer: "WordScorer", monkeypatch: pytest.MonkeyPatch) -> SqliteStores:
    """A store that holds one text of nobody in particular, as the environment names it."""
    path = tmp_path / "s.sqlite"
    monkeypatch.setenv("ELISION_STORE", str(path))
    stores = SqliteStores(path, Limits(1e6, 10**6))
    outcome = untouched(TEXT, Budget(keep_ratio=0.5), scorer=scorer, counter=counter(), reason="test")
    stores.scope("", "s1").remember("k", TEXT, outcome)
    return stores


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], TEXT),
        (["--lines", "2-3"], "two ERROR\nthree\n"),
        (["--lines", "1"], "one\r\n"),
        (["--lines", "5-99"], "five \ud800 error"),
        (["--grep", "(?i)error$"], "2:two ERROR\n5:five \ud800 error"),
        (["--grep", "^$"], "4:\n"),
        (["--grep", "nothing"], ""),
    ],
)
def test_an_original_comes_back_byte_for_byte(elision: Command, flags: list[str], expected: str) -> None:
    ran = elision("expand", HANDLE, *flags)

    assert (ran.code, ran.out, ran.err) == (0, expected, "")


@pytest.mark.usefixtures("store")
def test_an_unknown_handle_is_exit_code_1(elision: Command) -> None:
    ran = elision("expand", "0" * 24)
    another_tenants = elision("expand", HANDLE, "--tenant", "somebody")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"elision: error: no original under {'0' * 24}: never stored here, or expired\n"
    assert another_tenants.code == 1


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["abc"], "'abc' is not a handle"),
        ([HANDLE[:-1] + "\n"], "is not a handle"),
        ([HANDLE, "--lines", "0-3"], "give a range such as 10-20"),
        ([HANDLE, "--lines", "3-2"], "ends before it begins"),
        ([HANDLE, "--lines", "6-7"], "lines 6-7: the text has 5 lines"),
        ([HANDLE, "--lines", "all"], "give a range"),
        ([HANDLE, "--grep", "("], "is not a regular expression: missing"),
        ([HANDLE, "--grep", "a" * 1001], "1001 characters"),
        ([HANDLE, "--grep", "a", "--lines", "1"], "exclude each other"),
    ],
)
def test_a_selection_that_makes_no_sense_is_exit_code_2(elision: Command, args: list[str], why: str) -> None:
    ran = elision("expand", *args)

    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err


def test_a_pattern_that_never_ends_is_stopped(elision: Command, store: SqliteStores, scorer: "WordScorer") -> None:
    text = "ab" * 40 + "cd"
    outcome = untouched(text, Budget(keep_ratio=0.5), scorer=scorer, counter=counter(), reason="test")
    store.scope("", "").remember("slow", text, outcome)

    ran = elision("expand", handle_of(text), "--grep", "(a|b|ab)*c$")

    assert (ran.code, ran.err) == (2, "elision: error: pattern '(a|b|ab)*c$' took more than 1 s\n")


def test_no_store_is_made_by_looking(elision: Command, tmp_path: Path) -> None:
    ran = elision("expand", HANDLE, "--store", tmp_path / "none.sqlite")

    assert (ran.code, list(tmp_path.iterdir())) == (2, [])
    assert f"no store at {tmp_path / 'none.sqlite'}" in ran.err


def test_a_file_that_is_no_store_is_one_line(elision: Command, log: Path) -> None:
    ran = elision("store", "stats", "--store", log)

    assert (ran.code, ran.err) == (2, f"elision: error: store {log}: file is not a database\n")


@pytest.mark.usefixtures("store")
def test_what_is_kept_can_be_seen_and_deleted(elision: Command) -> None:
    before = elision("store", "stats").out
    others = elision("store", "delete", "--session", "s2")
    newer = elision("store", "delete", "--session", "s1", "--older-than", "1h")
    deleted = elision("store", "delete", "--session", "s1")

    assert "originals   1\ndecisions   1\n" in before
    assert others.out == newer.out == "deleted 0 originals\n"
    assert (deleted.code, deleted.out) == (0, "deleted 1 original\n")
    assert "originals   0\n" in elision("store", "stats").out
    assert elision("expand", HANDLE).code == 1


@pytest.mark.usefixtures("store")
def test_deleting_needs_to_be_told_what(elision: Command) -> None:
    ran = elision("store", "delete", "--tenant", "t")

    assert ran.code == 2 and "--session or --older-than" in ran.err
    assert elision("expand", HANDLE).code == 0
    assert elision("store", "delete", "--older-than", "0s").out == "deleted 1 original\n"


@pytest.mark.parametrize(
    ("said", "seconds"), [("90s", 90), ("30m", 1800), ("12h", 43200), ("7d", 604800), ("2w", 1209600), ("1.5h", 5400)]
)
def test_times_are_read_as_people_write_them(said: str, seconds: float) -> None:
    assert seconds_of(said) == seconds


@pytest.mark.parametrize("said", ["7", "d", "-7d", "7 days", "", "1e3s"])
def test_what_is_no_time_is_refused(said: str) -> None:
    with pytest.raises(BadInput, match="is not a time"):
        seconds_of(said)
