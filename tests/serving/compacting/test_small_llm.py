"""A real small LLM behind a real server writes for `/v1/compact`: the protocol and the structure, not the sense."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from compact_calls import SECRETS, holds, post
from messages import assistant, told, user
from small_llm import CONTEXT, missing, small_llm

from elision.compaction.conversation import Format

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}; see the Makefile"),
]


def test_a_real_model_writes_or_the_summary_is_by_rule_and_nothing_is_lost(
    serve: Callable[..., httpx.Client], scorer: Any, tmp_path: Path
) -> None:
    story = [user("Never touch prod.yaml. Make the importer faster.")]
    for step in range(4):
        story += [
            assistant(f"I looked at the importer of step {step}. It reads table_{step} row by row. " * 4),
            user(f"Go on with step {step + 1}."),
        ]
    raw = told(story, Format.OPENAI_CHAT)
    with small_llm(tmp_path / "server.log") as url:
        client = serve(
            scorer,
            writers=f"openai:local@{url} window={CONTEXT} max_output=60 timeout=120 retries=0",
            summary_seconds=240,
        )
        client.timeout = httpx.Timeout(300)
        sets = ["select.tail_min=20", "select.tail_max=60", "gate.enough=none", "summary.max_tokens=60"]
        answer = post(client, "/v1/compact", raw, set=sets)
    report = answer.json()
    first = report["attempts"][0]

    holds(answer, raw, Format.OPENAI_CHAT)
    assert report["decision"] == "compact" and report["summary"]
    assert first["by"] == "openai/local" and first["failure"] not in (
        "network",
        "timeout",
        "auth",
        "unavailable",
        "overflow",
    )
    # Whatever it wrote, the provider counted it.
    assert first["input_tokens"] > 100 and first["output_tokens"] > 0
    assert not any(secret in answer.text for secret in SECRETS)
