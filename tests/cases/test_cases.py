"""Every case of the folder, put to the service: each line of its `must` is checked by program.

``ELISION_CASES=DIR pytest tests/cases`` runs another folder of the same form.
"""

from collections.abc import Callable

import pytest

from tests.cases.capabilities import GOALS, waits_for
from tests.cases.loading import Case, folder, load
from tests.cases.musts import check, known
from tests.cases.outcome import Outcome
from tests.cases.surface import Surface

CASES = load(folder())
SLOW = frozenset({"107-match-inside-minified-line", "108-one-result-is-the-load", "204-endpoint-blocks-loop"})


def _parameter(case: Case) -> object:
    marks = [pytest.mark.slow] if case.id in SLOW else []
    if reason := waits_for(case):
        marks.append(pytest.mark.xfail(reason=reason, strict=True))
    return pytest.param(case, marks=marks, id=case.id)


@pytest.mark.parametrize("case", [_parameter(case) for case in CASES])
def test_the_case_holds(case: Case, surface: Surface, record_property: Callable[[str, object], None]) -> None:
    broken = _broken(case, surface.run(case))
    gates = [why for line, why in broken.items() if (case.id, line) not in GOALS]
    for line in (line for line in broken if (case.id, line) in GOALS):
        record_property(f"goal missed by {case.id}", line)

    assert not gates, "\n".join(gates)


def test_every_must_form_is_known() -> None:
    strange = [(case.id, line) for case in CASES for line in case.must if len(known(line)) != 1]

    assert not strange


def _broken(case: Case, outcome: Outcome) -> dict[str, str]:
    """The lines that do not hold, each with the reason."""
    broken = {}
    for line in case.must:
        try:
            check(line, outcome)
        except (AssertionError, LookupError) as error:
            broken[line] = str(error)
    return broken
