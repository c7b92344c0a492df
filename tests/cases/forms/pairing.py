"""Forms about tool calls and their results."""

from collections import Counter
from collections.abc import Callable

from tests.cases.grammar import compares, each_run, form
from tests.cases.outcome import Body, Outcome, Run, same
from tests.cases.reading import calls, calls_of, messages, results, results_of


@each_run("every tool result has an earlier tool call with the same id")
def no_orphan(run: Run) -> None:
    made = {call.id: call.at for call in reversed(calls(run.output))}
    orphans = [result.id for result in results(run.output) if made.get(result.id, result.at) >= result.at]
    assert not orphans, f"results without a call before them: {orphans}"


@each_run("every tool call has exactly one tool result")
def one_result_each(run: Run) -> None:
    given = Counter(result.id for result in results(run.output))
    open_ones = _pending(run) if run.asked.get("pending_calls") == "keep" else set()
    wrong = {call.id: given[call.id] for call in calls(run.output) if call.id not in open_ones}
    wrong = {identity: count for identity, count in wrong.items() if count != 1}
    assert not wrong, f"results of each call: {wrong}"


@each_run("each tool_result's tool_use is in the message directly before it")
def answered_at_once(run: Run) -> None:
    made = {call.id: call.at for call in calls(run.output)}
    late = [result.id for result in results(run.output) if made.get(result.id) != result.at - 1]
    assert not late, f"not directly after their call: {late}"


@each_run("tool results directly follow the assistant message that made their calls")
def following(run: Run) -> None:
    for result in results(run.output):
        before = _step_before(run.output, result.at)
        assert result.id in before, f"{result.id} follows calls {before}"


@each_run("tool call <text> and its result are both kept")
def both_kept(run: Run, identity: str) -> None:
    assert _present(run.output, identity) == (1, 1), f"calls, results: {_present(run.output, identity)}"


@each_run("tool calls <texts> are all kept or all dropped")
def one_unit(run: Run, identities: list[str]) -> None:
    found = {identity: _present(run.output, identity) for identity in identities}
    assert set(found.values()) in ({(1, 1)}, {(0, 0)}), f"calls, results: {found}"


@each_run("no two tool results have the same id")
def no_double(run: Run) -> None:
    counts = Counter(result.id for result in results(run.output))
    assert max(counts.values(), default=0) <= 1, counts


@each_run("the output has <int> tool results?")
def number_of_results(run: Run, wanted: int) -> None:
    assert len(results(run.output)) == wanted, f"{len(results(run.output))} results"


@each_run("the output has <how> <int> tool results?")
def count_of_results(run: Run, how: str, wanted: int) -> None:
    assert compares(how, len(results(run.output)), wanted), f"{len(results(run.output))} results"


@each_run("no tool result is empty")
def no_empty_result(run: Run) -> None:
    empty = [result.id for result in results(run.output) if not result.text.strip()]
    assert not empty, f"empty: {empty}"


@each_run("tool result <text> is unchanged")
def result_unchanged(run: Run, identity: str) -> None:
    before, after = ([r.raw for r in results(b) if r.id == identity] for b in (run.given, run.output))
    assert same(before, after), f"{str(after)[:500]} is not {str(before)[:500]}"


@form("tool result <text> has the same text in all outputs")
def one_form(outcome: Outcome, identity: str) -> None:
    found = [[r.text for r in results(run.output) if r.id == identity] for run in outcome.runs]
    assert all(texts == found[0] for texts in found), found


@form("the \\w+ shapes give equal text for the tool result")
def equal_shapes(outcome: Outcome) -> None:
    found = {name: [r.text for r in results(run.output)] for name, run in outcome.shapes.items()}
    assert len(found) > 1, f"only {list(found)} were tried"
    assert len(set(map(tuple, found.values()))) == 1, found


def _pending(run: Run) -> set[str]:
    return {call.id for call in calls_of(messages(run.given)[-1])}


def _step_before(body: Body, at: int) -> list[str]:
    """Ids of the calls of the step that the results at ``at`` answer; neighbouring messages are one step."""
    found = messages(body)
    at = _back(at, lambda index: any(results_of(found[index])))
    start = _back(at, lambda index: any(calls_of(found[index])))
    return [call.id for message in found[start + 1 : at + 1] for call in calls_of(message)]


def _back(at: int, holds: Callable[[int], bool]) -> int:
    while at >= 0 and holds(at):
        at -= 1
    return at


def _present(body: Body, identity: str) -> tuple[int, int]:
    found = [sum(one.id == identity for one in group) for group in (calls(body), results(body))]
    return found[0], found[1]
