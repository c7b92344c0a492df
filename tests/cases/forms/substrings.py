"""Forms about strings: which survive, which must not occur, and where."""

from tests.cases.grammar import compares, each_run, form
from tests.cases.outcome import Outcome, Run
from tests.cases.reading import searchable, texts


@each_run("substring <text> survives")
def survives(run: Run, text: str) -> None:
    assert any(text in found for found in searchable(run.output)), f"{text!r} is gone"


@each_run("substring <text> does not occur in the output")
def absent(run: Run, text: str) -> None:
    found = [read for read in searchable(run.output) if text in read]
    assert not found, f"{text!r} stands in {found[0][:300]!r}"


@form("substring <text> does not occur in the <word> output")
def absent_from_one(outcome: Outcome, text: str, which: str) -> None:
    absent_check = searchable(outcome.runs[("first", "second", "third").index(which)].output)
    assert not any(text in read for read in absent_check), f"{text!r} stands in the {which} output"


@each_run("substring <text> occurs exactly once(?: in the output)?")
def once(run: Run, text: str) -> None:
    occurs(run, text, "exactly", 1)


@each_run("substring <text> occurs <how> <int> times?(?: in the output)?")
def occurs(run: Run, text: str, how: str, wanted: int) -> None:
    count = sum(read.count(text) for read in texts(run.output))
    assert compares(how, count, wanted), f"{text!r} occurs {count} times"


@form("substring <text> occurs exactly once in the final history")
def once_at_last(outcome: Outcome, text: str) -> None:
    assert outcome.final is not None, "no final history"
    count = sum(read.count(text) for read in texts(outcome.final))
    assert count == 1, f"{text!r} occurs {count} times"


@each_run("substrings <text> and <text> are not on the same output line")
def apart(run: Run, left: str, right: str) -> None:
    shared = [line for line in _lines(run) if left in line and right in line]
    assert not shared, f"both stand on {shared[0]!r}"


@each_run("if substring <text> survives then it is on one line with <text>")
def together(run: Run, text: str, neighbour: str) -> None:
    alone = [line for line in _lines(run) if text in line and neighbour not in line]
    assert not alone, f"{neighbour!r} is not on {alone[0]!r}"


@each_run("substring <text> comes before substring <text>")
def ordered(run: Run, first: str, second: str) -> None:
    whole = "\n".join(texts(run.output))
    assert first in whole and second in whole, f"{first!r} or {second!r} is gone"
    assert whole.index(first) < whole.index(second), f"{second!r} comes first"


def _lines(run: Run) -> list[str]:
    return [line for text in texts(run.output) for line in text.splitlines()]
