"""The letters that a pattern can begin with, read off the pattern itself."""

from collections.abc import Iterator

import regex

_LETTERS = regex.compile(r"\p{L}++")
_LONGEST = 3


def heads(pattern: str) -> frozenset[str]:
    """What a match begins with, in lower case, one to three letters each; empty if it can be anything."""
    found = {head for one in alternatives(pattern) for head in _heads_of_one(one)}
    return frozenset() if "" in found else frozenset(found)


def alternatives(pattern: str) -> Iterator[str]:
    """The pattern cut at the bars that stand in no group or class."""
    depth, start, in_class = 0, 0, False
    for at, mark in _marks(pattern):
        if in_class:
            in_class = mark != "]"
        elif mark == "[":
            in_class = True
        elif mark == "|" and not depth:
            yield pattern[start:at]
            start = at + 1
        else:
            depth += (mark == "(") - (mark == ")")
    yield pattern[start:]


def _heads_of_one(pattern: str) -> set[str]:
    if pattern.startswith("(?:"):
        stop = _closing(pattern)
        if pattern[stop + 1 : stop + 2] in ("?", "*", "{"):
            return {""}
        return {head for one in alternatives(pattern[3:stop]) for head in _heads_of_one(one)}
    letters = _LETTERS.match(pattern)
    if not letters:
        return {""}
    run, after = letters.group(), pattern[letters.end() : letters.end() + 1]
    # A letter that may be missing is no beginning; our ``*`` adds an ending, and takes none away.
    sure = run[:-1] if after in ("?", "{") else run
    return {sure[:_LONGEST].lower()}


def _closing(pattern: str) -> int:
    """Where the group that the pattern begins with is closed."""
    depth, in_class = 0, False
    for at, mark in _marks(pattern):
        if in_class:
            in_class = mark != "]"
            continue
        in_class = mark == "["
        depth += (mark == "(") - (mark == ")")
        if not depth and mark == ")":
            return at
    return len(pattern)


def _marks(pattern: str) -> Iterator[tuple[int, str]]:
    """The characters that are not escaped."""
    escaped = False
    for at, mark in enumerate(pattern):
        if escaped or mark == "\\":
            escaped = not escaped
            continue
        yield at, mark
