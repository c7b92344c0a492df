"""The laws of the text path: what it promises for every text, budget and value."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.compress import compress
from elision.compaction.errors import DeadlineExceeded
from elision.compaction.guard.segment import segment
from elision.compaction.guard.units import unit_spans
from elision.compaction.pins import compile_pins
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Compressed

COUNTER = counter("o200k_base")
LAWS = settings(max_examples=500, deadline=None)

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
RATIOS = st.floats(0.01, 1.0)


def shortened(text: str, ratio: float, pins: tuple[str, ...] = ()) -> Compressed:
    budget = Budget(keep_ratio=ratio, floor_tokens=0)
    return compress(text, budget, scorer=HashScorer(), counter=COUNTER, pins=compile_pins(pins))


@LAWS
@given(TEXTS, RATIOS)
@example("\ud800" * 50, 0.3)
@example("\r\r\n\r" * 40, 0.3)
@example("word " * 300, 0.1)
@example("x" * 3000, 0.1)
def test_replacing_every_dropped_span_gives_the_text(text: str, ratio: float) -> None:
    result = shortened(text, ratio)

    parts, at = [], 0
    for drop in result.receipt.dropped:
        assert at <= drop.span.start < drop.span.stop
        parts += [text[at : drop.span.start], drop.replacement]
        at = drop.span.stop
    assert "".join([*parts, text[at:]]) == result.text


@LAWS
@given(TEXTS, RATIOS)
def test_tokens_never_grow_and_the_receipt_counts_them(text: str, ratio: float) -> None:
    result = shortened(text, ratio)

    assert result.receipt.tokens_before == COUNTER.count(text)
    assert result.receipt.tokens_after == COUNTER.count(result.text) <= result.receipt.tokens_before
    assert result.receipt.changed == (result.text != text)


@LAWS
@given(TEXTS)
def test_keep_ratio_1_is_identity(text: str) -> None:
    assert shortened(text, 1.0).text == text


@LAWS
@given(st.lists(LINES, min_size=1, max_size=60).map("\n".join), RATIOS)
def test_pins_survive(text: str, ratio: float) -> None:
    result = shortened(text, ratio, (r"job \d+", r"AssertionError.*"))

    gone = [range(d.span.start, d.span.stop) for d in result.receipt.dropped if d.reason != "ansi"]
    for pin in result.receipt.pinned:
        kept = [i for i in range(pin.span.start, pin.span.stop) if not any(i in drop for drop in gone)]
        assert {i for i in range(pin.span.start, pin.span.stop) if not text[i].isspace()} <= set(kept)


@LAWS
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


@LAWS
@given(TEXTS)
def test_passages_and_units_partition_the_text_between_graphemes(text: str) -> None:
    passages = segment(text).passages
    units = [unit for passage in passages for unit in unit_spans(text, passage.span)]

    assert "".join(p.span.of(text) for p in passages) == text
    assert "".join(unit.of(text) for unit in units) == text
    borders = {match.end() for match in regex.finditer(r"\X", text)} | {0}
    assert {unit.start for unit in units} <= borders


@settings(max_examples=500, deadline=None)
@given(st.lists(TEXTS, min_size=2, max_size=8), RATIOS)
def test_a_text_comes_out_the_same_alone_and_among_others_in_any_order(texts: list[str], ratio: float) -> None:
    alone = [shortened(text, ratio) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: shortened(text, ratio), reversed(texts * 4)))

    assert together == list(reversed(alone * 4))


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


@pytest.mark.parametrize("text", ['{"a": [1, 2.50, "x"]}', "[1, 2, 3]", ' [{"a": null}] \n'])
def test_json_goes_back_unchanged(text: str) -> None:
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
    plain = "{" + ", ".join(f'"key{n}": {n}' for n in range(200)) + "}"
    coloured = plain.replace('"key', '\x1b[34m"key')

    result = shortened(coloured, 0.3)

    assert (result.text, result.receipt.reason) == (plain, "json")
    assert {drop.reason for drop in result.receipt.dropped} == {"ansi"}


@pytest.mark.parametrize("text", ['"a b' + " c d" * 300 + '"', "1234567890" * 100])
def test_a_json_string_or_number_is_json(text: str) -> None:
    assert shortened(text, 0.3).receipt.reason == "json"


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
