"""Cutting: markers count real lines, and what is left of a diff still applies."""

import os
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.compress import compress
from elision.compaction.cut import cut, rebuild
from elision.compaction.guard.segment import Segmented, segment
from elision.compaction.pins.text import compile_pins
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Drop, Kind, Passage
from elision.model.types import Span

COUNTER = counter("o200k_base")
FILE = "--- a/x\n+++ b/x\n"
OTHER = "--- a/y\n+++ b/y\n"


def hunk(at: int) -> str:
    return f"@@ -{at},2 +{at},2 @@\n kept {at}\n-old {at}\n+new {at}\n"


def left(*rows: tuple[str, bool]) -> str:
    """What is left of a text where the rows marked so stay; hunks need the header above them."""
    text, spans, passages, header = "", [], list[Passage](), -1
    for index, (row, _) in enumerate(rows):
        spans.append(Span(len(text), len(text) + len(row)))
        kind = Kind.DIFF if row.startswith(("---", "@@")) else Kind.CODE
        header = index if row.startswith("---") else header
        passages.append(Passage(spans[-1], index, kind, head=header if row.startswith("@@") else -1, whole=True))
        text += row
    lines = segment(text).lines
    read = Segmented(lines, [Kind.CODE] * len(lines), spans, passages)
    return rebuild(text, cut(text, read, np.array([stays for _, stays in rows]), {}))


def test_a_gone_row_of_several_lines_counts_them_all() -> None:
    assert left(("def f():\n    pass\n", False), ("x\r\n", False), ("end", True)) == "[…3 lines]\r\nend"


def test_no_marker_stands_between_the_hunks_of_a_file() -> None:
    text = left((FILE, True), (hunk(1), False), (hunk(9), True), (hunk(20), False), (OTHER, True), (hunk(3), True))

    assert text == FILE + hunk(9) + "[…8 lines]\n" + OTHER + hunk(3)


def test_a_marker_stands_after_the_last_hunk_that_stays_where_none_went_after_it() -> None:
    text = left((FILE, True), (hunk(1), False), (hunk(9), True), (OTHER, True), (hunk(3), True))

    assert text == FILE + hunk(9) + "[…4 lines]\n" + OTHER + hunk(3)


def test_a_last_hunk_without_a_line_end_gets_one_before_its_marker() -> None:
    assert left((FILE, True), (hunk(1), False), (hunk(9)[:-1], True)) == FILE + hunk(9) + "[…4 lines]"


def test_files_that_went_after_a_hunk_are_counted_with_it() -> None:
    text = left((FILE, True), (hunk(1), False), (hunk(9), True), (OTHER, False), (hunk(3), False), ("end\n", True))

    assert text == FILE + hunk(9) + "[…10 lines]\nend\n"


def test_a_sentence_before_a_fixed_span_goes_without_a_space_of_it() -> None:
    text = '{"a": "Fine. Gone."  }'
    fixed = [Span(0, 7), Span(18, 22)]
    read = segment(text, fixed=fixed)
    kept = np.array([passage.span.of(text) != "Gone." for passage in read.passages])

    assert cut(text, read, kept, {}) == [Drop(Span(13, 18), "", "low_value_sentence")]


def test_a_marker_does_not_reach_over_a_fixed_row_that_stays() -> None:
    text = '{"a": "one\ntwo\nthree", "b": "four\nfive\n"}'
    first, last = text.index("one"), text.index("four")
    fixed = [Span(0, first), Span(text.index('", "b"'), last), Span(len(text) - 2, len(text))]
    read = segment(text, fixed=fixed)
    kept = np.array([passage.span in fixed for passage in read.passages])

    assert rebuild(text, cut(text, read, kept, {})) == '{"a": "[…3 lines]", "b": "[…2 lines]\n"}'


def test_what_goes_out_of_a_minified_line_leaves_a_marker_that_counts_its_characters() -> None:
    text = "".join(f"var q{n}=function(t){{return t.queue+{n}}};" for n in range(60)) + "\n"
    read = segment(text)
    kept = np.ones(len(read.passages), dtype=bool)
    kept[[1, 2, 4]] = False
    gone = [len(passage.span) for passage in read.passages]
    left = [passage.span.of(text) for passage in read.passages]

    assert rebuild(text, cut(text, read, kept, {})) == "".join(
        [left[0], f"[…{gone[1] + gone[2]} characters]", left[3], f"[…{gone[4]} characters]", *left[5:]]
    )


def test_the_last_stretch_of_a_minified_line_goes_without_its_line_end() -> None:
    text = "f(a);" * 300 + "\r\nend\n"
    read = segment(text)
    kept = np.array([passage.span.start == 0 or passage.row == 1 for passage in read.passages])
    first = read.passages[0].span

    assert rebuild(text, cut(text, read, kept, {})) == f"{first.of(text)}[…{1500 - len(first)} characters]\r\nend\n"


def test_no_negation_is_picked_out_of_minified_code_that_goes() -> None:
    text = "".join(f"if(!this.is_{n})return must_not_{n}('do not');" for n in range(80))
    result = compress(text, Budget(keep_ratio=0.3, floor_tokens=0), scorer=HashScorer(), counter=COUNTER)
    parts = re.split(r"\[…\d+ characters\]", result.text)

    assert len(parts) > 1 and all(part in text for part in parts)
    assert all(len(part) > 100 for part in parts if part)


@pytest.fixture(scope="session")
def git(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    folder = tmp_path_factory.mktemp("repository")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def run(*args: str, patch: str = "") -> str:
        command = ["git", "-c", "core.autocrlf=false", "-c", "core.safecrlf=false", *args]
        done = subprocess.run(command, cwd=folder, env=env, input=patch.encode(), capture_output=True)
        assert done.returncode == 0, (args, done.stderr.decode(), patch)
        return done.stdout.decode()

    run("init", "--quiet")
    return run


def files(rng: random.Random) -> dict[str, list[str]]:
    lines = ["value_{} = {}\n", "    call_{}(x, {})\n", "-- note {} of {}\n", "++ {} {}\n", "\n", "Eine Zeile {} über {}.\r\n", "}}\n"]
    return {
        f"src/file_{number}.py": [rng.choice(lines).format(n, rng.randrange(9**6)) for n in range(rng.randrange(1, 120))]
        for number in range(rng.randrange(1, 5))
    }


def changed(rng: random.Random, old: dict[str, list[str]]) -> dict[str, list[str]]:
    new = {}
    for name, lines in old.items():
        edited = [rng.choice(["", f"changed {n}\n", line + "added\n"]) if rng.random() < 0.06 else line for n, line in enumerate(lines)]
        new[rng.choice([name] * 4 + [name + ".moved"])] = edited if rng.random() < 0.9 else []
    if rng.random() < 0.5:
        new["src/fresh.txt"] = ["brand new\n"] * rng.randrange(1, 30) + rng.choice([["no line end"], []])
    return new


def diff(git: Callable[..., str], rng: random.Random) -> str:
    """A real diff; the index is left at what it is against."""
    folder = Path(git("rev-parse", "--show-toplevel").strip())
    trees = []
    old = files(rng)
    for version in (old, changed(rng, old)):
        git("rm", "-rfq", "--ignore-unmatch", ".")
        for name, lines in version.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes("".join(lines).encode())
        git("add", "-A")
        trees.append(git("write-tree").strip())
    git("read-tree", trees[0])
    return git("diff", "-M", *trees)


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.floats(0.05, 0.9), st.sampled_from(["", "What I changed: see below, it is not much.\n\n"]))
def test_what_is_left_of_a_diff_still_applies(git: Callable[..., str], seed: int, ratio: float, before: str) -> None:
    text = before + diff(git, random.Random(seed))
    for pins in ((), ("file_1",), ("added",)):
        budget = Budget(keep_ratio=ratio, floor_tokens=0)

        result = compress(text, budget, scorer=HashScorer(), counter=COUNTER, pins=compile_pins(pins))

        git("apply", "--check", "--cached", "--allow-empty", patch=result.text)
        if not any(drop.reason != "low_value_lines" for drop in result.receipt.dropped):
            marked = [int(number) for number in re.findall(r"^\[…(\d+) lines?", result.text, re.MULTILINE)]
            assert len(result.text.split("\n")) - len(marked) + sum(marked) == len(text.split("\n"))


def test_a_diff_of_one_large_hunk_is_not_reduced_to_a_marker() -> None:
    body = "".join(f"-old line number {n} of the file\n+new line number {n} of the file\n" for n in range(40))
    diff = f"diff --git a/x.txt b/x.txt\n--- a/x.txt\n+++ b/x.txt\n@@ -1,40 +1,40 @@\n{body}"
    result = compress(diff, Budget(keep_ratio=0.3, floor_tokens=0), scorer=HashScorer(), counter=COUNTER)

    assert result.text == diff and not result.receipt.target_met
