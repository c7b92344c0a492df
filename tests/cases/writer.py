"""The summariser of a case: answers as the case's stub says, and keeps what it was asked."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from elision.compaction.summary.types import SummaryCall, SummaryFailed, SummaryReply
from elision.serving.llm.failing import from_status
from tests.cases.reading import Message

_WIDE = 200_000
_LONGEST_WAIT = 0.2  # seconds: what is to happen meanwhile happens in `meanwhile`, not by luck


class StubWriter:
    """A writer of summaries.

    Args:
        stub: The case's ``summarizer_stub``: a ``reply``, an ``error``, or ``echo_input``; ``delay_seconds``.
        window: Tokens that it takes.

    Attributes:
        prompts: The messages of each request.
        meanwhile: Called once, while it is writing for the first time.
    """

    name = "stub/writer"

    def __init__(self, stub: Mapping[str, Any], window: int = _WIDE) -> None:
        self._stub, self.window = stub, window
        self.prompts: list[list[Message]] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def __call__(self, call: SummaryCall) -> SummaryReply:
        asked = {"system": call.system, "user": call.prompt}
        self.prompts.append([{"role": role, "content": content} for role, content in asked.items()])
        if len(self.prompts) == 1:
            self.meanwhile()
        time.sleep(min(self._stub.get("delay_seconds", 0), _LONGEST_WAIT))
        if error := self._stub.get("error"):
            told = json.dumps({"error": {"code": error["code"], "message": error["code"]}})
            failed = from_status(error["status"], {}, told.encode(), time.time())
            raise SummaryFailed(failed.failure, failed.detail, failed.retry_after)
        return SummaryReply(call.prompt if self._stub.get("echo_input") else self._stub["reply"])
