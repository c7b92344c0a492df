"""`label` and `agree` from the command line: one line says what is wrong, nothing is half-written."""

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fake_teacher import Json, Step, fake_teacher

from elision.training.labels.evidence import Settings
from elision.training.labels.rows import read_labels

if TYPE_CHECKING:
    from tests.serving.conftest import Ran

Command = Callable[..., "Ran"]


def row(**changed: Any) -> Json:
    lines = [{"start": 0, "end": 3, "level": 0}, {"start": 4, "end": 13, "level": 3}]
    texts = {"kind": "grep", "unit": "line", "source": "s", "doc": "d", "task": "", "call": "", "before": ""}
    return {"id": "t1", "text": "one\ntwo words", "lines": lines} | texts | changed


def write(path: Path, *rows: Json | str) -> Path:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows))
    return path


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    call = {"id": "c", "function": {"name": "bash", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "fix it"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "one\ntwo words"},
    ]
    return write(tmp_path / "sessions.jsonl", {"id": "s1", "source": "team", "messages": messages})


def teacher(request: Json, before: int) -> Step:
    return Step('{"lv": "03"}')


def test_a_teacher_labels_sessions(
    elision: Command, sessions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAM_KEY", "sk-hidden")
    out = tmp_path / "labels.jsonl.gz"
    with fake_teacher(teacher) as its:
        ran = elision(
            *("label", "teacher", "--transcripts", str(sessions), "--url", its.url, "--model", "m"),
            *("--api-key-env", "TEAM_KEY", "--out", str(out), "--ask-twice", "0"),
        )

    assert (ran.code, ran.out.strip()) == (0, str(out))
    assert "1 of 1 chunks labelled" in ran.err
    assert [[line.level for line in r.lines] for r in read_labels(out)] == [[0, 3]]
    report = (tmp_path / "labels.report.json").read_text()
    assert json.loads(report)["labelled"] == 1
    assert its.keys == ["Bearer sk-hidden"]
    assert "sk-hidden" not in report + ran.out + ran.err
    assert {path.name for path in tmp_path.iterdir()} == {
        "sessions.jsonl", "labels.jsonl.gz", "labels.report.json", "labels.answers.sqlite",
    }  # fmt: skip


def test_a_run_that_is_not_complete_is_exit_code_1_and_says_why(
    elision: Command, sessions: Path, tmp_path: Path
) -> None:
    with fake_teacher(teacher) as its:
        ran = elision(
            *("label", "teacher", "--transcripts", str(sessions), "--url", its.url, "--model", "m"),
            *(
                "--out",
                str(tmp_path / "l.jsonl"),
                "--max-cost",
                "0.0001",
                "--price-in",
                "1",
                "--price-out",
                "1",
                "--json",
            ),
        )

    assert ran.code == 1
    assert json.loads(ran.out)["unanswered"] == {"not asked": 1}
    assert "stopped: the next request might cost more than the cap leaves" in ran.err
    assert its.requests == []


def test_a_run_without_a_label_leaves_the_file_that_was_there(
    elision: Command, sessions: Path, tmp_path: Path
) -> None:
    out = write(tmp_path / "l.jsonl", row())
    with fake_teacher(lambda request, before: Step("I cannot do that.")) as its:
        ran = elision(
            *("label", "teacher", "--transcripts", str(sessions), "--url", its.url, "--model", "m"),
            *("--out", str(out)),
        )

    assert (ran.code, ran.out) == (1, "")
    assert "rejected: 1 refusal" in ran.err
    assert [r.id for r in read_labels(out)] == ["t1"]


def test_the_teacher_can_judge_chunks_that_were_judged(elision: Command, tmp_path: Path) -> None:
    judged = write(tmp_path / "judged.jsonl", row())
    out = tmp_path / "again.jsonl"
    with fake_teacher(lambda request, before: Step('{"lv": "02"}')) as its:
        assert (
            elision(
                "label",
                "teacher",
                "--chunks-of",
                str(judged),
                "--url",
                its.url,
                "--model",
                "m",
                "--out",
                str(out),
            ).code
            == 0
        )
    ran = elision("agree", str(judged), str(out), "--out", str(tmp_path / "agree.json"), "--json")

    assert ran.code == 0
    assert json.loads(ran.out) == json.loads((tmp_path / "agree.json").read_text())
    assert json.loads(ran.out)["exact"] == 0.5
    (gap,) = map(json.loads, (tmp_path / "agree.disagreements.jsonl").read_text().splitlines())
    assert [line["text"] for line in gap["lines"]] == ["two words"]


def test_files_without_a_common_line_do_not_agree_or_disagree(elision: Command, tmp_path: Path) -> None:
    one, other = write(tmp_path / "a.jsonl", row()), write(tmp_path / "b.jsonl", row(text="one\nto  words"))

    ran = elision("agree", str(one), str(other), "--out", str(tmp_path / "agree.json"))

    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "no line of a chunk in common" in ran.err
    assert not (tmp_path / "agree.json").exists()


def test_own_labels_are_checked_and_copied(elision: Command, tmp_path: Path) -> None:
    own = write(tmp_path / "own.jsonl", row(), row(id="t2", origin="team"))
    out = tmp_path / "out.jsonl.gz"

    assert elision("label", "own", str(own), "--out", str(out)).code == 0

    assert [r.origin for r in read_labels(out)] == ["own", "team"]


def test_every_fault_of_own_labels_is_named_by_line(elision: Command, tmp_path: Path) -> None:
    own = write(
        tmp_path / "own.jsonl",
        row(),
        "{",
        row(id="t2", unit="word"),
        row(),
        row(id="t3", lines=[{"start": 0, "end": 99, "level": 0}]),
    )
    out = tmp_path / "out.jsonl"

    ran = elision("label", "own", str(own), "--out", str(out))

    assert ran.code == 2
    for number, what in (
        (2, "not JSON"),
        (3, "unit is 'word'"),
        (4, "id 't1' is that of line 1 too"),
        (5, "lines[0] is 0..99"),
    ):
        assert f"own.jsonl:{number}: {what}" in ran.err
    assert not out.exists()


def test_of_many_faults_twenty_are_named(elision: Command, tmp_path: Path) -> None:
    ran = elision(
        "label",
        "own",
        str(write(tmp_path / "own.jsonl", *["{"] * 50)),
        "--out",
        str(tmp_path / "o.jsonl"),
    )

    assert ran.err.count("not JSON") == 20
    assert "and 30 more" in ran.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["teacher"], "Missing option '--url'"),
        (["teacher", "--url", "localhost:80", "--model", "m"], "must begin with http"),
        (["teacher", "--url", "http://h/v1"], "Missing option '--model'"),
        (["teacher", "--url", "http://h/v1", "--model", ""], "'--model': must not be empty"),
        (["teacher", "--url", "http://h/v1", "--model", "m"], "either --transcripts or --chunks-of"),
        (
            ["teacher", "--url", "http://h/v1", "--model", "m", "--api-key-env", "NO_SUCH"],
            "the environment has no NO_SUCH",
        ),
        (
            ["teacher", "--url", "http://h/v1", "--model", "m", "--chunks-of", "l.jsonl", "--max-cost", "1"],
            "needs the prices",
        ),
        (
            ["teacher", "--url", "http://h/v1", "--model", "m", "--transcripts", "none.jsonl"],
            "none.jsonl: cannot be read",
        ),
        (["own"], "Missing argument 'FILE'"),
        (["own", "none.jsonl"], "none.jsonl: cannot be read"),
        (["own", "x.jsonl", "--out", "no/such/folder.jsonl"], "no such directory"),
        (["hindsight"], "Missing option '--transcripts'"),
        (["hindsight", "--transcripts", "none.jsonl"], "none.jsonl: cannot be read"),
        (["hindsight", "--transcripts", "s.jsonl", "--known", "1.5"], "'--known': Input should be less than or equal to 1"),
        (["hindsight", "--transcripts", "s.jsonl", "--horizon", "0"], "'--horizon': Input should be greater than or equal to 1"),
        (["hindsight", "--transcripts", "s.jsonl", "--url", "http://h/v1"], "No such option: --url"),
        (["pointed"], "Missing option '--texts'"),
        (["guess"], "No such command 'guess'"),
        ([], "Missing command"),
    ],
)
def test_a_mistake_is_one_line(
    elision: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)

    ran = elision("label", *args)

    assert (ran.code, ran.err.count("\n"), list(tmp_path.iterdir())) == (2, 1, [])
    assert message in ran.err


def log_sessions(path: Path, count: int = 2) -> Path:
    """Sessions in which the agent reads two logs and then speaks of one step of each, at once or later."""
    rows = []
    for number in range(count):
        logs = ["\n".join(f"step {n} of {part}_{number}_{n:03d} took {1000 + 7 * n} ms" for n in range(40)) for part in "ab"]
        messages: list[Json] = [{"role": "user", "content": "what is slow"}]
        for part, text in zip("ab", logs, strict=True):
            call = {"id": part, "function": {"name": "bash", "arguments": f'{{"command": "cat {part}.log"}}'}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": part, "content": text})
        messages.append({"role": "assistant", "content": f"a_{number}_007 and b_{number}_009 were slow"})
        rows.append({"id": f"s{number}", "source": "team", "messages": messages})
    return write(path, *rows)


def test_hindsight_labels_sessions(elision: Command, tmp_path: Path) -> None:
    out, sessions = tmp_path / "labels.jsonl.gz", log_sessions(tmp_path / "sessions.jsonl")

    ran = elision("label", "hindsight", "--transcripts", str(sessions), "--out", str(out))

    rows = read_labels(out)
    assert (ran.code, ran.out.strip()) == (0, str(out))
    assert f"{len(rows)} chunks labelled" in ran.err
    assert {r.doc for r in rows} == {"s0", "s1"} and {r.origin for r in rows} == {"hindsight"}
    best = {line.span.of(r.text).split()[3] for r in rows for line in r.lines if line.level == 3}
    assert {"a_0_007", "b_1_009"} <= best


def test_how_many_and_how_far_hindsight_looks_can_be_said(elision: Command, tmp_path: Path) -> None:
    sessions = log_sessions(tmp_path / "sessions.jsonl", count=3)

    def labelled(*flags: str) -> list[Any]:
        out = tmp_path / "labels.jsonl"
        assert elision("label", "hindsight", "--transcripts", str(sessions), "--out", str(out), *flags).code == 0
        return read_labels(out)

    assert len(labelled("--chunks", "1")) == 1
    assert Counter(r.doc for r in labelled("--per-transcript", "1", "--per-text", "1")) == {"s0": 1, "s1": 1, "s2": 1}
    assert len(labelled("--per-source", "2")) == 2
    near = {r.id.partition("+")[0]: max(line.level for line in r.lines) for r in labelled("--horizon", "1")}
    assert {level for name, level in near.items() if name.endswith("#2")} == {0}  # the next message did not use it
    assert {level for name, level in near.items() if name.endswith("#4")} == {3}


def test_the_defaults_that_help_names_are_those_of_hindsight(elision: Command) -> None:
    told = dict(re.findall(r"^  --([\w-]+)[^\[]*\[default: ([^\]]+)\]", elision("label", "hindsight", "--help").out, re.MULTILINE))
    flags = {field.name.replace("per_session", "per_transcript").replace("_", "-"): field.default for field in fields(Settings)}

    assert {flag: told[flag] for flag in flags} == {flag: str(default) for flag, default in flags.items()}


def test_labels_without_texts_are_joined_with_them(elision: Command, tmp_path: Path) -> None:
    data, file, out = tmp_path / "data", tmp_path / "p.jsonl.gz", tmp_path / "labels.jsonl"
    (data / "logs").mkdir(parents=True)
    (data / "logs/boot.log.gz").write_bytes(gzip.compress(b"boot\nERROR\n"))
    digest = hashlib.sha256(b"boot\nERROR\n").hexdigest()[:12]
    pointer = row(file="logs/boot.log.gz", text="", span=[0, 11], digest=digest, licence="MIT")
    pointer |= {"lines": [[0, 4], [5, 10]], "levels": "03"}
    file.write_bytes(gzip.compress(json.dumps(pointer).encode()))

    ran = elision("label", "pointed", str(file), "--texts", str(data), "--out", str(out))

    assert (ran.code, ran.out.strip()) == (0, str(out))
    assert "1 chunks joined with their texts" in ran.err
    assert [line.level for line in read_labels(out)[0].lines] == [0, 3]


def test_the_shipped_labels_are_joined_if_none_are_named_or_nothing_is_written(elision: Command, tmp_path: Path) -> None:
    out = tmp_path / "labels.jsonl.gz"

    ran = elision("label", "pointed", "--texts", str(tmp_path), "--out", str(out))

    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "second.jsonl.gz:" in ran.err and "is missing" in ran.err
    assert not list(tmp_path.iterdir())
