"""Nobody may win by having more tokens, neither ours nor a rival."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.tokens import counter
from elision.training.audits.bouts import Bout, Contest, Result, contest, head_and_tail, possible
from elision.training.audits.rare_lines import Left, rows, wanted

LINES = [
    f"line {word} of the log\n" for word in ("one", "two", "three", "four", "five", "six", "seven", "eight")
]
LOG = "".join(LINES)
LINE = counter().count(LINES[0])


def first_lines(tokens: int) -> str:
    """Ours: as many of the first lines as fit."""
    return head_of(LOG, tokens)


def head_of(text: str, tokens: int) -> str:
    kept = ""
    for line in text.splitlines(keepends=True):
        if counter().count(kept + line) > tokens:
            break
        kept += line
    return kept


def against(**outputs: str) -> Contest:
    of = wanted(LOG, range(len(rows(LOG))))
    return contest(of, 4 * LINE, first_lines, outputs, counter())


def some(share: float, tokens: int) -> Left:
    rare = tuple(number < share * 10 for number in range(10))
    return Left(tokens, rare, rare, ())


@given(st.lists(st.text("ab \n", max_size=12), max_size=30), st.integers(0, 60))
def test_a_cut_text_is_its_first_and_last_lines_within_the_tokens(lines: list[str], tokens: int) -> None:
    text = "\n".join(lines)
    kept = head_and_tail(text, tokens, counter()).splitlines(keepends=True)
    every = text.splitlines(keepends=True)

    assert sum(counter().count(line) for line in kept) <= tokens
    assert any(kept == every[:n] + every[len(every) - (len(kept) - n) :] for n in range(len(kept) + 1))


def test_a_text_that_fits_is_not_cut() -> None:
    assert head_and_tail(LOG, 1000, counter()) == LOG


@pytest.mark.parametrize(
    ("theirs", "ours", "result"),
    [
        (some(0.5, 100), some(0.6, 100), Result.WIN),
        (some(0.5, 100), some(0.5, 90), Result.TIE),
        (some(0.5, 100), some(0.4, 50), Result.LOSS),
        (some(0.5, 100), some(0.4, 300), Result.LOSS),
        (some(0.5, 100), some(0.9, 300), Result.OVER),
        (some(0.5, 100), some(0.9, 108), Result.WIN),
    ],
)
def test_more_tokens_never_win(theirs: Left, ours: Left, result: Result) -> None:
    assert Bout("rival", theirs, False, 100, theirs, ours).result is result


def test_a_rival_that_gives_the_log_back_is_cut_to_what_ours_took() -> None:
    (bout,) = against(idle=LOG).bouts

    assert bout.cut
    assert bout.whole.share == 1.0
    assert bout.theirs.share == bout.ours.share == 0.5
    assert bout.theirs.tokens <= bout.allowed == 4 * LINE


def test_ours_is_asked_for_what_a_rival_that_took_less_came_to() -> None:
    (bout,) = against(terse=LINES[5]).bouts

    assert not bout.cut
    assert bout.allowed == LINE
    assert bout.ours.share == bout.theirs.share == 0.125


def test_no_more_is_possible_than_the_shortest_lines_that_fit() -> None:
    of = wanted(LOG, range(len(LINES)))

    assert possible(of, 4 * LINE, counter()) == 0.5
    assert possible(of, 100 * LINE, counter()) == 1.0
    assert possible(of, 1, counter()) == 0.0


def test_a_rival_that_keeps_nothing_is_met_with_the_least_that_can_be_asked() -> None:
    (bout,) = against(empty="").bouts

    assert bout.allowed == 1
    assert bout.result is Result.TIE


def test_a_line_that_a_rival_keeps_and_ours_does_not_is_missed() -> None:
    missed = against(terse=LINES[5], same=LINES[5] + LINES[0]).missed

    assert [(one.row, one.of_template, one.kept_by) for one in missed] == [
        (LINES[5].strip(), 1, ("terse", "same"))
    ]
