"""What contradicts itself in a report is said with its numbers."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from batch_runs import RUN, a_log, a_run

from elision.serving.batch.report.checks import adds_up
from elision.serving.batch.report.figures import report


def corrupt(path: str, value: Any) -> dict[str, Any]:
    made = deepcopy(report(RUN, 1.0))
    *way, last = path.split("/")
    place: Any = made
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    place[last] = value
    return made


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("totals/tokens_after", 1, "tokens_after: the files add up to 1,815,000, the run says 1"),
        ("totals/bytes_in", 1, "bytes_in: the files add up to 16,130,000, the run says 1"),
        ("levels/INFO", 0, "the levels add up to 20,100 lines of 201,000"),
        ("templates/0/lines", 7, "the templates add up to 100,507 lines of 201,000"),
        ("templates/0/kept", 999_999, "a template keeps more lines than it has"),
        ("reasons/", 0, "the reasons add up to 9 texts, the files to 103"),
        ("files/0/levels/ERROR", 0, "app.log: the levels add up to 900 lines of 1,000"),
        ("files/1/templates/1/lines", 0, "big.log: the templates add up to 100,000 lines of 200,000"),
        ("files/2/records_out", 98, "rows.jsonl: 100 records in, 98 out, 3 set aside"),
        ("files/2/reasons/below_floor", 8, "rows.jsonl: the reasons add up to 98 texts of 97"),
        ("files/2/tokens_after", 12_001, "rows.jsonl: 12,000 tokens became 12,001"),
        ("files/2/name", "app.log", "app.log: 2 files have this name"),
    ],
)
def test_what_does_not_add_up_is_said_with_its_numbers(path: str, value: Any, said: str) -> None:
    assert said in adds_up(corrupt(path, value))


def test_a_report_that_does_not_add_up_says_so_itself() -> None:
    log = a_log()
    lost = replace(log, totals=replace(log.totals, levels={}), records_set_aside=2000)

    assert report(a_run(lost), 1.0)["adds_up"] == [
        "app.log: the levels add up to 0 lines of 1,000",
        "app.log: 1,000 records in, 1,000 out, 2,000 set aside",
        "the levels add up to 0 lines of 1,000",
    ]


def test_secrets_may_be_shorter_than_what_stands_for_them() -> None:
    log = a_log()
    grown = replace(log, totals=replace(log.totals, tokens_after=log.totals.tokens_before + 9))

    assert report(a_run(grown), 1.0)["adds_up"] == ["app.log: 30,000 tokens became 30,009"]
    assert report(a_run(grown, redact=True), 1.0)["adds_up"] == []
