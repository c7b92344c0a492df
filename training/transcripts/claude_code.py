"""Claude Code sessions: JSON lines that form trees by ``parentUuid``.

Edits and retries fork a tree: the branch that ends last is what the session became, the others were
given up. One answer of the model takes several lines with the same message id, and the results of
parallel calls hang on different ones of them, so they are gathered by id and not by the branch alone.
A compaction begins a new tree, and so does every run of a subagent: each is a session of its own.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from elision.compaction.conversation import Format
from elision.training.transcripts.drafts import (
    Draft,
    Importer,
    Json,
    Notes,
    Source,
    list_,
    object_,
    project_of,
    string,
)
from elision.training.transcripts.providers import chat_messages

_SPOKEN = ("user", "assistant")
_LOOKED_AT = 50
_OUTPUTS = ("stdout", "stderr", "content", "output", "result")  # of a tool's structured result


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that has a place in a tree."""

    number: int
    value: Json

    @property
    def key(self) -> str:
        return string(self.value.get("uuid"))

    @property
    def said(self) -> Json:
        return object_(self.value.get("message"))

    @property
    def blocks(self) -> list[Json]:
        return [block for block in list_(self.said.get("content")) if isinstance(block, dict)]

    @property
    def answer(self) -> str:
        """The id of the model's answer that this is a part of."""
        return string(self.said.get("id"))

    @property
    def group(self) -> tuple[str, bool, str]:
        """Lines of different groups are never of one session."""
        value = self.value
        return string(value.get("sessionId")), bool(value.get("isSidechain")), string(value.get("agentId"))


def matches(source: Source) -> bool:
    """Whether a file is a session of Claude Code."""
    return any(_is_ours(value) for _, value in list(source.objects())[:_LOOKED_AT])


def read(source: Source, notes: Notes) -> Iterator[Draft]:
    """One draft for each tree: the session, what came after each compaction, each subagent's run."""
    lines = list(_lines(source, notes))
    cwd = next((string(line.value.get("cwd")) for line in lines if line.value.get("cwd")), "")
    task = project_of(cwd) if cwd else source.path.absolute().parent.name
    parts: dict[str, int] = {}
    for tree in _trees(lines):
        branch = _branch(tree)
        chosen = [line for line in tree if line.key in branch]
        for line in tree:
            if line.key not in branch and line.value["type"] in _SPOKEN:
                notes.skip("line of a branch given up", line.number)
        messages = chat_messages(_wire(_spoken(chosen, notes)), Format.ANTHROPIC, notes)
        if not messages:
            continue
        session, _, agent = tree[0].group
        name = "/".join(filter(None, (session or source.stem, agent)))
        parts[name] = parts.get(name, 0) + 1
        name = name if parts[name] == 1 else f"{name}#{parts[name]}"
        yield Draft(name, task, messages, kind="coding-agent")


IMPORTER = Importer("claude-code", matches, read)


def _is_ours(value: Json) -> bool:
    if value.get("type") == "summary":
        return "leafUuid" in value
    return isinstance(value.get("type"), str) and (
        "parentUuid" in value
        or "isSidechain" in value
        or (value["type"] in (*_SPOKEN, "system", "attachment", "queue-operation") and "sessionId" in value)
        or value["type"] == "file-history-snapshot"
    )


def _lines(source: Source, notes: Notes) -> Iterator[_Line]:
    seen: set[str] = set()
    for number, value in source.objects():
        line = _Line(number, value)
        if line.key in seen:
            notes.skip("line that came again", number)
        elif isinstance(value.get("type"), str) and line.key:
            seen.add(line.key)
            yield line
        elif value.get("type") in _SPOKEN and line.said:  # a version, or a tool, that keeps no tree
            yield _Line(number, {**value, "uuid": f"line {number}", "parentUuid": f"before line {number}"})
        else:
            notes.skip(_kind(value), number)


def _trees(lines: Iterable[_Line]) -> list[list[_Line]]:
    """The lines of each tree, in file order; a line whose parent was lost follows the line before it."""
    roots: dict[str, str] = {}
    groups: dict[str, tuple[str, bool, str]] = {}
    last: dict[tuple[str, bool, str], str] = {}
    trees: dict[str, list[_Line]] = {}
    for line in lines:
        parent = string(line.value.get("parentUuid"))
        if parent in groups:
            parent = parent if groups[parent][1:] == line.group[1:] else ""
        elif parent:
            parent = last.get(line.group, "")
        root = roots.get(parent, line.key)
        roots[line.key], groups[line.key], last[line.group] = root, line.group, line.key
        trees.setdefault(root, []).append(line)
    return list(trees.values())


def _branch(tree: list[_Line]) -> set[str]:
    """The branch that ends last, with whole answers and all results of their calls."""
    by_key = {line.key: line for line in tree}
    before = _parents(tree, by_key)
    at = next((line for line in reversed(tree) if line.value["type"] in _SPOKEN), None)
    branch: set[str] = set()
    while at is not None and at.key not in branch:
        branch.add(at.key)
        at = by_key.get(before.get(at.key, ""))
    answers = {line.answer for line in tree if line.key in branch and line.answer}
    branch |= {line.key for line in tree if line.answer in answers}
    calls = {string(block.get("id")) for line in tree if line.key in branch for block in line.blocks} - {""}
    results = {line.key for line in tree if any(string(block.get("tool_use_id")) in calls for block in line.blocks)}
    return branch | results


def _parents(tree: list[_Line], by_key: Mapping[str, _Line]) -> dict[str, str]:
    found, previous = {}, ""
    for line in tree:
        parent = string(line.value.get("parentUuid"))
        found[line.key] = parent if parent in by_key or not parent else previous
        previous = line.key
    return found


def _spoken(lines: Iterable[_Line], notes: Notes) -> Iterator[_Line]:
    """Without what is on record only."""
    for line in lines:
        value = line.value
        if value["type"] not in _SPOKEN or not line.said:
            notes.skip(_kind(value), line.number)
        elif value.get("isMeta"):
            notes.skip("meta line", line.number)
        elif value.get("isApiErrorMessage") or line.said.get("model") == "<synthetic>":
            notes.skip("API error message", line.number)
        else:
            yield line


def _wire(lines: Iterable[_Line]) -> Iterator[Json]:
    """Messages as the API has them; the lines of one answer are one message."""
    pending: dict[str, Json] = {}
    order: list[Json] = []
    for line in lines:
        key = line.answer
        content = line.said.get("content")
        blocks: list[Any] = [content] if isinstance(content, str) else [_filled(b, line.value) for b in line.blocks]
        if key and key in pending:
            known = pending[key]["content"]
            known += [block for block in blocks if block not in known]
            continue
        message = {"role": line.value["type"], "content": blocks}
        if key:
            pending[key] = message
        order.append(message)
    yield from order


def _filled(block: Json, value: Json) -> Json:
    """A result whose content is missing, with what the line has of it beside the message."""
    if block.get("type") != "tool_result" or block.get("content"):
        return block
    told = value.get("toolUseResult")
    if isinstance(told, dict):
        file = object_(told.get("file")).get("content")
        told = "\n".join(filter(None, map(string, [*(told.get(key) for key in _OUTPUTS), file])))
    return {**block, "content": told} if isinstance(told, str) else block


def _kind(value: Json) -> str:
    kind, sub = string(value.get("type")) or "line without a type", string(value.get("subtype"))
    return f"{kind}/{sub}" if sub else kind
