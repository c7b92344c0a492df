"""A verdict says what the labels can tell: nothing is better that could as well be chance."""

import pytest
from judged import KnowingScorer, judged_rows

from elision.training.evaluation.baselines import baselines
from elision.training.evaluation.compare import (
    BETTER,
    FEWER,
    KIND_FIGURES,
    UNCLEAR,
    WORSE,
    Comparison,
    apart,
    compare,
    compare_kinds,
)
from elision.training.evaluation.evaluate import evaluate
from elision.training.evaluation.measured import Measured, measure_rule, measure_scorer
from elision.training.labels.rows import LabelRow

ROWS = judged_rows(20)
GOOD = KnowingScorer(ROWS, 0.2, "good@0")
POOR = KnowingScorer(ROWS, 1.5, "poor@0")


def docs(rows: list[LabelRow]) -> list[str]:
    return [row.doc for row in rows]


def by_figure(found: list[Comparison]) -> dict[str, Comparison]:
    return {one.figure: one for one in found}


def measured(scorer: KnowingScorer, rows: list[LabelRow] = ROWS) -> Measured:
    return measure_scorer(rows, scorer)


def test_a_scorer_against_itself_differs_by_exactly_nothing() -> None:
    one = measure_scorer(ROWS, GOOD, end_to_end=True)

    for found in compare(one, [one], docs(ROWS)) + compare_kinds(one, [one], docs(ROWS)):
        assert (found.difference, found.interval, found.verdict) == (0.0, (0.0, 0.0), UNCLEAR)


def test_a_better_scorer_is_better_and_the_other_worse_by_as_much() -> None:
    good, poor = measured(GOOD), measured(POOR)
    ahead, behind = by_figure(compare(good, [poor], docs(ROWS))), by_figure(compare(poor, [good], docs(ROWS)))

    for figure in ("line_auc_ge2", "pooled_auc_ge2", "essential@0.33"):
        assert (ahead[figure].verdict, behind[figure].verdict) == (BETTER, WORSE)
        assert ahead[figure].difference == -behind[figure].difference > 0
        one, other = ahead[figure].interval, behind[figure].interval
        assert one and other and one == pytest.approx((-other[1], -other[0]))


def test_more_documents_make_the_interval_smaller() -> None:
    widths = []
    for documents in (8, 80):
        rows = judged_rows(documents)
        pair = [measured(KnowingScorer(rows, 0.6, name), rows) for name in ("a@0", "b@0")]
        within = by_figure(compare(pair[0], pair[1:], docs(rows)))["line_auc_ge2"].interval
        assert within
        widths.append(within[1] - within[0])

    assert widths[1] < widths[0] / 2


def test_a_document_cut_into_copies_tells_no_more_than_once() -> None:
    rows = judged_rows(6, chunks=1)
    copies = [row for row in rows for _ in range(10)]
    good, poor = KnowingScorer(rows, 0.2, "good@0"), KnowingScorer(rows, 1.5, "poor@0")
    once = by_figure(compare(measured(good, rows), [measured(poor, rows)], docs(rows)))
    often = by_figure(compare(measured(good, copies), [measured(poor, copies)], docs(copies)))

    assert once["line_auc_ge2"].interval == pytest.approx(often["line_auc_ge2"].interval)
    assert once["pooled_auc_ge2"].interval == pytest.approx(often["pooled_auc_ge2"].interval)


def test_the_figures_are_those_of_evaluate() -> None:
    figures = evaluate(ROWS, GOOD, end_to_end=True)
    mine, other = measure_scorer(ROWS, GOOD, end_to_end=True), measure_scorer(ROWS, POOR, end_to_end=True)

    found = compare(mine, [other], docs(ROWS))
    kinds = compare_kinds(mine, [other], docs(ROWS))

    assert {one.figure: one.ours for one in found} == {k: v for k, v in figures.items() if "[" not in k}
    assert {f"{one.figure}[kind={one.kind}]": one.ours for one in kinds} == {
        key: value for key, value in figures.items() if key.split("[")[0] in KIND_FIGURES and "[" in key
    }


def test_each_figure_is_compared_with_the_rule_that_does_best_at_it() -> None:
    rules = [measure_rule(ROWS, name, rule) for name, rule in baselines([row.text for row in ROWS]).items()]
    found = compare(measured(GOOD), rules, docs(ROWS))

    assert not [one for one in found if one.figure == "word_auc"]  # rules value no words
    for one in found:
        assert one.theirs == max(rule.figures()[one.figure] for rule in rules)
        assert one.theirs == next(rule for rule in rules if rule.name == one.other).figures()[one.figure]


def test_one_document_alone_tells_nothing_of_a_kind() -> None:
    rows = judged_rows(1)
    pair = [measured(KnowingScorer(rows, noise, f"{noise}@0"), rows) for noise in (0.0, 1.5)]

    assert {(one.interval, one.verdict) for one in compare(pair[0], pair[1:], docs(rows))} == {(None, UNCLEAR)}


def test_chunks_are_drawn_where_all_are_of_one_document() -> None:
    assert apart(["a", "a", "b"], ["1", "2", "3"]) == ["a", "a", "b"]
    assert apart(["a", "a", "a"], ["1", "2", "3"]) == ["1", "2", "3"]


def test_tokens_used_are_more_or_fewer_and_never_better() -> None:
    assert Comparison("e2e_tokens@0.33", "b", 0.3, 0.4, (-0.2, -0.05)).verdict == FEWER
