"""Some lines stay together or go together."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elision.compaction.guard.groups import find_groups
from elision.compaction.guard.heads import find_heads
from elision.compaction.guard.lines import classify, split_lines
from elision.compaction.types import Kind

ROWS = st.lists(
    st.sampled_from(
        ["", "  ", "```", "````md", "~~~", "<a>", "</a>", "<b x=1>", "</b>", "diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,2 +1 @@",
         "-a", "+b", " c", "<<<<<<< HEAD", "=======", ">>>>>>> b", "*** Begin Patch", "*** End Patch", "a.c:1:2: error: no", "   1 | int a;",
         "     |  ^~~", "2024-05-03 10:11:12 INFO x", "    going on", "Traceback (most recent call last):", "  File \"a\", line 1, in f", "    f()",
         "ValueError: no", "Caused by: x.Y: z", "\tat a.b(C.java:1)", "--- FAIL: TestA (0.0s)", "    a_test.go:3: no", "____ test_a ____",
         "=== FAILURES ===", "NAME   READY   AGE", "web    1/1     5m", "| a | b |", "|---|---|", "a,b,c", "1,2,3", "src/a.c", "12:x", "commit 1f0c2a9",
         "key:", "  sub: 1", "  text: |", "[section]", "x = 1", "├── a", "│   └── b", ".", "In file included from a.h:1:", "Plain words stand here too."]
    )
    | st.text(max_size=20),
    max_size=30,
)  # fmt: skip


def read(text: str) -> tuple[list[str], list[Kind]]:
    lines = split_lines(text)
    return [line.of(text).rstrip("\r\n") for line in lines], classify(text, lines)


def groups(text: str) -> list[str]:
    rows, kinds = read(text)
    return ["\n".join(rows[group.start : group.stop]) for group in find_groups(rows, kinds)]


@given(ROWS, st.data())
def test_groups_are_sorted_disjoint_and_longer_than_a_line(rows: list[str], data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.sampled_from(Kind), min_size=len(rows), max_size=len(rows)))
    found = find_groups(rows, kinds)

    assert all(len(group) > 1 for group in found)
    assert all(a.stop <= b.start for a, b in zip(found, found[1:], strict=False))
    assert not found or (found[0].start >= 0 and found[-1].stop <= len(rows))


@example("@@ -1,2 +1,2 @@\n a")  # of a hunk that is cut off the empty line may be one
@given(ROWS.map("\n".join))
def test_prose_after_a_text_changes_no_group_or_head_before_it(text: str) -> None:
    paragraph = text + "\n\n"
    rows, kinds = read(paragraph)
    all_rows, all_kinds = read(paragraph + "And then the talk went on about other things.\n")
    heads = find_heads(all_rows, all_kinds)

    assert set(find_groups(rows, kinds)) <= set(find_groups(all_rows, all_kinds))
    assert find_heads(rows, kinds).items() <= heads.items()


@pytest.mark.parametrize(
    "group",
    [
        "```sh\nmake all\nmake test\n```",
        "````markdown\nUse it so:\n```python\nprint('a   b')\n```\nstill inside\n````",
        "~~~\na  b   c\n```\n~~~",
        "<system-reminder>\nYou must never push to the main branch.\nKeep the files as they are.\n</system-reminder>",
        "<result name=\"x\">the first line of it\n<b>bold</b> words and more of them\nthe last line</result>",
        "<dependency>\n  <groupId>org.example</groupId>\n  <version>1.2.3</version>\n</dependency>",
        "<<<<<<< HEAD\nsome words are here\n||||||| base\nbase words\n=======\nother words\n>>>>>>> branch",
        "*** Begin Patch\n*** Update File: src/a.py\n@@ def f():\n-    return 1\n+    return 2\n*** End Patch",
        "@@ -1,3 +1,3 @@ def f():\n context\n-old\n+new\n more",
        "diff --git a/a.txt b/b.txt\nsimilarity index 90%\nrename from a.txt\nrename to b.txt",
        "src/a.c:12:5: error: 'foo' undeclared\n   12 |     foo = bar;\n      |     ^~~",
        "b.cpp:7:10: error: no matching function\n  return send(a, other);\n         ^~~~",
        "A.java:5: error: cannot find symbol\n    String s = foo(a);\n               ^\n  symbol:   method foo(int)\n  location: class A",
        "error[E0308]: mismatched types\n  --> src/main.rs:4:18\n   |\n4  |     let x: i32 = \"a\";\n   |            ---   ^^^ expected `i32`\n   |\n   = note: a note about it",
        "src/a.ts:3:7 - error TS2322: Type 'string' is not assignable.\n\n3 const x: number = \"some words\";\n        ~",
        "F401 [*] `os` imported but unused\n --> app/main.py:1:8\n  |\n1 | import os\n  |        ^^\n  |\nhelp: Remove unused import: `os`",
        "./app/main.py:1:1: F401 'os' imported but unused\nimport os\n^",
        "    > 11 |   expect(sum([1, 2])).toBe(3);\n         |                       ^\n      12 | });",
        "  File \"/a/b.py\", line 3\n    def f(x\n         ^\nSyntaxError: '(' was never closed",
        "2024-05-03 10:11:12,123 INFO [main] Running the query\n    SELECT name, price\n    FROM items",
        "--- FAIL: TestRound (0.01s)\n    round_test.go:31: got 3, want 2",
    ],
)  # fmt: skip
def test_what_belongs_together_is_one_group_whatever_stands_around_it(group: str) -> None:
    assert group in groups(group + "\n")
    assert group in groups(f"Some words of prose stand before it.\n\n{group}\n\nAnd others come after it.\n")


def test_each_hunk_and_each_file_header_of_a_diff_is_a_group() -> None:
    header = "diff --git a/x b/x\nindex 0a1b2c3..4d5e6f7 100644\n--- a/x\n+++ b/x"
    text = f"{header}\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n{header}\n@@ -1 +1 @@\n-e\n+f\n"

    assert groups(text) == [header, "@@ -1 +1 @@\n-a\n+b", "@@ -9 +9 @@\n-c\n+d", header, "@@ -1 +1 @@\n-e\n+f"]


def test_each_python_frame_goes_with_the_code_it_quotes() -> None:
    text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g(\n    ~^\n  File \"b.py\", line 2, in g\n    raise X\nX: no\n"

    assert groups(text) == ["  File \"a.py\", line 1, in f\n    g(\n    ~^", "  File \"b.py\", line 2, in g\n    raise X"]


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + "x = 1\n" * 40 + "```\n", "<log>\n" + "a b\n" * 40 + "</log>\n", "2024-05-03 10:11:12 INFO x\n" + "    y\n" * 20,
        "Use a List<String> or a Map<String, Integer> here.\nA tag like <b> in a sentence opens nothing.\n", "a.c:1: x\na.c:2: y\na.c:3: z\n",
        "```\nan open fence\n",
    ],
)  # fmt: skip
def test_long_blocks_and_what_only_looks_like_one_are_no_groups(text: str) -> None:
    assert groups(text) == []


@pytest.mark.parametrize("row", ["```", "<a>", "</a>", "<<<<<<< a", "@@ -1,999999 +1,999999 @@", "a.c:1: x", "    y", "  ^", "FAIL: x (", "--- FAIL: x", "==> a <=="])
def test_many_equal_lines_are_read_in_linear_time(row: str) -> None:
    rows, kinds = read(f"{row}\n" * 20_000)

    assert len(find_groups(rows, kinds)) <= len(rows)
    assert len(find_heads(rows, kinds)) <= len(rows)
