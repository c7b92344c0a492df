"""Command lines taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.calls.shell_words import simple_commands


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ls -la", [["ls", "-la"]]),
        ("a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("echo 'a && b' \"c | d\" e\\ f", [["echo", "a && b", "c | d", "e f"]]),
        ("X=1 Y='2 3' env Z=4 sudo -u me nice -n 5 cmd x", [["cmd", "x"]]),
        ("timeout 30s pytest -q 2>&1 | tail -3", [["pytest", "-q"], ["tail", "-3"]]),
        ("if test -f a; then cat a; fi", [["test", "-f", "a"], ["cat", "a"]]),
        ("bash -lc \"cd x && sh -c 'cat y'\"", [["cd", "x"], ["cat", "y"]]),
        ("cat a # not this; rm b", [["cat", "a"]]),
        ("cat <<'EOF' | wc\nrm x; EOF\nEOF\nls", [["cat"], ["wc"], ["ls"]]),
        ("a \\\n  b", [["a", "b"]]),
        ("", []),
    ],
)
def test_a_line_is_split_into_the_commands_it_runs(line: str, words: list[list[str]]) -> None:
    assert [one.words for one in simple_commands(line)] == words


def test_outputs_scripts_and_pipes_are_told_apart_from_words() -> None:
    first, second = simple_commands("python - <<EOF > out.txt 2>/dev/null | grep x\nprint(1)\nEOF\n")

    assert (first.words, first.outputs) == (["python", "-"], ["out.txt"])
    assert second.piped and not first.piped
    assert "print(1)" in second.script


def test_what_is_run_inside_quotes_is_hidden_but_between_single_quotes_nothing_runs() -> None:
    assert [
        simple_commands(line)[0].hidden for line in ('echo "$(rm x)"', "echo `rm x`", "echo '$(rm x)'")
    ] == [
        True,
        True,
        False,
    ]


@pytest.mark.law
@given(st.text(st.sampled_from("ab '\"\\$(){}|&;<>\n#`-=1EOF"), max_size=80))
def test_any_line_is_taken_apart_without_an_error(line: str) -> None:
    assert all(isinstance(one.words, list) for one in simple_commands(line))


def test_between_double_quotes_a_backslash_takes_the_meaning_from_few_letters() -> None:
    assert simple_commands(r'cat "a \"b\".py" "c\d"')[0].words == ["cat", 'a "b".py', r"c\d"]
