"""What a history could read again, and what it could not."""

import pytest
from conversations import FORMATS
from histories import history
from messages import Json, assistant, call, calls, result, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.reduce.again import Again, again, rank


def known(
    *made: tuple[str, Json], format: Format = Format.OPENAI_CHAT, texts: tuple[str, ...] = ()
) -> list[Again | None]:
    """For each of these calls, one after the other, what is known of its result."""
    story = [user("go")]
    for at, (name, arguments) in enumerate(made):
        story += [call(f"c{at}", name, arguments), result(f"c{at}", texts[at] if texts else f"output {at}")]
    conversation = history([*story, assistant("done")], format)
    found = again(conversation)
    paths = [
        block.path for message in conversation.messages for block in message.blocks if block.part == "result"
    ]
    return [found.get(path) for path in paths]


def shell(command: str | list[str]) -> tuple[str, Json]:
    return "bash", {"command": command}


READ = ("read_file", {"path": "src/app.py"})


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_that_nobody_changed_can_be_read_again_unchanged(format: Format) -> None:
    assert known(READ, shell("pytest -q"), format=format) == [Again("read src/app.py", True), None]


@pytest.mark.parametrize(
    "change",
    [
        ("edit", {"file_path": "/repo/src/app.py", "old_string": "a", "new_string": "b"}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/app.py\n@@\n-a\n+b\n*** End Patch"}),
        ("apply_diff", {"diff": "--- a/src/app.py\n+++ b/src/app.py\n@@ -1 +1 @@\n-a\n+b"}),
        ("str_replace_editor", {"command": "str_replace", "path": "src/app.py"}),
        shell("sed -i 's/a/b/' src/app.py"),
        shell("sed -i '' -e s/a/b/ app.py"),
        shell("cat > src/app.py <<'EOF'\nprint(1)\nEOF"),
        shell("echo x >> ./src/app.py"),
        shell("mv src/app.py src/old.py"),
        shell("rm -rf src"),
        shell("git checkout main"),
        shell("ruff format ."),
        shell(["bash", "-lc", "tee src/app.py < other"]),
        shell("python - <<EOF\nopen('src/app.py', 'w').write('')\nEOF"),
        shell("cd src && FOO=1 sudo -u me patch -p1 < x.diff"),
    ],
)
def test_what_was_read_before_its_file_was_changed_is_outdated(change: tuple[str, Json]) -> None:
    first, *_ = known(READ, change)

    assert first is not None
    assert first.outdated


@pytest.mark.parametrize(
    "other",
    [
        ("edit", {"file_path": "src/other.py"}),
        ("write_file", {"path": "test/app.py"}),
        shell("cat src/app.py"),
        shell("pytest -q tests/test_app.py > /dev/null 2>&1"),
        shell("git status && git diff"),
        shell("git add -A && git commit -m 'change src/app.py'"),
        shell("ruff format --check ."),
        shell("python -c \"print(open('src/app.py').read())\""),
        shell("rg app.py | head -3"),
    ],
)
def test_what_does_not_change_a_file_leaves_its_text_as_it_is(other: tuple[str, Json]) -> None:
    first, *_ = known(READ, other)

    assert first == Again("read src/app.py", True)


def test_a_read_after_the_change_is_not_outdated() -> None:
    _, _, last = known(READ, ("edit", {"file_path": "src/app.py"}), READ)

    assert last == Again("read src/app.py", True)


def test_an_edit_that_failed_changed_nothing() -> None:
    story = [user("go"), call("a", *READ), result("a", "text"), call("b", "edit", {"path": "src/app.py"})]
    body = history([*story, result("b", "no such text"), assistant("?")], Format.ANTHROPIC).raw
    failed = body.replace('"tool_use_id": "b"', '"tool_use_id": "b", "is_error": true')

    (found,) = again(read(failed, Format.ANTHROPIC)).values()

    assert found.unchanged


@pytest.mark.parametrize(
    "command",
    [
        "ls -la src", "cat a.py b.py", "grep -rn foo src | head -20", "git log --oneline -5", "git -C repo show HEAD",
        "cd repo && ls", "find . -name '*.py' | xargs grep -l foo", "sed -n '1,40p' a.py", "bash -lc 'nl -ba x | tail'",
        "for f in a b; do echo $f; cat $f; done", "curl -s https://example.com/page", "FOO=1 timeout 5 du -sh .",
        "cat a 2>/dev/null || true", "head -n 5 <a.py",
    ],
)  # fmt: skip
def test_commands_that_only_look_can_be_run_again(command: str) -> None:
    (found,) = known(shell(command))

    assert found is not None
    assert found.how == f"run {command}"
    assert found.unchanged


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q", "npm run build", "cat a.py && make", "ls | tee out.txt", "find . -name x -delete", "curl -X POST https://e.com/x",
        "curl -d a=b https://e.com", "curl localhost:8080/health", "date", "ps aux", "kubectl get pods", "git push",
        "python script.py", "echo hi", "cat $(which python)", "cat `find .`", 'cat "$(ls)"', "ls > listing", "", "docker ps",
        "sed -i s/a/b/ x.py", "unknown --version", "'", '"', "$(", "<<", "cat <<EOF",
    ],
)  # fmt: skip
def test_commands_with_an_effect_or_another_answer_every_time_cannot(command: str) -> None:
    assert known(shell(command)) == [None]


@pytest.mark.parametrize(
    "made",
    [
        ("web_search", {"query": "x"}),
        ("ask_user", {"question": "x"}),
        ("mcp__tracker__create_issue", {"title": "x"}),
        ("read_file", {}),
        ("", {}),
    ],
)
def test_searches_of_what_changes_answers_of_users_and_unknown_tools_are_evidence(
    made: tuple[str, Json],
) -> None:
    assert known(made) == [None]


def test_a_listing_is_outdated_by_a_change_in_its_folder_only() -> None:
    looks = shell("ls src"), shell("ls docs"), shell("git status"), ("Grep", {"pattern": "x", "path": "src/"})
    src, docs, status, grep, _ = known(*looks, ("write", {"path": "src/new/file.py"}))

    assert [one.outdated for one in (src, docs, status, grep) if one] == [True, False, True, True]


def test_an_error_is_evidence_whatever_the_call_was() -> None:
    body = history(
        [user("go"), call("a", *READ), result("a", "no such file"), assistant("?")], Format.ANTHROPIC
    ).raw

    assert (
        again(read(body.replace('"tool_use_id"', '"is_error": true, "tool_use_id"'), Format.ANTHROPIC)) == {}
    )


def test_parallel_calls_are_told_apart() -> None:
    made = calls(("a", *READ), ("b", "edit", {"path": "src/app.py"}), ("c", *READ))
    story = [user("go"), made, result("a", "old"), result("b", "ok"), result("c", "new"), assistant("done")]

    assert [one.outdated for one in again(history(story, Format.OPENAI_CHAT)).values()] == [True, False]


def test_what_is_outdated_goes_before_what_can_be_had_again_and_that_before_evidence() -> None:
    assert [rank(Again("x", False)), rank(Again("x", True)), rank(None)] == [0, 1, 2]
