import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.pins.shell import program, touched


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat src/a.py", [("src/a.py", "read")]),
        ("cd app && sed -n '1,40p' src/a.py | head -5", [("src/a.py", "read")]),
        ("sed -i 's/a/b/' x.py", [("x.py", "changed")]),
        ("head -n 20 a.log b.log", [("a.log", "read"), ("b.log", "read")]),
        ("echo hi > out.txt 2>&1", [("out.txt", "changed")]),
        ("make >> build.log; rm -rf old.py", [("build.log", "changed"), ("old.py", "deleted")]),
        ("git mv a.py b.py", [("a.py", "deleted"), ("b.py", "changed")]),
        (
            "cat > conf.yml <<'EOF'\nrm secret.txt\nEOF\ncat b.txt",
            [("conf.yml", "changed"), ("b.txt", "read")],
        ),
        ("printf x | tee -a log.txt", [("log.txt", "changed")]),
        ("bash -lc 'cat \"my file.txt\" a.md'", [("a.md", "read")]),
        ("cat $HOME/x *.py /dev/null -", []),
        ("ls -la; echo 'cat a.py'", []),
        ("", []),
    ],
)
def test_files_of_a_command(command: str, files: list[tuple[str, str]]) -> None:
    assert list(touched(command)) == files


@pytest.mark.parametrize(
    ("command", "name", "words"),
    [
        ("cd app && go test ./... | tail -5", "go test", ("./...",)),
        ("FOO=1 pytest -q tests/a.py 2>&1", "pytest", ("-q", "tests/a.py")),
        ("make; echo done", "make", ()),
        ("for f in *; do cat $f; done", "cat", ("$f",)),
        ("", "", ()),
    ],
)
def test_what_a_command_is_about(command: str, name: str, words: tuple[str, ...]) -> None:
    found = program(command)

    assert found[0] == name and set(words) <= set(found[1])


@pytest.mark.law
@given(st.text(alphabet=st.sampled_from("cat >|;&<'\"\\\nEOF$()x. ") | st.characters(), max_size=100))
def test_any_text_can_be_read_as_a_command(command: str) -> None:
    assert all(path in command.replace("\\", "") or path for path, _ in touched(command))
    program(command)
