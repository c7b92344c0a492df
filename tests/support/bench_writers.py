"""A real LLM for the benches of summaries: behind an address, or a model file that is served here."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from small_llm import CONTEXT, small_llm

from elision.serving.llm.open import list_price, open_writers, parse_writers
from elision.serving.llm.writer import Writer

BIG_CONTEXT = 8192


@contextmanager
def bench_writer(spec: str, gguf: Path | None, log: Path) -> Iterator[Writer]:
    """Open a writer until the block ends.

    Args:
        spec: As `elision.serving.llm.open.parse_writers` has it; empty to serve a model.
        gguf: The model to serve; None for the small one that comes in a package.
        log: Where the server writes.
    """
    if spec:
        (first, *_) = open_writers(parse_writers(spec, os.environ), list_price)
        with first:
            yield first
        return
    context = BIG_CONTEXT if gguf else CONTEXT
    with small_llm(log, gguf, context) as url:
        local = f"openai:local@{url} window={context} timeout=1800 deadline=3600"
        (writer,) = open_writers(parse_writers(local, {}))
        with writer:
            yield writer
