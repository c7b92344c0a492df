"""Each kind of broken structure is found when we break it on purpose, and nothing is found else."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from elision.compaction.types import Drop
from elision.model.types import Span
from elision.training.audits.structure import (
    Kept,
    broken_hunks,
    headless_rows,
    joined_lines,
    reshaped,
    stray_rows,
)

DIFF = """\
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@
 one
-two
+2
 three
@@ -9 +9,0 @@
-nine
and so on
"""
HITS = """\
src/a.py
3: import os
4- import re
src/b.py:
12:7  error  no-undef
hello there
1: not a hit
"""
TABLE = """\
| name | size |
| --- | ---: |
| a | 1 |
| b | 2 |

| c | 3 |
"""


def without(text: str, *gone: str) -> Kept:
    kept = np.ones(len(text), dtype=np.bool_)
    for part in gone:
        start = text.index(part)
        kept[start : start + len(part)] = False
    return kept


@pytest.mark.parametrize(
    ("find", "text", "gone", "count"),
    [
        (broken_hunks, DIFF, (), 0),
        (broken_hunks, DIFF, ("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",), 0),
        (broken_hunks, DIFF, ("and so on",), 0),
        (broken_hunks, DIFF, (DIFF,), 0),
        (broken_hunks, DIFF, ("+2\n",), 1),
        (broken_hunks, DIFF, ("@@ -9 +9,0 @@\n",), 1),
        (broken_hunks, DIFF, ("+++ b/a.py\n",), 2),
        (stray_rows, HITS, (), 0),
        (stray_rows, HITS, ("src/a.py\n", "3: import os\n", "4- import re\n"), 0),
        (stray_rows, HITS, ("src/a.py\n", "3: import os\n"), 1),
        (stray_rows, HITS, ("src/b.py:\n",), 1),
        (headless_rows, TABLE, (), 0),
        (headless_rows, TABLE, ("| a | 1 |\n",), 0),
        (headless_rows, TABLE, ("| --- | ---: |\n", "| a | 1 |\n"), 1),
    ],
)
def test_what_lost_what_it_belongs_to_is_found(
    find: Callable[[str, Kept], Iterator[str]], text: str, gone: tuple[str, ...], count: int
) -> None:
    assert len(list(find(text, without(text, *gone)))) == count


@pytest.mark.parametrize(
    ("drop", "found"),
    [
        (Drop(Span(4, 8), "", ""), True),  # "a:1 " of one line, "four" of the next
        (Drop(Span(4, 8), "\n", ""), False),
        (Drop(Span(0, 8), "", ""), False),
        (Drop(Span(0, 8), "[…1 line]", ""), True),
        (Drop(Span(0, 8), "[…1 line]\n", ""), False),
        (Drop(Span(3, 7), "", ""), False),
    ],
)
def test_lines_that_became_one_are_found(drop: Drop, found: bool) -> None:
    assert bool(list(joined_lines("a:1 x y\nb:2 four", [drop]))) is found


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ('{"a": [1.0, "x"], "b": null}', ""),
        ('{"a": [1.0, ""], "b": null}', ""),
        ('{"a": [1.0, "x y"], "b": null', "not JSON"),
        ('{"a": [1, "x y"], "b": null}', "float became int"),
        ('{"a": [1.0], "b": null}', "2 elements became 1"),
        ('{"b": null, "a": [1.0, "x"]}', "other keys"),
        ('{"a": [1.0, 2], "b": null}', "str became int"),
    ],
)
def test_json_of_another_shape_is_found(after: str, says: str) -> None:
    found = reshaped('{"a": [1.0, "x y"], "b": null}', after)

    assert says in found if says else not found
