"""Forms about the arguments of tool calls."""

import json
import re
from typing import Any

from tests.cases.grammar import HOLES, each_run
from tests.cases.outcome import Body, Run, same
from tests.cases.reading import Call, calls, results


@each_run("every tool call's arguments parse as JSON")
def parse(run: Run) -> None:
    for call in calls(run.output):
        try:
            json.loads(call.arguments)
        except ValueError as error:
            raise AssertionError(f"{call.id}: {error}: {call.arguments[:300]}") from None


@each_run("arguments of tool call <text> have the same keys as in the input")
def same_keys(run: Run, identity: str) -> None:
    before, after = _value(run.given, identity), _value(run.output, identity)
    assert set(before) == set(after), f"{set(after)} is not {set(before)}"


@each_run(
    "arguments of tool call <text> have the same keys as in the input, or the call is not in the output"
)
def same_keys_or_gone(run: Run, identity: str) -> None:
    if _found(run.output, identity):
        same_keys(run, identity)


@each_run("arguments of tool call <text>: key <text> is unchanged")
def key_unchanged(run: Run, identity: str, key: str) -> None:
    before, after = _value(run.given, identity)[key], _value(run.output, identity).get(key)
    assert same(before, after), f"{after!r} is not {before!r}"


_PAIR = f"({HOLES['text'][0]}) is ({HOLES['value'][0]})"


@each_run("arguments of tool call <text>, if present: <rest>")
def values_if_present(run: Run, identity: str, pairs: str) -> None:
    """``pairs`` reads ``'path' is 'a.md', 'mode' is 420``."""
    wanted = {HOLES["text"][1](key): HOLES["value"][1](value) for key, value in re.findall(_PAIR, pairs)}
    assert wanted, f"no pairs in {pairs!r}"
    if _found(run.output, identity):
        value = _value(run.output, identity)
        found = {key: value.get(key) for key in wanted}
        assert same(found, wanted), f"{found} is not {wanted}"


@each_run("arguments of tool call <text> are byte-identical to the input")
def untouched(run: Run, identity: str) -> None:
    before, after = ([call.arguments for call in _found(b, identity)] for b in (run.given, run.output))
    assert after == before, f"{after} is not {before}"


@each_run(
    "arguments of tool call <text> are byte-identical to the input, "
    "or the call and its result are not in the output"
)
def untouched_or_gone(run: Run, identity: str) -> None:
    if _found(run.output, identity) or any(result.id == identity for result in results(run.output)):
        untouched(run, identity)


def _found(body: Body, identity: str) -> list[Call]:
    return [call for call in calls(body) if call.id == identity]


def _value(body: Body, identity: str) -> Any:
    found = _found(body, identity)
    assert found, f"call {identity} is gone"
    assert isinstance(found[0].value, dict), f"not an object: {found[0].arguments[:300]}"
    return found[0].value
