"""Check a `must` line: find its form, then ask it of the outcome."""

from importlib import import_module
from pathlib import Path

from tests.cases.forms import history
from tests.cases.grammar import FORMS, Form
from tests.cases.outcome import Outcome

for _family in sorted((Path(__file__).parent / "forms").glob("*.py")):
    import_module(f"tests.cases.forms.{_family.stem}")  # which registers its forms

_LATER = "after appending: "


def known(line: str) -> list[Form]:
    """The forms that ``line`` has; exactly one if it can be checked."""
    return [form for form in FORMS if form.values(line.removeprefix(_LATER)) is not None]


def check(line: str, outcome: Outcome) -> None:
    """Check one line.

    Raises:
        AssertionError: If it does not hold; says what was found instead.
        LookupError: If no form, or more than one, fits the line.
    """
    found = known(line)
    if len(found) != 1:
        raise LookupError(f"{len(found)} forms fit {line!r}")
    values = found[0].values(line.removeprefix(_LATER))
    seen = history.after_appending(outcome) if line.startswith(_LATER) else outcome
    try:
        found[0].check(seen, *(values or []))
    except AssertionError as error:
        raise AssertionError(f"{line}: {error}") from None
