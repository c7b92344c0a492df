"""Forms about more than one step: later messages, restoring, the summariser."""

from dataclasses import replace

from tests.cases.counting import body_tokens
from tests.cases.forms.roles import check_neighbours
from tests.cases.grammar import compares, each_run, form
from tests.cases.outcome import Body, Outcome, Run, same, same_bytes
from tests.cases.reading import messages, plain, searchable


@form("the summarizer is called <how> <int> times?")
def called(outcome: Outcome, how: str, wanted: int) -> None:
    assert outcome.runs, "the service was never asked"
    assert compares(how, len(outcome.prompts), wanted), f"called {len(outcome.prompts)} times"


@form("the summarizer is not called")
def not_called(outcome: Outcome) -> None:
    called(outcome, "exactly", 0)


@form("every summarizer request has at most <int> tokens")
def prompt_size(outcome: Outcome, limit: int) -> None:
    assert outcome.prompts, "the summariser was never asked"
    sizes = [body_tokens({"messages": prompt}, {}) for prompt in outcome.prompts]
    assert max(sizes) <= limit, sizes


@form("some summarizer request contains <text>")
def prompt_with(outcome: Outcome, text: str) -> None:
    assert any(text in read for read in _prompted(outcome)), f"{text!r} is in none"


@form("no summarizer request contains <text>")
def prompt_without(outcome: Outcome, text: str) -> None:
    assert not any(text in read for read in _prompted(outcome)), f"{text!r} is in one"


@form("in each summarizer request no two neighbouring messages have the same role")
def prompt_roles(outcome: Outcome) -> None:
    assert outcome.prompts, "the summariser was never asked"
    for prompt in outcome.prompts:
        check_neighbours(list(prompt))


@each_run("the output has <how> <int> summary messages?")
def count_of_summaries(run: Run, how: str, wanted: int) -> None:
    reply = run.asked["summarizer_stub"]["reply"]
    found = [message for message in messages(run.output) if reply in "\n".join(plain(message))]
    assert compares(how, len(found), wanted), found


@form("the final history ends with the <int> appended messages, unchanged")
def appended(outcome: Outcome, count: int) -> None:
    tail = messages(_final(outcome))[-count:]
    assert len(outcome.appended) == count and same(tail, list(outcome.appended)), tail


@form("the last message before the appended ones is the input's last message, unchanged")
def before_appended(outcome: Outcome) -> None:
    last = messages(_final(outcome))[: -len(outcome.appended)][-1]
    assert same(last, messages(outcome.runs[0].given)[-1]), last


@form("restoring gives the input back byte for byte")
def restored(outcome: Outcome) -> None:
    _came_back(outcome, 1, outcome.runs[0].given)


@form("restoring once gives the list before the second run byte for byte")
def restored_once(outcome: Outcome) -> None:
    _came_back(outcome, 1, outcome.runs[1].given)


@form("restoring twice gives the input back byte for byte, followed by the appended messages")
def restored_twice(outcome: Outcome) -> None:
    later = [*messages(outcome.runs[0].given), *outcome.appended]
    _came_back(outcome, 2, {"messages": later})


def after_appending(outcome: Outcome) -> Outcome:
    """The outcome with the final history in the place of the output; for lines that speak of it."""
    return replace(outcome, runs=[replace(run, answered=_final(outcome)) for run in outcome.runs])


def _final(outcome: Outcome) -> Body:
    assert outcome.final is not None, "no final history"
    return outcome.final


def _came_back(outcome: Outcome, times: int, wanted: Body) -> None:
    assert len(outcome.restored) >= times, f"restored {len(outcome.restored)} times"
    found = outcome.restored[times - 1]
    for key in wanted:
        assert same_bytes(found.get(key), wanted[key]), f"{found.get(key)} is not {wanted[key]}"


def _prompted(outcome: Outcome) -> list[str]:
    assert outcome.prompts, "the summariser was never asked"
    return [text for prompt in outcome.prompts for text in searchable({"messages": prompt})]
