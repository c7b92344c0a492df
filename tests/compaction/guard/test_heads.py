"""A line without the line that says what it belongs to would say something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.heads import find_heads
from elision.compaction.guard.lines import classify, split_lines
from elision.compaction.types import Kind

ROWS = st.lists(
    st.sampled_from(
        ["", "```", "<a>", "</a>", "@@ -1 +1 @@", "-a", "+b", "--- a/x", "+++ b/x", "2024-05-03 10:11:12 ERROR x", "  on", "Traceback (most recent call last):",
         "  File \"a\", line 1, in f", "ValueError: no", "Caused by: x.Y: z", "\tat a.b(C.java:1)", "--- FAIL: TestA", "____ a ____", "=== F ===", "NAME   AGE",
         "|---|---|", "| a | b |", "a,b,c", "src/a.c", "12:x", "./a:", "commit 1f0c2a9", "key:", "  sub: 1", "[s]", "x = 1", "├── a", "│   └── b"]
    )
    | st.text(max_size=20),
    max_size=80,
)  # fmt: skip


def chains(text: str) -> dict[str, list[str]]:
    """Each line with its head, that one's head and so on."""
    lines = split_lines(text)
    rows = [line.of(text).rstrip("\r\n") for line in lines]
    heads = find_heads(rows, classify(text, lines))
    found = {}
    for at, row in enumerate(rows):
        chain, head = [], heads.get(at)
        while head is not None:
            chain.append(rows[head])
            head = heads.get(head)
        found[row] = chain
    return found


@given(ROWS, st.data())
def test_heads_are_lines_and_following_them_always_ends(rows: list[str], data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.sampled_from(Kind), min_size=len(rows), max_size=len(rows)))
    heads = find_heads(rows, kinds)

    assert all(0 <= line < len(rows) and 0 <= head < len(rows) for line, head in heads.items())
    for start in heads:
        steps, at = 0, start
        while at in heads:
            at, steps = heads[at], steps + 1
            assert steps <= len(rows)


@pytest.mark.parametrize(
    ("text", "line", "chain"),
    [
        ("| name | n |\n| --- | --- |\n| a | 1 |\n| b | 2 |\n", "| b | 2 |", ["| --- | --- |", "| name | n |"]),
        ("name | n\n--- | ---\na | 1\n", "a | 1", ["--- | ---", "name | n"]),
        ("+----+\n| id |\n+----+\n|  1 |\n+----+\n", "|  1 |", ["+----+", "| id |", "+----+"]),
        (" id | n\n----+---\n  1 | 3\n(1 row)\n", "  1 | 3", ["----+---", " id | n"]),
        ("Package    Version\n---------- -------\nattrs      23.2.0\n", "attrs      23.2.0", ["---------- -------", "Package    Version"]),
        ("NAME   READY   AGE\nweb    1/1     5m\ndb     0/1     9m\n", "db     0/1     9m", ["NAME   READY   AGE"]),
        ("Filesystem  Size  Used  Mounted on\n/dev/sda1   40G   12G   /\ntmpfs       8G    0     /dev/shm\n", "tmpfs       8G    0     /dev/shm",
         ["Filesystem  Size  Used  Mounted on"]),
        ("id,name,price\n1,\"Ada, L\",12.50\n2,Bob,7\n", "1,\"Ada, L\",12.50", ["id,name,price"]),
        ("id\tname\n1\tAda\n2\tBob\n", "2\tBob", ["id\tname"]),
        ("id;name;price\n1;Ada L;12,50\n2;Bob;7,00\n", "2;Bob;7,00", ["id;name;price"]),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "+b", ["@@ -1 +1 @@", "--- a/x"]),
        ("src/pool.c\n12:  int a;\n40:  return a;\n\nsrc/a.c\n9:int b;\n", "9:int b;", ["src/a.c"]),
        ("./src:\na.c\n\n./src/net:\npool.c\n", "pool.c", ["./src/net:"]),
        ("/p/index.js\n  3:7   error    'x' is unused  no-unused-vars\n", "  3:7   error    'x' is unused  no-unused-vars", ["/p/index.js"]),
        ("# example.org/cap\n./cap.go:12:2: result not used\n", "./cap.go:12:2: result not used", ["# example.org/cap"]),
        ("Untracked files:\n  (use \"git add\")\n\tnotes for me.txt\n", "\tnotes for me.txt", ["Untracked files:"]),
        (".\n├── docs\n│   └── pool.md\n└── src\n", "│   └── pool.md", ["├── docs", "."]),
        ("commit 1f0c2a9\n src/a.c | 6 ++--\n\ncommit 8d77b10\n src/b.c | 6 ++--\n", " src/b.c | 6 ++--", ["commit 8d77b10"]),
        ("commit 1f0c2a9\nAuthor: A\n\n    Say why\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "+b",
         ["@@ -1 +1 @@", "diff --git a/x b/x", "commit 1f0c2a9"]),
        ("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nValueError: no\n", "    g()", ["Traceback (most recent call last):", "ValueError: no"]),
        ("2024-05-03 10:11:12 ERROR it failed\nTraceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no\n", "ValueError: no",
         ["2024-05-03 10:11:12 ERROR it failed"]),
        ("a.b.CError: no\n\tat a.b.C.f(C.java:1)\nCaused by: d.E: gone\n\tat d.E.g(E.java:2)\n", "\tat d.E.g(E.java:2)", ["Caused by: d.E: gone", "a.b.CError: no"]),
        ("panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/b.go:7 +0x25\n", "\t/a/b.go:7 +0x25", ["goroutine 1 [running]:", "panic: no"]),
        ("thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nstack backtrace:\n   0: core::panic\n             at /r/lib.rs:6:5\n",
         "             at /r/lib.rs:6:5", ["stack backtrace:", "thread 'main' panicked at src/main.rs:2:5:"]),
        ("Unhandled exception. A.BException: no\n ---> C.DException: gone\n   at C.D.E(String s) in /d.cs:line 1\n   --- End of inner exception stack trace ---\n   at A.B.F()\n",
         "   at A.B.F()", ["Unhandled exception. A.BException: no"]),
        ("Error: no\n    at f (/a.js:1:2) {\n  code: 'E',\n  [cause]: TypeError: bad\n      at g (/b.ts:1:2)\n", "      at g (/b.ts:1:2)", ["  [cause]: TypeError: bad", "Error: no"]),
        ("/a.rb:12:in `f': no key (KeyError)\n\tfrom /bin/app:7:in `<main>'\n", "\tfrom /bin/app:7:in `<main>'", ["/a.rb:12:in `f': no key (KeyError)"]),
        ("  ● sum › adds\n\n    Expected: 3\n    Received: 4\n\n  ● sum › subtracts\n\n    Expected: 1\n    Received: 2\n", "    Received: 2", ["  ● sum › subtracts"]),
        ("=== FAILURES ===\n____ test_a ____\n\n    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n", "E       assert 1 == 2",
         [">       assert 1 == 2", "____ test_a ____", "=== FAILURES ==="]),
        ("---- tests::a stdout ----\nleft: 4\n\nfailures:\n", "left: 4", ["---- tests::a stdout ----"]),
        ("  Failed A.B [3 ms]\n  Error Message:\n   they differ\n  Passed A.C [1 ms]\n", "   they differ", ["  Failed A.B [3 ms]"]),
        ("1) App\\SumTest::testAdds\nFailed asserting that 4 is 3.\n\nFAILURES!\n", "Failed asserting that 4 is 3.", ["1) App\\SumTest::testAdds"]),
        ("spec:\n  containers:\n  - name: api\n    image: api:1\n", "    image: api:1", ["  - name: api", "  containers:", "spec:"]),
        ("a:\n  text: |\n    Some words are here.\n", "    Some words are here.", ["  text: |", "a:"]),
        ("[server]\nhost = x\n[client]\nhost = y\nports = [\n  1,\n]\n", "  1,", ["ports = [", "[client]"]),
        ("In file included from a.h:3,\n                 from a.c:1:\nb.h:2:1: error: no\n", "b.h:2:1: error: no", ["                 from a.c:1:", "In file included from a.h:3,"]),
        ("```\n" + "x\n" * 30 + "last\n```\n", "last", ["```", "```"]),
        ("<log>\n" + "x y\n" * 30 + "last\n</log>\n", "last", ["</log>", "<log>"]),
        ("2024-05-03 10:11:12 INFO x\n" + "    y\n" * 20, "    y", ["2024-05-03 10:11:12 INFO x"]),
    ],
)  # fmt: skip
def test_a_line_needs_the_line_that_says_what_it_belongs_to(text: str, line: str, chain: list[str]) -> None:
    assert chains(text)[line] == chain


@pytest.mark.parametrize(
    "text",
    ["One thing was said.\nAnother thing was said.\n", "a.c:1: x\na.c:2: y\n", "def f():\n    return 1\n", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n",
     "====================\nSetext headings have rules\n====================\n", "2024-05-03 10:11:12 INFO x\n2024-05-03 10:11:12 INFO y\n"],
)  # fmt: skip
def test_lines_that_say_all_themselves_need_none(text: str) -> None:
    assert not any(chains(text).values())
