"""With redaction on, no secret of a tool result leaves by any way: body, receipt, pointer, handle or store."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assistant, call, result, told, user
from remembering import COUNTER, MADE_BY, Remembering, shorten, too_late

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.history import Limit, compress_history
from elision.compaction.messages import CompressedMessages, compress_messages
from elision.compaction.policy import Policy, ToolRule, Treatment
from elision.compaction.types import Budget

SECRET = "hunter2-horse-battery"
PADDING = "\n".join(f"10:00:{i:02d} INFO worker {i} finished its step of the plan" for i in range(30))
TEXTS = [
    f"DB_PASSWORD={SECRET}",
    f"{PADDING}\npassword: {SECRET}\n{PADDING}",
    json.dumps({"password": SECRET, "rows": list(range(200))}),
    json.dumps({"content": [{"type": "text", "text": json.dumps({"password": SECRET, "log": PADDING})}]}),
    f"\x1b[1mpassword\x1b[0m=\x1b[31m{SECRET}\x1b[0m\n{PADDING}",
    PADDING,
]
RULES: list[list[ToolRule]] = [[], [ToolRule("*", Treatment.NEVER)], [ToolRule("*", Treatment.FOLD_ONLY)], [ToolRule("*", 0.2)]]


@st.composite
def stories(draw: st.DrawFn) -> list[dict[str, Any]]:
    story: list[dict[str, Any]] = [user("fix it")]
    for turn in range(draw(st.integers(1, 4))):
        story += [
            call(f"c{turn}", "bash", {"command": f"login --password={SECRET}"}),
            result(f"c{turn}", draw(st.sampled_from(TEXTS))),
        ]
    return [*story, *([assistant("ok"), user("go on")] if draw(st.booleans()) else [])]


def spoken(answer: CompressedMessages, store: Remembering) -> str:
    """Everything that leaves, but for calls, which are never touched."""
    parts = [leaf.text for leaf in answer.leaves if leaf.planned.tool and leaf.planned.index % 2 == 0]
    parts += [store.original(leaf.handle) or "" for leaf in answer.leaves if leaf.handle]
    parts += [drop.replacement for leaf in answer.leaves if leaf.compressed for drop in leaf.compressed.receipt.dropped]
    return "\n".join([*parts, *store.originals.values(), *(made.text for made in store.decisions.values())])


@given(
    stories(),
    st.sampled_from(RULES),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0, 1, 3, 9]),
    st.sampled_from([None, 60, 300, 3000]),
    st.booleans(),
)
def test_no_way_out(
    story: list[dict[str, Any]],
    rules: list[ToolRule],
    clean: bool,
    handles: bool,
    frozen: int,
    total: int | None,
    late: bool,
) -> None:
    policy = Policy(
        budget=Budget(keep_ratio=0.4, floor_tokens=20),
        tool_rules=rules,
        frozen_messages=frozen,
        clean=clean,
        show_handles=handles,
        redact=True,
    )
    conversation, store = read(told(story, Format.OPENAI_CHAT)), Remembering()
    by = too_late if late else shorten
    if total is None:
        answer = compress_messages(conversation, policy, shorten=by, store=store, counter=COUNTER, made_by=MADE_BY)
    else:
        limit = Limit(total, protect_recent=frozen, clip=handles)
        answer = compress_history(conversation, policy, limit, shorten=by, store=store, counter=COUNTER, made_by=MADE_BY)

    assert SECRET not in spoken(answer, store)
    assert not any(SECRET in message["content"] for message in json.loads(answer.raw)["messages"] if message["role"] == "tool")


@pytest.mark.parametrize("text", TEXTS[:-1])
def test_what_we_wrote_before_is_redacted_when_that_is_asked_for_now(text: str) -> None:
    store = Remembering()

    def done(body: str, redact: bool) -> str:
        policy = Policy(budget=Budget(keep_ratio=0.6, floor_tokens=20), redact=redact)
        return compress_messages(read(body), policy, shorten=shorten, store=store, counter=COUNTER, made_by=MADE_BY).raw

    first = done(told([user("x"), call("a", "bash", {}), result("a", text)], Format.OPENAI_CHAT), redact=False)

    assert SECRET not in done(first, redact=True)
