"""The last line is what people read: it must not say more than was measured."""

from elision.training.audits.bout_report import Outcome, log_tables, mean_table, missed, verdict
from elision.training.audits.bouts import Bout, Contest, Missed
from elision.training.audits.rare_lines import Left

RARE = ("one", "two", "three", "four")


def shows(rows: int, tokens: int, *errors_lost: str) -> Left:
    there = tuple(number < rows for number in range(len(RARE)))
    return Left(tokens, there, there, errors_lost)


def outcome(ours: Left, theirs: Left, *missing: Missed) -> Outcome:
    bout = Bout("rival", theirs, False, theirs.tokens, theirs, ours)
    return Outcome("app", False, 100, RARE, 1, (), Contest(30, 0.9, ours, (bout,), missing))


def test_the_claim_holds_where_ours_is_higher_on_average() -> None:
    assert verdict([outcome(shows(3, 30), shows(2, 30)), outcome(shows(2, 30), shows(2, 30))])[0]


def test_a_log_in_which_a_rival_is_higher_is_said() -> None:
    holds, said = verdict([outcome(shows(4, 30), shows(2, 30)), outcome(shows(1, 30), shows(2, 30))])

    assert holds
    assert "lower: app, rival 0.50 / 0.25 (0.30) LOSS" in said


def test_a_rival_that_is_no_lower_on_average_is_enough_for_the_claim_not_to_hold() -> None:
    holds, said = verdict([outcome(shows(3, 30), shows(2, 30)), outcome(shows(1, 30), shows(2, 30))])

    assert not holds
    assert "behind on average: rival" in said


def test_one_lost_error_is_enough_for_the_claim_not_to_hold() -> None:
    holds, said = verdict([outcome(shows(4, 30, "cannot reach *"), shows(2, 30))])

    assert not holds
    assert "error lost: app: cannot reach *" in said


def test_the_tables_name_a_rival_that_failed() -> None:
    its = [outcome(shows(3, 30), shows(2, 30))]

    assert "| app | 100 | 4 | 1 | 0.900 | 0.750 | 0.300 | 0 | 0.50 / 0.75 (0.30) + | failed |" in log_tables(
        its, ["rival", "gone"]
    )
    assert "| gone | - |" in mean_table(its, ["rival", "gone"])


def test_missed_lines_are_listed_by_how_many_rivals_kept_them() -> None:
    lines = missed(
        [outcome(shows(1, 30), shows(2, 30), Missed("two", 1, ("a",)), Missed("four", 2, ("a", "b")))], 30
    )

    assert lines.index("four") < lines.index("two")
    assert "app: 2 of 4 missed" in lines
    assert "1 that ours has not\n    two" in lines
