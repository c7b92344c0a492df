"""Every line is one kind; when in doubt, the kind that is never thinned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.lines import classify, count_lines, split_lines
from elision.compaction.types import DIVISIBLE, Kind


def kinds(text: str) -> list[str]:
    return [str(kind) for kind in classify(text, split_lines(text))]


def whole(text: str) -> bool:
    """Whether no line of a text may lose words."""
    return not DIVISIBLE & set(classify(text, split_lines(text)))


@given(st.text(alphabet=st.sampled_from("ab \r\n\t{}@-+#`|:12.\ud800")) | st.text())
def test_lines_partition_any_text_and_each_has_a_kind(text: str) -> None:
    lines = split_lines(text)

    assert "".join(line.of(text) for line in lines) == text
    assert all(line.of(text).rstrip("\r\n") == line.of(text).strip("\r\n") for line in lines if line.of(text).strip("\r\n"))
    assert len(classify(text, lines)) == len(lines) == count_lines(text)


def test_a_line_ends_with_newline_or_return_and_nothing_else() -> None:
    assert [line.of(text) for text in ["a\nb\r\nc\rd\x0be\u2028f"] for line in split_lines(text)] == ["a\n", "b\r\n", "c\r", "d\x0be\u2028f"]


@pytest.mark.parametrize(
    "line",
    [
        "The build failed because the disk was full.", "- remember to check the settings page first", "# What we learned this year",
        "Alice: I think that we should wait until Monday.", "今天我们讨论了新的计划，大家都同意。", "ผมไม่ได้ไปโรงเรียนเมื่อวานนี้เพราะฝนตก",
        "Он сказал, что вернётся завтра утром.", "لا أعرف لماذا حدث هذا الأمر اليوم", "3. Then press the button on the left side.",
    ],
)  # fmt: skip
def test_natural_language_is_prose(line: str) -> None:
    assert kinds(line) == ["prose"]


@pytest.mark.parametrize(
    "line",
    [
        "2024-05-03 10:11:12,123 INFO [main] Started in 3 s", "[INFO] BUILD SUCCESS", "May  3 10:11:12 host sshd[12]: Accepted key",
        "level=warn msg=\"slow query\" ms=120", "src/a.c:12:5: warning: unused variable 'x' [-Wunused]", "npm WARN deprecated a@1.0.0",
        "[  12.345678] usb 1-1: new device", "ERROR: could not connect to server", "E0503 10:11:12.123456   12 main.go:12] boom",
        "10.0.0.1 - - [03/May/2024:10:11:12 +0000] \"GET / HTTP/1.1\" 200 12", "#12 0.345 fetching index", "tests/test_a.py::test_b PASSED [ 50%]",
        "[The command completed with exit code 1.]", "=========== 2 failed, 3 passed in 1.20s ===========",
    ],
)  # fmt: skip
def test_what_programs_log_is_log(line: str) -> None:
    assert kinds(line) == ["log"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(a, b):\n    \"\"\"Return the sum of a and b, as numbers do.\"\"\"\n    return a + b\n",
        "    12→\tif x {\n    13→\t// this comment explains the next line\n", "12: the quick brown fox jumps over it\n",
        "src/a.py:12:    # we should never get here at all\n", "  1\tThe first line of a numbered file\n  2\tThe second line of it\n",
        "286 │ let x = this is some text here\n", "```\nthis is quoted text in a fence\n```\n", "#include <stdio.h>\nint main(void) {\n",
        "const a = await fetch(url);\n", "#  define X(a) something that is long\n", "SELECT name FROM users WHERE id = 1;\n",
    ],
)  # fmt: skip
def test_code_listings_and_search_hits_are_never_thinned(text: str) -> None:
    assert whole(text)


@pytest.mark.parametrize(
    "text",
    [
        "| name | what it is |\n| --- | --- |\n| a b c | the first of them all |\n",
        "NAME                 READY   STATUS    RESTARTS   AGE\nweb-5d9c-abcde       1/1     Running   0          5m\n",
        "-rw-r--r-- 1 root root 785 Apr 30 09:56 some file name here\n", "a,b,c\n1,2,3\n4,5,6\n", "id\tname of it\n1\tthe first one of all\n",
        "+----+------+\n| id | name |\n+----+------+\n",
        "  --all       show everything there is to show\n  --brief     show only the first few of them\n  --colour    show it in many nice colours\n",
        "name | what it is\n--- | ---\na | the first of them all\n", "R  an old name.txt -> a new name.txt\n", "* 1f0c2a9 (HEAD) Move the pool to the router\n",
        "id,name,price,comment\n1,\"Ada, L\",12.50,\"a comment with, commas in it\"\n2,Bob,7,plain words are here too\n3,Eve,8,\n",
        "├── some folder\n│   └── file.txt\n", " M src/a.py\n?? notes.txt\n", "     12 word\n      3 other\n",
        "USER       PID %CPU COMMAND\nroot         1  0.0 /sbin/init splash\n",
    ],
)  # fmt: skip
def test_table_rows_are_never_thinned(text: str) -> None:
    assert whole(text)


@pytest.mark.parametrize(
    "text",
    [
        "{\"a\": 1, \"b\": \"some words in a string\"}\n", "  \"description\": \"A sentence that is rather long, truly.\",\n", "[('a', 1), ('b', 2)]\n",
        "<p>Some words in a paragraph of text</p>\n", "name: value\n",
        "a:\n  text: |\n    This text has several words in it.\n  summary: this is a long plain value with many words\n  # a comment that has some words\n", "{\"level\":\"info\",\"msg\":\"it all went well today\"}\n", "<system-reminder>\n",
    ],
)  # fmt: skip
def test_json_xml_and_yaml_lines_are_never_thinned(text: str) -> None:
    assert whole(text)


def test_a_diff_ends_where_its_hunk_was_counted_to_end() -> None:
    text = (
        "diff --git a/x.py b/x.py\nindex 0a1b2c3..4d5e6f7 100644\n--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@ def f():\n"
        " the old context line of it\n-this line was removed here\n+this line was added here\n last line of the context\n"
        "And here the talk goes on again.\n"
    )

    assert kinds(text) == ["diff"] * 9 + ["prose"]


def test_conflicts_and_patches_are_one_piece() -> None:
    text = "<<<<<<< HEAD\nsome words are written here\n=======\nother words are written here\n>>>>>>> branch\nAnd then it goes on.\n"

    assert kinds(text) == ["diff"] * 5 + ["prose"]


@pytest.mark.parametrize(
    "trace",
    [
        "Traceback (most recent call last):\n  File \"/a/b.py\", line 12, in f\n    raise ValueError(\"not good at all\")\nValueError: not good at all\n",
        "java.lang.IllegalStateException: it was not ready\n\tat a.b.C.run(C.java:12)\n\tat a.b.D.main(D.java:3)\nCaused by: java.io.IOException: gone\n\t... 3 more\n",
        "TypeError: x is not a function\n    at f (/a/b.js:1:2)\n    at async g (node:internal/x:3:4)\n",
        "goroutine 1 [running]:\nmain.main()\n\t/a/b.go:12 +0x1d\n",
        "thread 'main' panicked at src/main.rs:2:5:\nstack backtrace:\n   0: std::panicking::begin_panic\n             at /rustc/x/lib.rs:12:3\n",
        "   at App.Program.Main(String[] args) in C:\\a\\b.cs:line 12\n", "\tfrom a/b.rb:12:in `run'\n", "\tfrom /app/bin/app:7:in `<main>'\n",
        "Unhandled exception. A.BException: It was not ready yet.\n ---> C.DException: The disk is full of things\n   at C.D.E(String s) in /d.cs:line 1\n   --- End of inner exception stack trace ---\n",
        "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds: the length was much too short\n", "Error: it went wrong\n    at f (/a.js:1:2)\n  [cause]: TypeError: the other thing was bad\n",
        "PHP Fatal error:  Uncaught RuntimeException: it went wrong in /app/a.php:3\nStack trace:\n#0 {main}\n  thrown in /app/a.php on line 3\n", "#0  0x00007f in f (x=1) at a.c:12\n",
    ],
)  # fmt: skip
def test_stack_traces_are_never_thinned(trace: str) -> None:
    found = kinds(trace)

    assert found.count("trace") >= len(found) - 1
    assert not {"prose", "log"} & set(found[1:])


@pytest.mark.parametrize("text", ["\n" * 100_000, "a b\n" * 20_000, "```\n" * 50_000, "<<<<<<< \n" * 50_000, "@@ -1,9999 +1,9999 @@\n" * 20_000,
                                  ("a:" * 1000 + "\n") * 50, ("at " * 700 + "\n") * 50, "x" * 2_000_000])  # fmt: skip
def test_odd_texts_are_read_in_linear_time(text: str) -> None:
    assert len(classify(text, split_lines(text))) == text.count("\n") + (not text.endswith("\n"))


def test_an_empty_text_has_no_lines() -> None:
    assert split_lines("") == [] and classify("", []) == []


def test_blank_lines_are_blank() -> None:
    assert classify("  \n", split_lines("  \n")) == [Kind.BLANK]
