"""No secret reaches a writer, in the first pass over a history or in any that comes after it."""

import json
import re
from itertools import count
from typing import Any

import pytest
from compactions import Fixed, means, occasion, small
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import Json, assistant, call, result, user
from session_logs import PlainLogs

from elision.compaction.compact.run import compact
from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.sessions.compacting import Ending, compact_session
from elision.compaction.sessions.rewriting import originals_of, rewrite_of
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import Appended, Configured, Entry
from elision.compaction.sessions.view import SessionView
from elision.compaction.summary.sections import sections, written
from elision.compaction.summary.types import SummaryCall

KEY = "sk-proj-Ab3dEf6hIj9kLmN0pQrS7uVwXyZ1234567890"
SECRETS = ["horse77x", "hunterpass", "Tr0ub4dor&3", "gatoNegro77", KEY]
PADDING = "Some words about the work and what came of it. " * 40
PASSES = 3
SAID = st.sampled_from(
    [
        "Use password={} for the staging db.",
        "The db: password: {}",
        'config is {{"db": {{"password": "{}"}}}}',
        "export DB_PASSWORD={}",
        "api_key={} is for staging.",
        "curl -u app:{} https://x.example",
        "Login is https://app:{}@db.example/x",
    ]
)
LINES = st.lists(
    st.sampled_from(
        [
            "Logging in with {} at the staging db",
            "The password is {}",
            "DB_PASSWORD={} is set",
            "{}",
            "`{}` worked, then {}",
            "the user wants {}_prod and x{} in place",
            "{}{} was sent",
            "run psql postgres://app:{}@db/x",
        ]
    ),
    min_size=1,
    max_size=3,
)
POLICIES = st.sampled_from(["elision", "codex-local", "opencode", "gemini-cli", "pi", "openhands"])


def writer_of(policy: CompactionPolicy, lines: list[str]) -> Fixed:
    """A writer that says these lines of every placeholder that it is shown."""

    def answer(asked: SummaryCall) -> str:
        shown = list(dict.fromkeys(re.findall(r"\[secret\w*-\d+\]", asked.prompt)))[:6] or ["nothing"]
        body = "\n".join(f"- {line.replace('{}', one)}" for one in shown for line in lines)
        told = [(section, body) for section in sections(policy.summary)]
        return written(told, policy.summary.model_copy(update={"check": False}))

    return Fixed(answer)


def begun(planted: list[tuple[str, str, bool]]) -> list[Json]:
    story: list[Json] = [user("Deploy the service.")]
    for at, (words, secret, by_tool) in enumerate(planted):
        said = words.format(secret)
        told = [call(f"c{at}", "cat", {"path": "a"}), result(f"c{at}", said)] if by_tool else [user(said)]
        story += [*told, assistant(f"Fine. {PADDING}")]
    return [*story, *went_on()]


def went_on() -> list[Json]:
    return [user("go on with it"), assistant(f"Working. {PADDING}"), assistant(f"More. {PADDING}")]


PLANTED = st.lists(
    st.tuples(SAID, st.sampled_from(SECRETS), st.booleans()).filter(
        lambda one: "api_key" not in one[0] or any(map(str.isdigit, one[1]))
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.law
@settings(max_examples=settings().max_examples // 4)
@given(PLANTED, LINES, POLICIES)
def test_no_writer_reads_a_secret_in_any_pass(
    planted: list[tuple[str, str, bool]], lines: list[str], name: str
) -> None:
    policy, story = small(name), begun(planted)
    writer = writer_of(policy, lines)
    for _ in range(PASSES):
        body = json.dumps({"model": "gpt-4o", "messages": story})
        done = compact(read(body, Format.OPENAI_CHAT), policy, occasion(1200), means(writer))
        story = json.loads(done.raw)["messages"] + went_on()

    assert writer.calls
    assert leaked(writer, planted) == []


@pytest.mark.law
@settings(max_examples=settings().max_examples // 4)
@given(PLANTED, LINES, st.booleans())
def test_no_writer_reads_a_secret_of_a_session(
    planted: list[tuple[str, str, bool]], lines: list[str], again: bool
) -> None:
    policy = small("elision")
    writer = writer_of(policy, lines)
    # What was told to be a secret once is one whenever it is said again.
    repeated = [user(f"It was {secret}, was it?") for _, secret, _ in planted if long(secret) and again]
    parts = [begun(planted), *([*repeated, *went_on()] for _ in range(PASSES - 1))]
    logs, names = PlainLogs(), (f"n{at}" for at in count())
    logs.append("t", "s", [Configured(Format.OPENAI_CHAT, '{"model": "gpt-4o", "messages": []}')])

    def run(seen: SessionView) -> Any:
        known = originals_of(Timeline(logs.read("t", "s")[: seen.seq]))
        return rewrite_of(
            compact(read(seen.body()), policy, occasion(1200), means(writer, originals=known)), seen
        )

    for part in parts:
        logs.append("t", "s", [Appended(tuple(Entry("", json.dumps(one)) for one in part))])
        ended = compact_session(
            logs, "t", "s", run, clock=lambda: 0.0, new_id=names.__next__, limit_seconds=60, tries=1
        )
        assert ended.ending is not Ending.FAILED, ended.reason

    assert writer.calls
    assert leaked(writer, planted) == []


def long(secret: str) -> bool:
    """Whether it is no word: those are words elsewhere."""
    return not secret.isalpha()


def leaked(writer: Fixed, planted: list[tuple[str, str, bool]]) -> list[str]:
    return [
        secret for _, secret, _ in planted if any(secret in one.prompt + one.system for one in writer.calls)
    ]
