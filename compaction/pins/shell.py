"""Which files a shell command reads, changes and deletes, as far as its words say.

The commands that agents use on single files are known. What a variable, a glob or a program does is not.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.calls.shell_words import SimpleCommand, simple_commands

READ, CHANGED, DELETED = "read", "changed", "deleted"
_READS = frozenset("cat head tail less more nl bat tac od xxd".split())
_CHANGES = frozenset("tee touch truncate".split())
_DELETES = frozenset("rm unlink".split())
_PLAIN = regex.compile(r"[^\s*?$`{}\[\]<>|;=]{1,300}")
_OF_TWO_WORDS = frozenset(
    "go npm pnpm yarn cargo git make docker kubectl python python3 uv npx poetry dotnet mvn gradle bundle".split()
)
_ABOUT_NOTHING = frozenset("cd echo export set source pwd true false sleep printf".split())
_NO_FILES = frozenset({"-", ".", "..", "/", '"', "'", "\\"})


def touched(command: str) -> Iterator[tuple[str, str]]:
    """The paths that a command names, each with what becomes of the file, in order."""
    for one in simple_commands(command):
        yield from _files(one.outputs, CHANGED)
        yield from _of_command(one)


def program(command: str) -> tuple[str, tuple[str, ...]]:
    """The program that a command is about, and the other words of it; of several commands the last but filters.

    ``cd app && go test ./... | tail`` is about ``go test``.
    """
    real = [
        one for one in simple_commands(command) if not one.piped and one.program not in {*_ABOUT_NOTHING, ""}
    ]
    if not real:
        return "", ()
    words = real[-1].words
    two = words[0] in _OF_TWO_WORDS and len(words) > 1
    return " ".join(words[: 1 + two]), tuple(words[1 + two :])


def _of_command(one: SimpleCommand) -> Iterator[tuple[str, str]]:
    name, rest = one.program, [word for word in one.arguments if word and not word.startswith("+")]
    if name == "git" and rest[:1] in (["rm"], ["mv"]):
        name, *rest = rest
    if name in _READS:
        yield from _files([word for word in rest if not word.isdigit()], READ)
    elif name == "sed":
        in_place = any(word.startswith(("-i", "--in-place")) for word in one.words)
        yield from _files(rest[1:] or rest, CHANGED if in_place else READ, named=True)
    elif name in _CHANGES:
        yield from _files(rest, CHANGED)
    elif name in _DELETES:
        yield from _files(rest, DELETED)
    elif name in ("mv", "cp") and len(rest) == 2:
        yield from _files(rest[:1], DELETED if name == "mv" else READ)
        yield from _files(rest[1:], CHANGED)


def _files(words: Sequence[str], state: str, named: bool = False) -> Iterator[tuple[str, str]]:
    """Those of the words that name one file; `named` asks for a dot or a slash in it."""
    for word in words:
        plain = _PLAIN.fullmatch(word) and word not in _NO_FILES and not word.startswith(("/dev/", "&"))
        if plain and (not named or "." in word or "/" in word):
            yield word, state
