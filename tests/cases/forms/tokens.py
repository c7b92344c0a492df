"""Forms about size: tokens, characters, and what a count says."""

from tests.cases.counting import input_tokens, output_tokens, tokens_of
from tests.cases.grammar import each_run, form
from tests.cases.outcome import Outcome, Run
from tests.cases.reading import texts


@each_run("output tokens <= <int>")
def at_most(run: Run, limit: int) -> None:
    assert output_tokens(run) <= limit, f"{output_tokens(run)} tokens"


@each_run("output tokens <= input tokens")
def not_more(run: Run) -> None:
    assert output_tokens(run) <= input_tokens(run), f"{output_tokens(run)} from {input_tokens(run)} tokens"


@each_run("output tokens are at most <number> of input tokens")
def share_at_most(run: Run, share: float) -> None:
    share_between(run, 0, share)


@each_run("output tokens are between <number> and <number> of input tokens")
def share_between(run: Run, low: float, high: float) -> None:
    after, before = output_tokens(run), input_tokens(run)
    assert low * before <= after <= high * before, f"{after} of {before} tokens are {after / before:.3f}"


@each_run("each output text has at most <number> of the tokens of its input text")
def each_share_at_most(run: Run, share: float) -> None:
    for before, after in zip(run.given["texts"], run.output["texts"], strict=True):
        assert tokens_of(after) <= share * tokens_of(before), f"{tokens_of(after)} of {tokens_of(before)}"


@form("(?:both|all) outputs have fewer tokens than their inputs")
def all_fewer(outcome: Outcome) -> None:
    for run in outcome.runs:
        assert output_tokens(run) < input_tokens(run), f"{output_tokens(run)} from {input_tokens(run)}"


@each_run("output has at most <int> characters")
def characters_at_most(run: Run, limit: int) -> None:
    assert sum(map(len, texts(run.output))) <= limit, f"{sum(map(len, texts(run.output)))} characters"


@each_run("output has at most <int> bytes")
def bytes_at_most(run: Run, limit: int) -> None:
    size = sum(len(text.encode()) for text in texts(run.output))
    assert size <= limit, f"{size} bytes"


@each_run("output is not empty")
def not_empty(run: Run) -> None:
    assert any(text.strip() for text in texts(run.output)), "nothing is left"


@each_run("reported input tokens <= <int>")
def reported_at_most(run: Run, limit: int) -> None:
    assert _reported(run) <= limit, f"{_reported(run)} reported"


@each_run("reported input tokens >= <int>")
def reported_at_least(run: Run, limit: int) -> None:
    assert _reported(run) >= limit, f"{_reported(run)} reported"


@each_run("reported input tokens differ by at most <number>% from <int>")
def reported_near(run: Run, percent: float, wanted: int) -> None:
    assert abs(_reported(run) - wanted) <= wanted * percent / 100, f"{_reported(run)} reported"


@form("reported input tokens with <word> are at least <int> more than without")
def reported_with(outcome: Outcome, switch: str, more: int) -> None:
    assert outcome.plain, f"no count without {switch}"
    with_it, without = _reported(outcome.runs[0]), _reported(outcome.plain)
    assert with_it >= without + more, f"{with_it} with {switch}, {without} without"


def _reported(run: Run) -> int:
    assert run.failure is None, f"the count failed with {run.failure}"
    return int(run.fields["tokens"])
