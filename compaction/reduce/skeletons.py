"""Bring old reads of source files down to their signatures.

What an agent needs of a file it read long ago is what is in it and how it is called. A file that it went
on to edit, and the one it read last, stay whole: an edit quotes the text to the letter.
"""

import regex

from elision.compaction.compact.edits import Reduction, leaf_reduction
from elision.compaction.conversation import Conversation
from elision.compaction.policies.reductions import Skeleton
from elision.compaction.reduce.again import again
from elision.compaction.reduce.results import Result, results, turns_ago
from elision.compaction.reduce.signatures import signatures
from elision.compaction.reduce.uses import use_of
from elision.compaction.types import TokenCounter

SKELETON = "skeleton"
_WORTH = 0.4  # of the tokens: less is not worth the bodies
_LANGUAGES = {
    "py": "python", "pyi": "python",
    "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript",
    "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx",
    "go": "go", "rs": "rust",
}  # fmt: skip
_NUMBERED = regex.compile(r"[ \t]*+0*+(?P<number>\d{1,7})(?P<mark>→|\t|\|[ ]?+|:[ \t]?+)")
_SHARE = 0.95  # of the rows between the first and the last numbered one
_FRAME = regex.compile(r"[ \t]*+<[^<>\n]{1,200}>[ \t\r]*+|\([^()\n]{1,200}\)\s*+|\s*+")
_FRAME_ROWS = 3  # that a tool puts around a file


def skeletons(
    conversation: Conversation,
    settings: Skeleton,
    *,
    counter: TokenCounter,
) -> list[Reduction]:
    """Reduce old reads of single files to signatures, where that saves more than 40 % of their tokens.

    What does not parse stays, and what was shortened before.
    """
    found = results(conversation)
    ago = turns_ago(conversation, settings.turn)
    reads = [(result, path) for result in found if (path := _source(result, conversation.raw))]
    known = again(conversation)
    made = []
    for result, path in reads[:-1]:  # the last one read is what the agent works on
        seen = known.get(result.block.path)
        if ago[result.index] < settings.protect_turns or seen is None or seen.outdated:
            continue
        for leaf in result.open_leaves:
            before = counter.count(leaf.text)
            short = skeleton(leaf.text, path) if before >= settings.min_tokens else leaf.text
            saved = before - counter.count(short) if short != leaf.text else 0
            if saved > _WORTH * before:
                made.append(
                    leaf_reduction(conversation, result.index, leaf, short, SKELETON, saved, seen.how)
                )
    return made


def skeleton(text: str, path: str) -> str:
    """A file as a tool shows it, with its signatures only; as it came if it is in no language that is known.

    Rows that stay keep the numbers that the tool gave them.
    """
    language = _language(path)
    if not language:
        return text
    rows = _rows(text)
    head, code = _code(rows)
    kept = signatures(code, language)
    if kept is None:
        return text
    shown = rows[head : head + len(code)]
    body = [row if isinstance(row, str) else shown[row] for row in kept]
    return "".join([*rows[:head], *body, *rows[head + len(code) :]])


def _source(result: Result, raw: str) -> str:
    """The one source file that a result is the text of; empty if it is none."""
    use = use_of(result.call, raw)
    one = use.reads[0] if use.whole and len(use.reads) == 1 else ""
    return one if _language(one) else ""


def _language(path: str) -> str:
    return _LANGUAGES.get(path.rpartition(".")[2].lower(), "") if "." in path else ""


def _rows(text: str) -> list[str]:
    """The rows with their line ends; only a line feed ends one, as the parser counts."""
    rows = [row + "\n" for row in text.split("\n")]
    rows[-1] = rows[-1][:-1]
    return rows if rows[-1] else rows[:-1]


def _code(rows: list[str]) -> tuple[int, list[str]]:
    """Where the file begins among the rows that a tool wrote, and its rows without their numbers."""
    matches = [_NUMBERED.match(row) for row in rows]
    numbered = [at for at, match in enumerate(matches) if match]
    if numbered:
        first, last = numbered[0], numbered[-1]
        mark = matches[first]["mark"].strip(" ") or "\t"  # type: ignore[index]
        fits = [at for at in numbered if _follows(matches, at, first, mark)]
        if len(fits) >= _SHARE * (last + 1 - first) and len(fits) > len(rows) // 2:
            return first, [
                row[match.end() :] if match else row for row, match in zip(rows, matches, strict=True)
            ][first : last + 1]
    start, stop = 0, len(rows)
    while start < min(_FRAME_ROWS, stop) and _FRAME.fullmatch(rows[start].rstrip("\n")):
        start += 1
    while stop > max(start, len(rows) - _FRAME_ROWS) and _FRAME.fullmatch(rows[stop - 1].rstrip("\n")):
        stop -= 1
    return start, rows[start:stop]


def _follows(matches: "list[regex.Match[str] | None]", at: int, first: int, mark: str) -> bool:
    """Whether a row is numbered as the first one is, and as many further as it stands below it."""
    one, origin = matches[at], matches[first]
    assert one is not None and origin is not None
    return one["mark"].strip(" ") == mark and int(one["number"]) - int(origin["number"]) == at - first
