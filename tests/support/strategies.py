"""Texts as tools write them, for the laws: made by hypothesis, so that what breaks one shrinks.

Each strategy gives whole documents of one kind; `texts` is any of them, or several in one.
"""

import json
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

WORDS = (
    *"the worker has not finished its job so cache must be cleared before next run only unless".split(),
    *"request timeout socket value 1,284.50 USD v2.14.0-rc1 /etc/app.yaml 10.0.0.7:5432 3f2a9c1e".split(),
)
_ORDINARY = st.sampled_from(WORDS)
_FOREIGN = st.sampled_from(["naïve", "nicht", "löschen", "не", "удалять", "файл", "ελάχιστα", "لا", "ห้ามลบ", "ไฟล์"])
_CJK = st.text(st.sampled_from("不要删除数据库请先备份文件然后再试一次没有错误日本語テキスト한국어。，、「」"), min_size=1, max_size=12)
_EMOJI = st.sampled_from(["👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "👍🏽", "✅", "❌", "❤️", "\u200b", "\u202e"])
_CONTROLS = st.sampled_from(["\x1b[31m", "\x1b[0m", "\x07", "\x00", "\b", "\r", "\t", "\x0b", "\x85", "\u2028", "\ufeff"])
words = st.one_of(_ORDINARY, _ORDINARY, _ORDINARY, _FOREIGN, _CJK, _EMOJI, _CONTROLS)

sentences = st.lists(words, min_size=1, max_size=24).map(lambda parts: " ".join(parts).capitalize() + ".")
plain_sentences = st.lists(_ORDINARY, min_size=3, max_size=24).map(lambda parts: " ".join(parts).capitalize() + ".")
prose = st.lists(sentences, min_size=1, max_size=12).map(" ".join)
cjk_prose = st.lists(_CJK, min_size=4, max_size=60).map("".join)
"""Prose without spaces."""

names = st.sampled_from(["alpha", "beta_2", "Gamma", "delta-3", "id", "größe", "名前", "a b"])
keys = st.one_of(names, st.text(max_size=6))


def _lines(line: SearchStrategy[str], most: int = 40) -> SearchStrategy[str]:
    return st.lists(line, min_size=1, max_size=most).map("\n".join)


def _stamped(parts: tuple[int, str, str]) -> str:
    second, level, said = parts
    return f"2026-01-02 03:{second // 60 % 60:02}:{second % 60:02},{second % 1000:03} {level:5} worker-{second % 7} {said}"


log_lines = st.tuples(
    st.integers(0, 3599), st.sampled_from(["INFO", "DEBUG", "WARN", "ERROR", "FATAL"]), plain_sentences
).map(_stamped)
report_lines = st.sampled_from(
    [
        "FAILED tests/test_a.py::test_b - AssertionError: assert 1 == 2",
        "FAILED tests/test_c.py::test_d[x-1] - KeyError: 'x'",
        "=========== 1 failed, 2 passed in 0.12s ===========",
        "Process finished with exit code 137",
        "make: *** [Makefile:12: all] Error 2",
        "src/app.c:41:7: error: use of undeclared identifier 'x'",
    ]
)
logs = _lines(st.one_of(log_lines, log_lines, log_lines, report_lines))
"""Log lines, with reports among them."""

frames = st.tuples(names, st.integers(1, 999), st.sampled_from(["run", "load", "__init__", "call"]))


@st.composite
def traces(draw: st.DrawFn) -> str:
    """A Python or a Java stack trace."""
    called = draw(st.lists(frames, min_size=1, max_size=30))
    said = draw(plain_sentences)
    if draw(st.booleans()):
        rows = [f'  File "/srv/{name}.py", line {line}, in {where}\n    {where}(value)' for name, line, where in called]
        return "\n".join(["Traceback (most recent call last):", *rows, f"ValueError: {said}"])
    rows = [f"\tat com.example.{name}.{where}({name}.java:{line})" for name, line, where in called]
    return "\n".join([f"java.lang.IllegalStateException: {said}", *rows, f"\t... {len(rows)} more"])


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A table of pipes, of columns or of commas."""
    width = draw(st.integers(2, 5))
    cells = st.sampled_from(["42", "-1.5", "ok", "not found", "10 %", "é", "数据", "/var/log/x", ""])
    rows = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=25))
    head = [f"Column {number}" for number in range(width)]
    match draw(st.sampled_from("|,s")):
        case "|":
            ruled = [head, ["---"] * width, *rows]
            return "\n".join(f"| {' | '.join(row)} |" for row in ruled)
        case ",":
            return "\n".join(",".join(row) for row in [head, *rows])
        case _:
            return "\n".join("  ".join(f"{cell or '-':14}" for cell in row).rstrip() for row in [head, *rows])


@st.composite
def searches(draw: st.DrawFn) -> str:
    """Hits of a search: ``file:line: text`` on each line, or files as headings above their rows."""
    files = draw(st.lists(st.sampled_from(["src/a.py", "b/c_test.go", "docs/d e.md"]), min_size=1, max_size=4, unique=True))
    heading = draw(st.booleans())
    rows: list[str] = []
    for file in files:
        hits = draw(st.lists(st.tuples(st.integers(1, 999), plain_sentences), min_size=1, max_size=12))
        rows += [file] if heading else []
        rows += [f"{number}: {said}" if heading else f"{file}:{number}: {said}" for number, said in sorted(hits)]
        rows += [""] if heading else []
    return "\n".join(rows)


code_lines = st.tuples(
    st.sampled_from(["    ", "        ", "            "]),
    st.sampled_from(
        [
            "return self.value + 1  # never None",
            "if not value:",
            'raise ValueError(f"bad {value!r}")',
            "self.items = [item for item in items if item.kept]",
            "value = await fetch(self.url, timeout=30)",
            "",
        ]
    ),
).map("".join)


@st.composite
def code(draw: st.DrawFn) -> str:
    """Functions of a class, unmistakably code."""
    rows = ["import json", "from pathlib import Path", "", "class Cache(Base):"]
    for name in draw(st.lists(st.sampled_from(["load", "keep", "_drop"]), min_size=1, max_size=5)):
        rows += [f"    def {name}(self, path: Path) -> None:", *draw(st.lists(code_lines, min_size=1, max_size=12))]
    return "\n".join(rows)


@dataclass(frozen=True, slots=True)
class Change:
    """A file before, after, and the git diff between the two.

    Attributes:
        name: The file's name.
        before: Its lines, joined and ended by line feeds.
        diff: As git would print it.
    """

    name: str
    before: str
    diff: str


@st.composite
def changes(draw: st.DrawFn) -> Change:
    """A change of one file and its diff, hunks with three lines of context."""
    line = st.one_of(code_lines, plain_sentences).filter(lambda text: "\r" not in text)
    old = draw(st.lists(line, min_size=1, max_size=60))
    edits = sorted(draw(st.sets(st.integers(0, len(old) - 1), min_size=1, max_size=6)))
    new = {at: draw(st.lists(line, max_size=4)) for at in edits}
    name = draw(st.sampled_from(["src/app.py", "notes.md", "a b.txt"]))
    return Change(name, "".join(f"{row}\n" for row in old), _diff(name, old, new))


def _diff(name: str, old: list[str], new: dict[int, list[str]], context: int = 3) -> str:
    """A git diff that replaces single lines by some others."""
    quoted = f'"a/{name}" "b/{name}"' if " " in name else f"a/{name} b/{name}"
    out = [f"diff --git {quoted}".replace('"', ""), "index 1111111..2222222 100644", f"--- a/{name}", f"+++ b/{name}"]
    grown = 0
    for group in _groups(sorted(new), 2 * context):
        first, last = max(0, group[0] - context), min(len(old), group[-1] + 1 + context)
        rows: list[str] = []
        for at in range(first, last):
            rows += [f"-{old[at]}", *(f"+{row}" for row in new[at])] if at in new else [f" {old[at]}"]
        length = last - first + sum(len(new[at]) - 1 for at in group)
        starts = first + 1, first + grown + (1 if length else 0)
        out += [f"@@ -{starts[0]},{last - first} +{starts[1]},{length} @@", *rows]
        grown += length - (last - first)
    return "".join(f"{row}\n" for row in out)


def _groups(places: list[int], apart: int) -> list[list[int]]:
    groups = [[places[0]]]
    for one, other in pairwise(places):
        if other - one > apart:
            groups.append([])
        groups[-1].append(other)
    return groups


diffs = changes().map(lambda change: change.diff)

numbers = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([1.0, 1e-7, -0.0])
)
long_texts = st.one_of(prose, logs, traces(), st.lists(plain_sentences, min_size=8, max_size=30).map("\n".join))
json_values: SearchStrategy[object] = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=12), long_texts),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(keys, inner, max_size=5)),
    max_leaves=12,
)


@st.composite
def json_documents(draw: st.DrawFn) -> str:
    """A JSON object or array with long texts somewhere in it, spelled in one of the usual ways."""
    value = draw(st.one_of(st.lists(json_values, min_size=1, max_size=6), st.dictionaries(keys, json_values, min_size=1)))
    indent = draw(st.sampled_from([None, None, 2]))
    separators = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=indent, separators=separators)
    return draw(st.sampled_from(["", "\n", "  "])) + text


@st.composite
def markdown(draw: st.DrawFn) -> str:
    """Headings, paragraphs, lists, tables and fenced blocks of code, JSON and diffs."""
    fence = st.tuples(st.sampled_from(["", "python", "json", "diff"]), st.one_of(code(), json_documents(), diffs))
    block = st.one_of(
        plain_sentences.map(lambda said: f"## {said}"),
        prose,
        st.lists(sentences, min_size=1, max_size=8).map(lambda rows: "\n".join(f"- {row}" for row in rows)),
        tables(),
        fence.map(lambda pair: f"```{pair[0]}\n{pair[1].rstrip()}\n```"),
    )
    return "\n\n".join(draw(st.lists(block, min_size=1, max_size=8)))


anything = st.text(st.characters(codec=None, categories=None), max_size=400)
"""Any string at all, lone surrogates too."""

documents = {
    "prose": prose,
    "cjk": cjk_prose,
    "log": logs,
    "trace": traces(),
    "table": tables(),
    "search": searches(),
    "code": code(),
    "diff": diffs,
    "json": json_documents(),
    "markdown": markdown(),
    "anything": anything,
}
texts: SearchStrategy[str] = st.one_of(
    *documents.values(), st.lists(st.one_of(*documents.values()), min_size=2, max_size=4).map("\n".join)
)
ratios = st.floats(0.05, 0.95)


_REPEATED = (
    "{time} INFO  web GET /api/items/{n} took {m}ms status=200",
    "{time} INFO  web GET /api/items/{n} took {m}ms status=500",
    "{time} ERROR db-{m} connection to 10.0.0.{m}:5432 refused",
    "{time} WARN  job cache miss",
    '{{"log":"request {n} done","stream":"stdout","time":"2026-01-02T03:04:05.{m}Z"}}',
    '{{"level":{m},"pid":{n},"msg":"tick"}}',
    "Downloading package {n}",
    "Traceback (most recent call last):\n  File \"a.py\", line {m}, in run\nValueError: {n} is too large",
    "    at com.acme.Worker.run(Worker.java:{m})",
    "",
    "plain words without a number",
    "0x{m}f3a {n}-b {m}.{n}.{m} 3f2b8c1e-77aa-4d0c-9e51-0d2c4b6a8f{m}0",
)


def _repetitive(parts: tuple[list[tuple[int, int, int]], str]) -> str:
    rows, end = parts
    lines = (
        _REPEATED[kind].format(time=f"2026-01-02 03:{at // 60:02}:{at % 60:02},{n:03}", n=n, m=m)
        for at, (kind, n, m) in enumerate(rows)
    )
    return end.join(lines).replace("\n\n", "\n") + end


repetitive_logs = st.tuples(
    st.lists(st.tuples(st.integers(0, len(_REPEATED) - 1), st.integers(0, 130), st.integers(0, 5)), max_size=120),
    st.sampled_from(["\n", "\n", "\n", "\r\n"]),
).map(_repetitive)
"""Logs of a few kinds of records again and again."""
