"""A fixed set of facts to plant, made from a seed: every name in it is invented.

Sentences are as people and agents write them; the names are put together of syllables, so that no real
transcript has them, and no two facts of a set share one.
"""

import json
import random
from collections.abc import Iterator, Mapping

from elision.training.evaluation.planted import Fact, Kind
from elision.training.transcripts.types import Json

COUNTS: Mapping[Kind, int] = {
    Kind.GOAL: 2,
    Kind.CONSTRAINT: 10,
    Kind.FILE: 4,
    Kind.NUMBER: 4,
    Kind.ERROR: 4,
    Kind.DECISION: 4,
    Kind.REJECTED: 4,
}

_BEGIN = "quil zemb narq vold brenv oltav threx kasp jorv yelm drusk plov".split()
_MIDDLE = "a e i o u y".split()
_END = "rix dane moth lund vex quist bral torn sket nolle wick fane".split()
_CODE = ("import json", "def load(name):", "    return json.loads(name)", "")

# Who says it, the strings that tell it, the sentence. {A} and {B} are names, {a} and {b} the same in small
# letters, {n} is a number.
_GOALS = (
    (("{A}", "{B}"), "What I want in the end: the {A} exporter writes every record of {B}, with no gaps."),
    (("{A}", "{B}"), "To say it again, the goal of all this is to move {A} off the old {B} hosts."),
    (("{A}", "{B}"), "Das Ziel des Ganzen: {A} soll am Ende ohne {B} auskommen."),
)
_CONSTRAINTS = (
    (("never", "{a}_ledger"), "Never write to the table {a}_ledger; the {B} audit reads it."),
    (("always", "{a}_backup"), "Always run {a}_backup before you change anything in {B}."),
    (("niemals", "conf/{a}"), "Bitte ändere niemals etwas unter conf/{a}, daran hängt {B}."),
    (("must not", "{a}-client"), "You must not add {a}-client as a dependency."),
    (("jamais", "{a}.sock"), "N'utilise jamais {a}.sock dans les tests de {B}."),
    (("nunca", "{a}_prod"), "Nunca borres datos de {a}_prod, ni siquiera en pruebas."),
    (("do not", "{a}.internal"), "Do not send anything to {a}.internal without asking me first."),
    (("никогда", "{a}.yaml"), "Никогда не меняй {a}.yaml без моего согласия."),
    (("不要", "{a}_core"), "绝对不要修改 {a}_core 里的任何文件。"),
    (("絶対に", "{a}-main"), "{a}-main には絶対に直接プッシュしないでください。"),
)
_NUMBERS = (
    ("user", ("{n} seconds",), "For the record, the last import of {A} took {n} seconds."),
    ("assistant", ("{n} ms",), "I measured it: a cold start of {A} takes {n} ms on this machine."),
    ("user", ("{n} MiB",), "Yesterday the {A} worker stood at {n} MiB when it was killed."),
    ("assistant", ("{n} rows",), "The {A} table holds {n} rows, counted just now."),
)
# Each of another command, so that none of them resolves another.
_ERRORS = (
    (("{A}Error", "{b}"), "python run.py --shard {b}", "Traceback (most recent call last):\n  File \"run.py\", line 88, in main\n{A}Error: shard {b} has no manifest\nexit code 1"),
    (("{a}-E{n}", "{b}"), "make check-{b}", "checking {b} ...\nerror[{a}-E{n}]: checksum of {b} does not match\n1 problem, exit code 2"),
    (("{A}Timeout", "{b}"), "./connect.sh {b}", "connecting to {b}\nFATAL {A}Timeout: no answer from {b} after 30 s\nexit code 1"),
    (("{a}_fixture", "{b}"), "pytest tests/test_{b}.py", "FAILED tests/test_{b}.py::test_sync - LookupError: {a}_fixture is not registered\n1 failed, exit code 1"),
)  # fmt: skip
_DECISIONS = (
    (("{A}", "{B}"), "Decision: we go with {A} for the {B} importer, because it keeps the order of events."),
    (
        ("{A}", "{B}"),
        "We will use {A} instead of our own parser for {B}, because it reads broken rows as well.",
    ),
    (("{A}", "{B}"), "I decided to store the {B} index in {A}, since it survives a restart."),
    (("{A}", "{B}"), "Let's go with {A} as the queue behind {B}, because it is already deployed."),
)
_REJECTED = (
    (("{A}", "{n} GiB"), "I ruled out {A} for this: it needs {n} GiB of memory."),
    (("{A}", "{B}"), "{A} is not an option, because it cannot read {B} archives."),
    (("{A}", "{B}"), "We rejected {A}: its licence does not allow to ship it with {B}."),
    (("{A}", "{n} minutes"), "I tried {A} and dropped the idea, since a full build took {n} minutes."),
)
_FILES: tuple[tuple[str, str, dict[str, str], str], ...] = (
    ("read_file", "src/{a}/{b}_mapper.py", {}, "\n".join(_CODE)),
    ("edit_file", "lib/{a}/{b}_codec.ts", {"old": "limit = 10", "new": "limit = 25"}, "edited, 1 replacement"),
    ("read_file", "deploy/{a}/{b}.toml", {}, "[service]\nworkers = 3\n"),
    ("write_file", "docs/{a}/{b}_notes.md", {"content": "# Notes\n\nTo be written.\n"}, "written"),
)  # fmt: skip


def facts(seed: int = 0, counts: Mapping[Kind, int] = COUNTS) -> tuple[Fact, ...]:
    """A set of facts; the same seed and counts give the same set.

    Names are used up from one shuffled list, so there is room for some hundred facts.

    Args:
        counts: How many of each kind; kinds that are not named have none.

    Raises:
        ValueError: If there are not names enough.
    """
    dice = random.Random(seed)
    names = [f"{begin}{middle}{end}" for begin in _BEGIN for middle in _MIDDLE for end in _END]
    if 2 * sum(counts.values()) > len(names):
        raise ValueError(f"{sum(counts.values())} facts take two names each, there are {len(names)}")
    dice.shuffle(names)
    unused = iter(names)
    return tuple(
        _fact(kind, number, _words(unused, dice)) for kind in Kind for number in range(counts.get(kind, 0))
    )


def _words(unused: Iterator[str], dice: random.Random) -> dict[str, str]:
    one, other = next(unused), next(unused)
    number = dice.randrange(1_001, 9_999) | 1  # no round number
    return {"A": one.capitalize(), "a": one, "B": other.capitalize(), "b": other, "n": f"{number:,}"}


def _fact(kind: Kind, number: int, words: dict[str, str]) -> Fact:
    id = f"{kind}-{number + 1}"
    match kind:
        case Kind.GOAL:
            keys, text = _GOALS[number % len(_GOALS)]
            return _spoken(id, kind, "user", keys, text, words)
        case Kind.CONSTRAINT:
            keys, text = _CONSTRAINTS[number % len(_CONSTRAINTS)]
            return _spoken(id, kind, "user", keys, text, words)
        case Kind.NUMBER:
            role, (key,), text = _NUMBERS[number % len(_NUMBERS)]
            return _spoken(id, kind, role, (key,), text, words)
        case Kind.DECISION:
            keys, text = _DECISIONS[number % len(_DECISIONS)]
            return _spoken(id, kind, "assistant", keys, text, words)
        case Kind.REJECTED:
            keys, text = _REJECTED[number % len(_REJECTED)]
            return _spoken(id, kind, "assistant", keys, text, words)
        case Kind.ERROR:
            keys, command, text = _ERRORS[number % len(_ERRORS)]
            run = {"command": command.format(**words)}
            return Fact(id, kind, _filled(keys, words), _ran(words["a"], "bash", run, text.format(**words)))
        case Kind.FILE:
            tool, path, more, text = _FILES[number % len(_FILES)]
            path = path.format(**words)
            return Fact(id, kind, (path,), _ran(words["a"], tool, {"path": path, **more}, text))


def _spoken(id: str, kind: Kind, role: str, keys: tuple[str, ...], text: str, words: dict[str, str]) -> Fact:
    message: Json = {"role": role, "content": text.format(**words)}
    return Fact(id, kind, _filled(keys, words), (message,))


def _filled(keys: tuple[str, ...], words: dict[str, str]) -> tuple[str, ...]:
    return tuple(key.format(**words) for key in keys)


def _ran(name: str, tool: str, arguments: Mapping[str, str], output: str) -> tuple[Json, ...]:
    """A call and what came of it."""
    id = f"call_{name}"
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call: Json = {"id": id, "type": "function", "function": function}
    return (
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id, "content": output},
    )
