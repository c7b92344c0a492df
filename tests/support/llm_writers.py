"""Writers before a fake server: what comes of one call."""

from dataclasses import replace
from typing import Any

import pytest
from fake_llm import ANTHROPIC, OPENAI, Behaviour, FakeLLM, fake_llm

from elision.compaction.summary.types import SummaryCall, SummaryFailed, SummaryReply
from elision.serving.llm.endpoint import Endpoint, Patience
from elision.serving.llm.open import open_writers
from elision.serving.llm.writer import Writer

SECRET = "sk-not-a-real-key"
CALL = SummaryCall("You write summaries.", "Summarise: we fixed login.", 500)
FAST = Patience(timeout=30.0, deadline=60.0, retries=2, backoff=0.0, reply_bytes=1_000_000)
HASTY = replace(FAST, timeout=0.3)
BOTH = pytest.mark.parametrize("api", [OPENAI, ANTHROPIC])


def writer(api: str, url: str, patience: Patience = FAST, **settings: Any) -> Writer:
    base_url = f"{url}/v1" if api == OPENAI else url
    (opened,) = open_writers([Endpoint(api, "fake", base_url, SECRET, 1000, patience=patience, **settings)])
    return opened


def failure(api: str, behaviour: Behaviour, patience: Patience = FAST) -> tuple[SummaryFailed, FakeLLM]:
    with fake_llm(behaviour) as llm, writer(api, llm.url, patience) as asked:
        with pytest.raises(SummaryFailed) as failed:
            asked(CALL)
    assert SECRET not in str(failed.value)
    return failed.value, llm


def reply(api: str, behaviour: Behaviour) -> tuple[SummaryReply, FakeLLM]:
    with fake_llm(behaviour) as llm, writer(api, llm.url) as asked:
        return asked(CALL), llm
