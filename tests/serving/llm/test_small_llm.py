"""A writer before a real LLM's server: the protocol, not the sense."""

from pathlib import Path

import pytest
from small_llm import CONTEXT, missing, small_llm

from elision.compaction.summary.types import Failure, Finish, SummaryCall, SummaryFailed
from elision.serving.llm.open import open_writers, parse_writers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}; see the Makefile"),
]


def test_a_real_server_writes_and_names_what_is_too_long(tmp_path: Path) -> None:
    with small_llm(tmp_path / "server.log") as url:
        specs = parse_writers(f"openai:local@{url} window={CONTEXT} timeout=300", {})
        (writer,) = open_writers(specs, lambda model, tokens_in, tokens_out: tokens_in / 1e6)
        with writer:
            reply = writer(SummaryCall("You summarise.", "Summarise: login was refused, then fixed.", 12))
            with pytest.raises(SummaryFailed) as failed:
                writer(SummaryCall("You summarise.", "word " * (2 * CONTEXT), 12))

    assert reply.text.strip() and reply.finish in (Finish.LENGTH, Finish.STOP)
    assert reply.input_tokens > 10 and 0 < reply.output_tokens <= 12
    assert reply.cost == reply.input_tokens / 1e6
    assert failed.value.failure is Failure.OVERFLOW
