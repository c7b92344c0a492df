"""What a shell command does: whether all of its programs only look, and which files it changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from elision.compaction.calls.shell_words import SimpleCommand, simple_commands
from elision.compaction.reduce.use import Rests, Use

_LONGEST_HOW = 300  # characters: a command cut off could not be run

# They print what their arguments name, or what comes through the pipe.
_SHOWERS = frozenset("cat head tail nl bat batcat less more sed".split())
_READERS = _SHOWERS | frozenset(
    """awk gawk grep egrep fgrep zgrep wc file xxd hexdump od strings jq yq cut sort uniq tac rev tr
    fold fmt column paste comm diff cmp sha256sum sha1sum md5sum cksum zcat""".split()
)
# Without a path they look at the whole folder.
_LOOKERS = frozenset("ls find fd fdfind tree du stat rg ag ack realpath readlink eza exa".split())
_SCRIPTED = frozenset(
    "sed awk gawk jq yq tr grep egrep fgrep zgrep rg ag ack fd fdfind".split()
)  # by their first argument
_NEUTRAL = frozenset(
    """cd pushd popd echo printf pwd true false : test [ [[ export set unset source . sleep exit basename dirname which
    type whereis local read shift""".split()
)
_WRITERS = frozenset("tee mv cp rm touch truncate install ln dd rsync sponge unlink shred".split())
# They rewrite what they find unless they are told only to look, or only if they are told to.
_REWRITERS = frozenset("patch black isort rustfmt unzip tar".split())
_FIXERS = frozenset(
    "ruff eslint biome prettier gofmt goimports autopep8 yapf cargo dprint deno go clang-format stylua".split()
)
_FIXES = frozenset({"--fix", "--write", "-w", "-i", "--in-place", "format", "fmt"})
_ONLY_LOOKS = frozenset({"--check", "--check-only", "--diff", "--dry-run", "-l", "-t", "tf", "-tf"})
_TOUCHERS = frozenset("mkdir rmdir chmod chown".split())
_INTERPRETERS = frozenset("python python3 py node deno bun perl ruby php osascript pwsh powershell".split())
_GIT_LOOKS = frozenset(
    """status diff log show blame ls-files ls-tree grep rev-parse rev-list describe shortlog reflog cat-file
    merge-base show-ref name-rev whatchanged diff-tree""".split()
)
_GIT_TOUCHES = frozenset("add commit tag branch fetch push remote config init notes worktree".split())
_GIT_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree"})
_SAVES = regex.compile(r"write|['\"][wa]b?\+?['\"]|unlink|remove|rename|copy|move|save|dump\(|-i\b")
_NAME = regex.compile(r"[\w./\-]++")
_IN_PLACE = regex.compile(r"-[A-Za-z]*i|--in-place|-i\..*")
_SENDS = regex.compile(r"-X|--request|-d|--data.*|-F|--form.*|-T|--upload-file|-o|-O|--output|--json")
_LOCAL = regex.compile(
    r"(?:https?://)?+(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|[\w\-]++(?:[:/]|$))"
)


def shell_use(command: str | Sequence[str]) -> Use:
    """What a command line, or its words, does."""
    found = simple_commands(command)
    writes = tuple(path for one in found for path in _writes(one))
    change = Use(writes=writes, everywhere=any(map(_rewrites, found)), touches=any(map(_touches, found)))
    looks = [_look(one) for one in found]
    seen = [look for look in looks if look is not None and look != _Look()]
    how = command.strip() if isinstance(command, str) else " ".join(command)
    if change != Use() or None in looks or not seen or len(how) > _LONGEST_HOW:
        return change
    reads = tuple(path for look in seen for path in look.paths)
    whole = all(one.program in _SHOWERS | _NEUTRAL for one in found)
    if any(look.anything for look in seen):
        return Use(f"run {how}", Rests.TREE)
    return Use(f"run {how}", Rests.FILES, reads, whole) if reads else Use(f"run {how}", Rests.NOTHING)


@dataclass(frozen=True, slots=True)
class _Look:
    """What a command looks at: paths, anything that is there, a page somewhere; nothing of all that if neutral."""

    paths: tuple[str, ...] = ()
    anything: bool = False
    page: bool = False


def _look(one: SimpleCommand) -> _Look | None:
    """What a command that only looks looks at; None if it may do more."""
    program = one.program
    if one.hidden or program in _INTERPRETERS:
        return None
    if program in _NEUTRAL or not program:
        return _Look()
    if program in ("curl", "wget"):
        return _Look(page=True) if _gets(one) else None
    if program == "git":
        return _Look(anything=True) if _git(one) in _GIT_LOOKS else None
    if program not in _READERS | _LOOKERS or {"-exec", "-execdir", "-delete", "-ok"} & set(one.words):
        return None
    paths = tuple(_paths(one))
    vague = any(set(path) & set("$*?{") or path.strip("./") == "" for path in paths)
    if vague or not paths and program in _LOOKERS and not one.piped:
        return _Look(anything=True)
    searches = program.endswith("grep") and not one.piped
    return _Look(anything=True) if searches and not paths else _Look(paths)


def _paths(one: SimpleCommand) -> Iterator[str]:
    """Arguments of a program that looks which may be paths; patterns and numbers are none."""
    named = [word for word in one.arguments if not word.isdigit()]
    if one.program == "find":
        options = [at for at, word in enumerate(one.words) if at and word.startswith("-")]
        named = one.words[1 : options[0] if options else len(one.words)]
    elif one.program in _SCRIPTED:
        named = named[1:]
    yield from (
        path
        for path in named
        if one.program in _SHOWERS or "/" in path or "." in path or one.program in ("ls", "find", "tree")
    )


def _writes(one: SimpleCommand) -> Iterator[str]:
    """Files that a command changes, and it says which."""
    yield from one.outputs
    if one.program in _WRITERS:
        yield from (word.removeprefix("of=") for word in one.arguments)
    elif one.program in ("sed", "perl") and any(_IN_PLACE.fullmatch(word) for word in one.words):
        yield from one.arguments[1:]
    elif one.program in ("curl", "wget") and not _gets(one):
        yield from (
            value
            for flag, value in zip(one.words, one.words[1:], strict=False)
            if flag in ("-o", "-O", "--output")
        )
    elif one.program in _INTERPRETERS:
        # A program in the text that saves something may save to what it names.
        code = one.script or " ".join(one.words[1:] if {"-c", "-e"} & set(one.words) else ())
        names = _NAME.findall(code) if _SAVES.search(code) else ()
        yield from (name for name in names if "." in name.rpartition("/")[2].strip("."))


def _rewrites(one: SimpleCommand) -> bool:
    """Whether a command may change any file."""
    if one.program == "git":
        verb = _git(one)
        listed = verb == "stash" and bool({"list", "show"} & set(one.words))
        return bool(verb) and not listed and verb not in _GIT_LOOKS | _GIT_TOUCHES
    if one.program == "find":
        return "-delete" in one.words
    if _ONLY_LOOKS & set(one.words):
        return False
    return one.program in _REWRITERS or one.program in _FIXERS and bool(_FIXES & set(one.words))


def _touches(one: SimpleCommand) -> bool:
    return one.program in _TOUCHERS or one.program == "git" and _git(one) in _GIT_TOUCHES


def _git(one: SimpleCommand) -> str:
    """The verb of a git command: its first word that is neither an option nor an option's value."""
    words = iter(one.words[1:])
    for word in words:
        if word in _GIT_VALUED:
            next(words, "")
        elif not word.startswith("-"):
            return word
    return ""


def _gets(one: SimpleCommand) -> bool:
    """Whether a command fetches a public page and prints it."""
    if one.program == "wget" and not any(word in ("-O-", "-qO-") for word in one.words):
        return False
    sends = any(_SENDS.fullmatch(word) for word in one.words[1:])
    pages = [word for word in one.arguments if "://" in word] or one.arguments[-1:]
    return not sends and bool(pages) and not any(map(_LOCAL.match, pages))
