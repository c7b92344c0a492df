"""An audit of bodies is worth something only if it catches each harm when we do it on purpose."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from elision.compaction.conversation import Format
from elision.compaction.raw_json import parse
from elision.training.audits.convert import Request, convert
from elision.training.audits.message_audit import (
    Check,
    Misshapen,
    Pass,
    Passed,
    audit_request,
    changes,
    result_pointers,
)

LONG = "the output of a call, long enough to be shortened"
TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "Look."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"n": 1.0}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": LONG},
    {"role": "assistant", "content": "And again."},
    {"role": "user", "content": "Thanks."},
]
FORMATS = [format for format in Format if format is not Format.TEXT]
HONEST = LONG.replace(", long enough", "")


def same(raw: str) -> Passed:
    return Passed(raw, 10, 10)


def doing(change: Callable[[str], str]) -> Callable[[], Pass]:
    return lambda: lambda raw: Passed(change(raw), 10, 9)


def found(request: Request, fresh: Callable[[], Pass], untouched: Pass = same) -> set[Check]:
    return {finding.check for finding in audit_request(request, request.ends, fresh=fresh, untouched=untouched).findings}


@pytest.mark.parametrize("format", FORMATS)
def test_an_honest_pass_has_no_findings_and_is_counted(format: Format) -> None:
    request = convert(TALK, format, seed="a")

    outcome = audit_request(request, request.ends, fresh=doing(lambda raw: raw.replace(LONG, HONEST)), untouched=same)

    assert not outcome.findings
    assert (outcome.results, outcome.touched, outcome.before, outcome.after) == (1, 1, 10, 9)


@pytest.mark.parametrize("format", FORMATS)
def test_the_texts_of_results_are_told_from_all_others(format: Format) -> None:
    for seed in "abcdefgh":  # both shapes of a result
        request = convert(TALK, format, seed=seed)
        pointers = result_pointers(parse(request.body()), format)

        assert len(pointers) == 1
        assert next(iter(pointers)).rsplit("/", 1)[1] in {"content", "output", "text"}


@pytest.mark.parametrize(
    ("harm", "check"),
    [
        (lambda raw: raw[:-1], Check.JSON),
        (lambda raw: raw.replace("Look.", "Look"), Check.TOUCHED),
        (lambda raw: raw.replace("gpt-4.1", "gpt-4"), Check.TOUCHED),
        (lambda raw: raw.replace("1.0", "1", 1), Check.SHAPE),
        (lambda raw: raw.replace("top_p", "topp"), Check.SHAPE),
        (lambda raw: raw.replace("[", "[ ", 1), Check.BYTES),
        (lambda raw: raw if "Thanks" in raw else raw.replace(LONG, HONEST), Check.COLD),
        (lambda raw: raw if "Thanks" in raw else raw.replace(LONG, HONEST), Check.WARM),
    ],
)
def test_each_harm_is_found(harm: Callable[[str], str], check: Check) -> None:
    assert check in found(convert(TALK, Format.OPENAI_CHAT, seed="a"), doing(harm))


def test_what_a_warm_store_changes_is_found() -> None:
    def fresh() -> Pass:
        seen: list[str] = []

        def forgetful(raw: str) -> Passed:
            seen.append(raw)
            return Passed(raw.replace(LONG, HONEST[: -len(seen)]), 10, 9)

        return forgetful

    assert found(convert(TALK, Format.ANTHROPIC, seed="a"), fresh) == {Check.WARM}


def test_growth_new_problems_and_a_changed_identity_are_found() -> None:
    request = convert(TALK, Format.GEMINI, seed="a")

    checks = found(request, lambda: lambda raw: Passed(raw, 9, 10, ("call without result",)), lambda raw: same(raw + " "))

    assert checks == {Check.GROWN, Check.VALID, Check.IDENTITY}


def test_changes_are_strings_alone() -> None:
    before, after = '{"a": ["x", 1.0], "b": {"c": "y"}}', '{"a": ["x", 1.0], "b": {"c": "z"}}'

    assert [(change.pointer, change.after) for change in changes(before, after)] == [("/b/c", '"z"')]
    for other in ('{"a": ["x"], "b": {"c": "y"}}', '{"b": {"c": "y"}, "a": ["x", 1.0]}', before.replace("1.0", "1")):
        with pytest.raises(Misshapen):
            changes(before, other)


def test_a_string_spelled_otherwise_is_a_change() -> None:
    assert [change.pointer for change in changes('["é"]', json.dumps(["é"]))] == ["/0"]
