"""Split a shell command line into the simple commands it runs, as far as can be told without a shell.

Enough to say what a command is and which files it names. What cannot be seen, such as a command inside
a quoted substitution, is said to be hidden.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import regex

_LONGEST = 20_000  # characters; of a longer command line the rest counts as hidden
_TOKEN = regex.compile(
    r"""
      (?P<space>(?:[ \t\r]|\\\n)++)
    | (?P<comment>(?<![^\s;|&(])\#[^\n]*+)
    | (?P<heredoc><<-?+[ \t]*+\\?+(?P<quote>['"]?+)(?P<tag>\w++)(?P=quote))
    | (?P<copy>\d*+[<>]&(?:\d++|-))
    | (?P<output>(?:\d++|&)?+>{1,2}+\|?+)
    | (?P<input><{1,3}+)
    | (?P<break>\|[|&]?+|&&?+|;++|\n|[()])
    | (?P<word>(?:[^\s|&;()<>'"\\]++|\\.|'[^']*+'|"(?:[^"\\]|\\.)*+")++)
    | (?P<other>.)
    """,
    regex.VERBOSE | regex.DOTALL,
)
_QUOTED = regex.compile(r"""'([^']*+)'|"((?:[^"\\]|\\.)*+)"|\\(.)""", regex.DOTALL)
_ESCAPED = regex.compile(
    r"""\\(["\\$`\n])"""
)  # between double quotes a backslash is one before other letters
_ASSIGNED = regex.compile(r"\w++\+?+=")
_KEYWORDS = frozenset(
    {"then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "time", "fi", "done", "esac"}
)
_LOOPS = frozenset({"for", "case", "select", "function"})
_WRAPPERS = frozenset(
    {"sudo", "nohup", "command", "exec", "builtin", "env", "nice", "timeout", "stdbuf", "xargs", "ionice"}
)
_VALUED = regex.compile(r"-[ugnIPLsk]|--signal|--max-(?:args|procs)|\d++(?:\.\d++)?+[smhd]?+")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_SINKS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
_DEEPEST = 3  # shells called by shells


@dataclass(slots=True)
class SimpleCommand:
    """One program and its arguments.

    Attributes:
        words: The program, then its arguments, without quotes.
        outputs: Files that its output is written to.
        script: What is handed to it in the text itself.
        hidden: Whether more is run than can be seen.
        piped: Whether it reads what the command before it prints.
    """

    words: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    script: str = ""
    hidden: bool = False
    piped: bool = False

    @property
    def program(self) -> str:
        """Its name without its folder; empty where only variables are set."""
        return self.words[0].rpartition("/")[2] if self.words else ""

    @property
    def arguments(self) -> list[str]:
        """Its words that are no options."""
        return [word for word in self.words[1:] if not word.startswith("-")]


def simple_commands(line: str | Sequence[str], depth: int = 0) -> list[SimpleCommand]:
    """The commands that a command line runs, in text order.

    Args:
        line: The line, or its words where a caller has split it.
        depth: In how many shells it stands.
    """
    found = list(_parsed(line)) if isinstance(line, str) else [SimpleCommand(list(line))]
    return [inner for one in map(_unwrapped, found) if one is not None for inner in _called(one, depth)]


def _parsed(line: str) -> Iterator[SimpleCommand]:
    current, tags, target = SimpleCommand(hidden=len(line) > _LONGEST), [], ""
    at = 0
    line = line[:_LONGEST]
    while at < len(line) and (token := _TOKEN.match(line, at)):
        at = token.end()
        match token.lastgroup:
            case "word" | "other":
                _add(current, token.group(), target)
                target = ""
            case "heredoc" | "tag" | "quote":
                tags.append(token["tag"])
            case "output" | "input":
                target = token.lastgroup
            case "break":
                current.hidden |= line[max(0, token.start() - 1) : at] == "$("
                if token.group() == "\n" and tags:
                    start, at = at, _heredoc_end(line, at, tags)
                    current.script += line[start:at]
                    tags = []
                yield current
                current, target = (
                    SimpleCommand(piped=token.group().startswith("|") and token.group() != "||"),
                    "",
                )
    yield current


def _add(current: SimpleCommand, spelled: str, target: str) -> None:
    word = _QUOTED.sub(_bare, spelled)
    quiet = spelled.startswith("'")  # nothing is substituted between single quotes
    current.hidden |= not quiet and ("`" in spelled or "$(" in spelled)
    if target == "output":
        current.outputs += [] if word in _SINKS else [word]
    else:
        current.words.append(word)


def _bare(quoted: regex.Match[str]) -> str:
    return quoted[1] or _ESCAPED.sub(r"\1", quoted[2] or "") or quoted[3] or ""


def _heredoc_end(line: str, at: int, tags: Sequence[str]) -> int:
    """Where the text behind these tags, which begins at ``at``, is over."""
    for tag in tags:
        end = regex.compile(rf"^[ \t]*+{regex.escape(tag)}[ \t]*+$\n?+", regex.MULTILINE).search(line, at)
        at = end.end() if end else len(line)
    return at


def _unwrapped(found: SimpleCommand) -> SimpleCommand | None:
    """The command without keywords, variables and programs that only start another; None if nothing is left."""
    words = found.words
    while words:
        if words[0] in _LOOPS:
            words = []
        elif words[0] in _KEYWORDS or _ASSIGNED.match(words[0]):
            words = words[1:]
        elif words[0].rpartition("/")[2] in _WRAPPERS:
            words = _behind_options(words[1:])
        else:
            break
    if not words and not found.outputs and not found.hidden:
        return None
    return replace(found, words=words)


def _behind_options(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (
        words[at].startswith("-") or _ASSIGNED.match(words[at]) or _VALUED.fullmatch(words[at])
    ):
        valued = words[at].startswith("-") and _VALUED.fullmatch(words[at])
        at += 2 if valued else 1
    return words[at:]


def _called(one: SimpleCommand, depth: int) -> Iterator[SimpleCommand]:
    """The command, or what it has a shell run."""
    flags = [at for at, word in enumerate(one.words) if at and word.startswith("-") and "c" in word[1:]]
    if one.program not in _SHELLS or not flags or flags[0] + 1 >= len(one.words) or depth >= _DEEPEST:
        yield one
        return
    inner = simple_commands(one.words[flags[0] + 1], depth + 1)
    if inner:
        inner[-1].outputs += one.outputs
    yield from inner
