"""The laws of the text path: what it promises for every text, budget and value."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import regex
from examples import at_least
from hypothesis import example, given
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.clean import without_controls
from elision.compaction.compress import compress
from elision.compaction.errors import DeadlineExceeded
from elision.compaction.guard.segment import segment
from elision.compaction.guard.units import unit_spans
from elision.compaction.pins.text import compile_pins
from elision.compaction.reading import ANSI
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Compressed
from elision.compaction.view import View

COUNTER = counter("o200k_base")
LINES = st.sampled_from(
    [
        "The cache was not cleared, so the old value of 1,284.50 USD came back. It must be 3.",
        "2026-01-02 03:04:05 INFO worker-7 finished job 12345 in 17 ms",
        "2026-01-02 03:04:05 ERROR worker-7 cannot open /etc/app.yaml: permission denied",
        "ERROR worker-8 cannot open /etc/other.yaml: permission denied",
        "    return self.value + 1  # never None",
        "+added line",
        "-removed line",
        "| id | name | 42 |",
        '{"id": 7, "name": "x"}',
        "FAILED tests/test_a.py::test_b - AssertionError: assert 1 == 2",
        "=========== 1 failed, 2 passed in 0.12s ===========",
        "Process finished with exit code 137",
        "\x1b[31mred\x1b[0m progress 10%\rprogress 100%",
        "不要删除数据库。请先备份文件，然后再试一次。",
        "Er darf die Datei nicht löschen. Bitte vorher fragen!",
        "👩‍👩‍👧‍👦 family e\u0301 combining",
        "",
        "   ",
        "\ttabbed\r",
    ]
)
TEXTS = st.one_of(
    st.lists(LINES, max_size=60).map("\n".join),
    st.lists(st.one_of(LINES, st.text(max_size=40)), max_size=30).map("\n".join),
    st.text(st.characters(codec=None, categories=None), max_size=400),
)
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nValueError: no g'
STRUCTURES = st.sampled_from(
    [
        "commit 1f0c2d4e5a6b7c8d\nAuthor: A. Person",
        "--- a/x.py\n+++ b/x.py",
        "@@ -3,2 +3,2 @@ def f():\n     a = 1\n-    b = 2\n+    b = 3",
        TRACE,
        "| id | name |\n|----|------|\n| 1 | a |\n| 2 | b |",
        "```python\nx = 1\n```",
        "server:\n  port: 80\n  hosts:\n    - one\n    - two",
        "src/a.py\n12:def f():\n17:    return 3",
        "2026-01-02 03:04:05 INFO got a reply\n  with a body\n  of three lines",
    ]
)
RATIOS = st.floats(0.01, 1.0)


def shortened(text: str, ratio: float, pins: tuple[str, ...] = ()) -> Compressed:
    budget = Budget(keep_ratio=ratio, floor_tokens=0)
    return compress(text, budget, scorer=HashScorer(), counter=COUNTER, pins=compile_pins(pins))


@at_least(500)
@given(TEXTS, RATIOS)
@example("\ud800" * 50, 0.3)
@example("\r\r\n\r" * 40, 0.3)
@example("word " * 300, 0.1)
@example("x" * 3000, 0.1)
def test_replacing_every_dropped_span_gives_the_text(text: str, ratio: float) -> None:
    result = shortened(text, ratio)

    parts, at = [], 0
    for drop in result.receipt.dropped:
        assert at <= drop.span.start <= drop.span.stop
        assert drop.replacement or len(drop.span)
        parts += [text[at : drop.span.start], drop.replacement]
        at = drop.span.stop
    assert "".join([*parts, text[at:]]) == result.text


@at_least(500)
@given(TEXTS, RATIOS)
def test_tokens_never_grow_and_the_receipt_counts_them(text: str, ratio: float) -> None:
    result = shortened(text, ratio)

    assert result.receipt.tokens_before == COUNTER.count(text)
    assert result.receipt.tokens_after == COUNTER.count(result.text) <= result.receipt.tokens_before
    assert result.receipt.changed == (result.text != text)


@at_least(500)
@given(TEXTS)
def test_keep_ratio_1_is_identity(text: str) -> None:
    assert shortened(text, 1.0).text == text


@at_least(500)
@given(st.lists(LINES, min_size=1, max_size=60).map("\n".join), RATIOS)
def test_pins_survive(text: str, ratio: float) -> None:
    result = shortened(text, ratio, (r"job \d+", r"AssertionError.*"))

    gone = [range(d.span.start, d.span.stop) for d in result.receipt.dropped if d.reason != "ansi"]
    for pin in result.receipt.pinned:
        kept = [i for i in range(pin.span.start, pin.span.stop) if not any(i in drop for drop in gone)]
        assert {i for i in range(pin.span.start, pin.span.stop) if not text[i].isspace()} <= set(kept)


@at_least(500)
@given(TEXTS, RATIOS)
def test_no_unit_is_kept_in_part(text: str, ratio: float) -> None:
    result = shortened(text, ratio)
    if any(drop.reason == "ansi" for drop in result.receipt.dropped):
        return  # offsets of units are those of the visible text

    gone = {i for d in result.receipt.dropped for i in range(d.span.start, d.span.stop)}
    for passage in segment(text).passages:
        for unit in unit_spans(text, passage.span):
            solid = [i for i in range(unit.start, unit.stop) if not text[i].isspace()]
            assert len({i in gone for i in solid}) <= 1


@at_least(500)
@given(TEXTS)
def test_passages_and_units_partition_the_text_between_graphemes(text: str) -> None:
    passages = segment(text).passages
    units = [unit for passage in passages for unit in unit_spans(text, passage.span)]

    assert "".join(p.span.of(text) for p in passages) == text
    assert "".join(unit.of(text) for unit in units) == text
    borders = {match.end() for match in regex.finditer(r"\X", text)} | {0}
    assert {unit.start for unit in units} <= borders


@at_least(500)
@given(st.lists(TEXTS, min_size=2, max_size=8), RATIOS)
def test_a_text_comes_out_the_same_alone_and_among_others_in_any_order(texts: list[str], ratio: float) -> None:
    alone = [shortened(text, ratio) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: shortened(text, ratio), reversed(texts * 4)))

    assert together == list(reversed(alone * 4))


@given(st.lists(st.one_of(LINES, STRUCTURES), max_size=60).map("\n".join), RATIOS)
@example(f"{TRACE}\n\x1b[31mred\x1b[0m progress 10%\rprogress 100%\n{TRACE}", 0.5)
def test_nothing_stands_without_its_head_and_no_row_of_several_lines_in_part(text: str, ratio: float) -> None:
    text = without_controls(View.of(text), ANSI).text  # rows are those of what is visible
    result = shortened(text, ratio)

    gone = {i for drop in result.receipt.dropped for i in range(drop.span.start, drop.span.stop)}
    passages = segment(text).passages
    left = [{i not in gone for i in range(p.span.start, p.span.stop) if not text[i].isspace()} for p in passages]
    assert all(len(left[index]) <= 1 for index, passage in enumerate(passages) if passage.whole)
    assert all(True in left[p.head] for index, p in enumerate(passages) if p.head >= 0 and True in left[index])


def test_plain_lines_come_out_as_they_always_did() -> None:
    text = (
        "The nightly import ran twice. The second run must not start before the first one ends. Nobody saw it.\n"
        "2026-01-02 03:04:05 INFO worker-7 finished job 12345 in 17 ms\n"
        "2026-01-02 03:04:06 INFO worker-9 finished job 12346 in 21 ms\n"
        "2026-01-02 03:04:07 WARN worker-7 queue is 93 % full\n"
        "2026-01-02 03:04:09 ERROR worker-7 cannot open /etc/app.yaml: permission denied\n"
        "2026-01-02 03:04:11 INFO worker-8 finished job 12350 in 12 ms\n"
        "\n"
        "So the queue filled up, and since the file could not be opened the worker waited for a lock. "
        "Restart it with the flag -v.\n"
        "Process finished with exit code 3\n"
    )

    assert shortened(text, 0.3).text == (
        "The nightly import ran twice. The second must not start before \n"
        "[…3 lines]\n"
        "2026-01-02 03:04:09 ERROR worker-7 cannot open /etc/app.yaml: permission denied\n"
        "[…3 lines]\n"
        "Process finished with exit code 3\n"
    )
    assert shortened(text, 0.5).text == (
        "The nightly import ran twice. The second run must not start before the first one ends. Nobody saw it.\n"
        "[…2 lines]\n"
        "2026-01-02 03:04:07 WARN worker-7 queue is 93 % full\n"
        "2026-01-02 03:04:09 ERROR worker-7 cannot open /etc/app.yaml: permission denied\n"
        "[…1 line]\n"
        "\n"
        "Restart it flag -v.\n"
        "Process finished with exit code 3\n"
    )


def test_a_run_of_lines_leaves_a_counted_marker() -> None:
    text = "\n".join(f"step {n} did nothing worth telling anyone about" for n in range(50)) + "\nthe end"
    scorer = HashScorer(worth={"the": 1.0, "end": 1.0})

    result = compress(text, Budget(target_tokens=6, floor_tokens=0), scorer=scorer, counter=COUNTER)

    assert result.text == "[…50 lines]\nthe end"


def test_repeated_errors_are_counted_in_the_marker() -> None:
    lines = [f"2026-01-02 03:04:{n:02} ERROR cannot reach host {n}" for n in range(40)]

    result = shortened("\n".join(lines), 0.05)

    assert result.text.splitlines() == [lines[0], "[…38 lines, 38 repeated errors]", lines[-1]]


def test_a_run_cheaper_than_its_marker_stays() -> None:
    text = "alpha beta\nx\ngamma delta\n" + "noise of no use " * 40
    scorer = HashScorer(worth={"alpha": 1.0, "beta": 1.0, "gamma": 1.0, "delta": 1.0, "x": 0.0})

    result = compress(text, Budget(target_tokens=40, floor_tokens=0), scorer=scorer, counter=COUNTER)

    assert "\nx\n" in result.text


def test_a_negation_stays_with_its_sentence() -> None:
    text = "The operator should not restart the primary database while the nightly backup is running there"
    scorer = HashScorer(worth={"not": 0.0, "should": 0.0})

    result = compress(text, Budget(keep_ratio=0.5, floor_tokens=0), scorer=scorer, counter=COUNTER)

    assert result.receipt.changed
    assert "should" in result.text and "not" in result.text
    assert {pin.reason for pin in result.receipt.pinned} == {"negation"}


@pytest.mark.parametrize("text", ['{"a":[1,2.50,"x"]}', "[1,2,3]", '[{"a":null}]', '{"a": NaN}'])
def test_json_of_which_nothing_may_go_goes_back_unchanged(text: str) -> None:
    result = shortened(text, 0.1)

    assert (result.text, result.receipt.reason) == (text, "json")
    assert [pin.reason for pin in result.receipt.pinned] == ["json"]


def test_a_short_text_goes_back_unchanged() -> None:
    result = compress("a b c", Budget(keep_ratio=0.5), scorer=HashScorer(), counter=COUNTER)

    assert (result.text, result.receipt.reason) == ("a b c", "below_floor")


def test_a_deadline_gives_the_original_back() -> None:
    def tick() -> None:
        raise DeadlineExceeded

    text = "some words " * 300

    result = compress(text, Budget(keep_ratio=0.5), scorer=HashScorer(), counter=COUNTER, tick=tick)

    assert (result.text, result.receipt.reason) == (text, "deadline")


def test_control_codes_and_redraws_go_first() -> None:
    text = "\x1b[32mok\x1b[0m all good here\nprogress 1%\rprogress 50%\rprogress 100%\n" + "filler words here\n" * 30

    result = shortened(text, 0.9)

    assert "\x1b" not in result.text and "50%" not in result.text
    assert {drop.reason for drop in result.receipt.dropped} >= {"ansi"}


def test_coloured_json_loses_its_colours_and_nothing_else() -> None:
    plain = "{" + ",".join(f'"key{n}":{n}' for n in range(200)) + "}"
    coloured = plain.replace('"key', '\x1b[34m"key')

    result = shortened(coloured, 0.3)

    assert (result.text, result.receipt.reason) == (plain, "json")
    assert {drop.reason for drop in result.receipt.dropped} == {"ansi"}


def test_a_number_is_json() -> None:
    assert shortened("1234567890" * 100, 0.3).receipt.reason == "json"


def test_a_string_is_json_and_may_lose_words() -> None:
    result = shortened('"a b' + " c d" * 300 + '"', 0.3)

    assert result.receipt.target_met and result.text[0] == result.text[-1] == '"'


def test_a_pin_that_takes_too_long_gives_the_original_back() -> None:
    text = "a" * 60 + "!\n" + "some words of a text\n" * 40

    result = shortened(text, 0.3, (r"(a|aa)+$",))

    assert (result.text, result.receipt.reason) == (text, "pin_timeout")


def test_a_negation_stays_where_another_stretch_of_its_overlong_sentence_does() -> None:
    filler = " and then some more words of no use to anybody" * 20
    text = "The most important operator" + filler + " must not restart the primary" + filler + " zebra"
    scorer = HashScorer(worth={"zebra": 1.0, "must": 0.0, "not": 0.0})

    result = compress(text, Budget(keep_ratio=0.2, floor_tokens=0), scorer=scorer, counter=COUNTER)

    assert result.receipt.changed
    assert "must" in result.text and "not" in result.text
