"""Tokens as the cases count them: o200k_base of every text, and 4 a message."""

from collections.abc import Mapping
from typing import Any

from elision.compaction.tokens import counter
from tests.cases.outcome import Body, Run
from tests.cases.reading import images, messages, strings, texts

A_MESSAGE = 4


def tokens_of(text: str) -> int:
    return counter("o200k_base").count(text)


def body_tokens(body: Body, asked: Mapping[str, Any]) -> int:
    """Tokens of a body; an image costs what the request says, tools count if it says so."""
    written = sum(map(tokens_of, texts(body)))
    headed = len(messages(body)) + ("system" in body)
    pictures = int(asked.get("image_tokens", 0)) * len(images(messages(body)))
    tools = sum(map(tokens_of, strings(body.get("tools")))) if asked.get("count_tools") else 0
    return written + A_MESSAGE * headed + pictures + tools


def output_tokens(run: Run) -> int:
    return body_tokens(run.output, run.asked)


def input_tokens(run: Run) -> int:
    return body_tokens(run.given, run.asked)
