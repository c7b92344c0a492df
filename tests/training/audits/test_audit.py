"""An audit is worth something only if it catches each kind of harm when we do it on purpose."""

import pytest

from elision.compaction.tokens import counter
from elision.compaction.types import Compressed, Drop, Receipt
from elision.model.types import Span
from elision.training.audits.audit import Check, audit, rebuild, without_controls

LOG = """\
2024-05-01 10:00:01 INFO worker 1 has started its work on the queue
2024-05-01 10:00:02 ERROR cannot reach 10.0.0.7:5432 after 30 tries
2024-05-01 10:00:03 INFO worker 2 did not find any work on the queue
2024-05-01 10:00:04 INFO worker 3 has started its work on the queue
"""


def cut(text: str, *gone: str, replacement: str = "", target: int = 1000) -> Compressed:
    """``text`` without the stretches, and an honest receipt."""
    drops = tuple(Drop(Span(text.index(g), text.index(g) + len(g)), replacement, "low_value") for g in gone)
    out = rebuild(text, drops)
    before, after = counter().count(text), counter().count(out)
    met = after <= target + max(0.03 * target, 8)
    receipt = Receipt(before, after, target, met, out != text, "", drops, (), "b", "r", "o200k_base", True)
    return Compressed(out, receipt)


def checks(text: str, result: Compressed) -> set[Check]:
    return {finding.check for finding in audit(text, result, counter())}


def line(number: int) -> str:
    return LOG.splitlines(keepends=True)[number]


def test_a_clean_cut_has_no_findings() -> None:
    assert not checks(LOG, cut(LOG))
    assert not checks(LOG, cut(LOG, line(3)))
    assert not checks(LOG, cut(LOG, " has started its work"))


def test_rebuild_puts_each_replacement_where_its_stretch_was() -> None:
    assert rebuild("abcdef", (Drop(Span(1, 2), "-", ""), Drop(Span(4, 6), "", ""))) == "a-cd"


@pytest.mark.parametrize(
    ("gone", "check"),
    [
        (" 10.0.0", Check.UNIT),
        (" not", Check.NEGATION),
        (line(1), Check.TEMPLATE),
    ],
)
def test_each_harm_is_found(gone: str, check: Check) -> None:
    assert check in checks(LOG, cut(LOG, gone))


@pytest.mark.parametrize(
    ("report", "check"),
    [
        ("FAILED tests/test_a.py::test_b - AssertionError: no", Check.TEST),
        ("Command exited with code 3", Check.EXIT_CODE),
        ("=== 2 failed, 14 passed in 0.33s ===", Check.TOTAL),
    ],
)
def test_a_lost_report_is_found(report: str, check: Check) -> None:
    text = f"the run has begun and goes on for a while\n{report}\n"

    assert check not in checks(text, cut(text))
    assert check in checks(text, cut(text, report + "\n"))


def test_the_first_and_the_last_of_an_error_template_must_both_stay() -> None:
    again = "2024-05-01 10:09:59 ERROR cannot reach 10.0.0.7:5432 after 31 tries\n"
    text = LOG + again

    assert Check.TEMPLATE in checks(text, cut(text, again))


def test_a_dishonest_receipt_is_found() -> None:
    told = cut(LOG, line(3)).receipt

    assert checks(LOG, Compressed(LOG.removesuffix(line(3)) + "more", told)) == {Check.RECEIPT, Check.REBUILD}


def test_growing_and_missing_the_target_are_found() -> None:
    grown = cut(
        LOG,
        line(3),
        replacement="[one line of the log has been elided at this very place in the text here]\n" * 3,
    )

    assert Check.GROWN in checks(LOG, grown)
    assert checks(LOG, cut(LOG, line(3), target=10)) == {Check.TARGET}


def test_json_that_broke_is_found() -> None:
    text = '{"a": 1, "b": 2}'

    assert Check.JSON in checks(text, cut(text, '"a": '))


def test_controls_that_went_are_no_harm() -> None:
    text = "\x1b[31mthe lock was not released by the worker\x1b[0m and so on\n"

    assert without_controls(text, ())[0] == "the lock was not released by the worker and so on\n"
    assert not checks(text, cut(text, "\x1b[31m", "\x1b[0m"))


def test_json_of_another_shape_and_half_units_of_its_texts_are_found() -> None:
    text = '{"path": "/var/log/app.log said \\u00e9t\\u00e9 and went\\non", "n": 1.0}'

    assert not checks(text, cut(text, " and went"))
    assert Check.JSON in checks(text, cut(text, '"n": 1.0'))
    assert Check.UNIT in checks(text, cut(text, "/app.log"))


@pytest.mark.parametrize(
    ("text", "gone", "check"),
    [
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "-b\n", Check.DIFF),
        ("src/a.py\n3: import os\n4: import re\nand so on it goes here\n", "src/a.py\n", Check.ROW),
        ("import os\n\n\ndef load(path: str) -> None:\n    return os.stat(path)\n", " os.stat(path)", Check.LINE),
    ],
)
def test_broken_structure_is_found(text: str, gone: str, check: Check) -> None:
    assert check not in checks(text, cut(text))
    assert check in checks(text, cut(text, gone))
