"""The calls of a conversation, read once: which tool, with what, and what came of it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import regex

from elision.compaction.calls.tools import argument_keys, is_a, tool_name
from elision.compaction.conversation import Block, Conversation
from elision.compaction.cuts.pairs import pair
from elision.compaction.pins.speech import source_of

_FAILED = regex.compile(r"\s*(?:<tool_use_error>|(?:Error|error|ERROR|Failed|failed)\b[:! ]|\[?Tool error)")
# Longer arguments are what a file holds, and paths stand in short ones.
_LONGEST_COMMAND = 20_000


@dataclass(frozen=True, slots=True)
class Call:
    """One call and its results.

    Attributes:
        index: Index of its message.
        source: Id of that message.
        tool: The tool's name in small letters and digits, without the server in front.
        arguments: Its arguments if they are a JSON object, else empty.
        text: Its arguments as they were written.
        results: The texts of its results.
        answered: Index of the message of its last result, -1 while there is none.
        answer: Id of that message.
        failed: Whether a result says so, by its flag or its first word.
    """

    index: int
    source: str
    tool: str
    arguments: Mapping[str, Any]
    text: str
    results: tuple[str, ...]
    answered: int
    answer: str
    failed: bool

    def is_a(self, *kinds: str) -> bool:
        """Whether the tool is of one of these kinds; see `elision.compaction.calls.tools`."""
        return is_a(self.tool, *kinds)

    @property
    def command(self) -> str:
        """The shell command, empty if it is none."""
        if not self.is_a("shells") and self.tool:
            return ""
        found = next(
            (self.arguments[key] for key in argument_keys("commands") if key in self.arguments), None
        )
        if found is None and not self.arguments:
            return self.text[:_LONGEST_COMMAND]
        if isinstance(found, Mapping):
            found = found.get("command")
        if isinstance(found, list):
            words = [word for word in found if isinstance(word, str)]
            found = words[-1] if len(words) == 3 and words[1].endswith("c") else " ".join(words)
        return found[:_LONGEST_COMMAND] if isinstance(found, str) else ""


def calls(conversation: Conversation) -> list[Call]:
    """All calls, in order."""
    return list(_calls(conversation))


def strings_of(arguments: Mapping[str, Any], keys: list[str]) -> Iterator[str]:
    """The strings, also those in lists, that stand under these keys."""
    for key in keys:
        value = arguments.get(key)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one.strip():
                yield one
            elif isinstance(one, Mapping):
                yield from strings_of(one, argument_keys("paths"))


def _calls(conversation: Conversation) -> Iterator[Call]:
    for exchange in pair(conversation).exchanges:
        call = exchange.call
        text = _written(conversation, call.block)
        results = tuple(leaf.text for result in exchange.results for leaf in result.block.leaves)
        tool = tool_name(call.block.name)
        # What a shell prints may be a log that it was asked to show.
        says_so = not is_a(tool, "shells") and any(map(_FAILED.match, results[:1]))
        failed = says_so or any(result.block.is_error for result in exchange.results)
        answered = max((result.index for result in exchange.results), default=-1)
        yield Call(
            call.index,
            source_of(conversation.messages[call.index], call.index),
            tool,
            _parsed(text),
            text,
            results,
            answered,
            source_of(conversation.messages[answered], answered) if answered >= 0 else "",
            failed,
        )


def _written(conversation: Conversation, call: Block) -> str:
    return call.leaves[0].text if call.leaves else call.arguments.of(conversation.raw)


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
