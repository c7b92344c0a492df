"""`elision evaluate --against` on the command line: what it prints, writes and refuses."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from judged import judged_rows
from tiny import write_tiny_bundle

from elision.serving.cli import run
from elision.training.labels.rows import JudgedLine, LabelRow, write_labels
from elision.training.transcripts.files import write_transcripts
from elision.training.transcripts.types import Transcript

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("bundles")
    return write_tiny_bundle(folder / "a"), write_tiny_bundle(folder / "b", seed=1)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    write_labels(path, judged_rows(4))
    return path


@pytest.fixture
def elision(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.delenv("ELISION_BUNDLE", raising=False)
    monkeypatch.setenv("ELISION_BUNDLE_FILE", str(tmp_path / "no-choice"))

    def call(*args: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run([str(arg) for arg in args])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def sessions(path: Path, count: int) -> Path:
    """Sessions whose one long output is asked about by a number in it."""
    log = "\n".join(f"step {n} of build_{n:04d} took {1000 + n} ms" for n in range(60))
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    found = [
        Transcript(
            id=f"t{number}",
            source="made-up",
            task="t",
            messages=(
                {"role": "user", "content": "fix it"},
                {"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c", "content": log},
                {"role": "assistant", "content": f"look at build_{number:04d}"},
            ),
            kind="coding-agent",
        )
        for number in range(count)
    ]
    write_transcripts(path, found)
    return path


def test_a_bundle_against_itself_is_not_distinguishable(
    elision: Run, bundles: tuple[Path, Path], labels: Path, tmp_path: Path
) -> None:
    a = bundles[0]
    used = sessions(tmp_path / "sessions.jsonl", 3)
    code, out, _ = elision(
        "evaluate", "--labels", labels, "--bundle", a, "--against", a, "--end-to-end", "--transcripts", used, "--json"
    )  # fmt: skip
    report = json.loads(out)
    found = report["labels"][0]["bundle"] + report["actions"]["bundle"]

    assert code == 0
    assert {(one["difference"], one["verdict"]) for one in found} == {(0.0, "not distinguishable")}
    assert {"line_auc_ge2", "word_auc", "e2e_essential@0.33", "next_action@0.33", "next_action@0.50"} <= {
        one["figure"] for one in found
    }
    assert (report["actions"]["items"], report["actions"]["drawn"]) == (3, "transcripts")


def test_the_figures_are_those_printed_without_a_rival(elision: Run, bundles: tuple[Path, Path], labels: Path) -> None:
    a, b = bundles
    alone = json.loads(elision("evaluate", "--labels", labels, "--bundle", a, "--json")[1])
    report = json.loads(elision("evaluate", "--labels", labels, "--bundle", a, "--against", b, "--json")[1])

    assert report["labels"][0]["figures"] == alone
    assert {one["figure"]: one["ours"] for one in report["labels"][0]["bundle"] if one["kind"] is None} == {
        key: value for key, value in alone.items() if "[" not in key
    }


def test_several_label_files_have_a_table_each(elision: Run, bundles: tuple[Path, Path], labels: Path) -> None:
    other = labels.with_name("other.jsonl")
    write_labels(other, judged_rows(3))
    _, out, _ = elision("evaluate", "--labels", labels, "--labels", other, "--bundle", bundles[0], "--json")
    _, shown, _ = elision(
        "evaluate", "--labels", labels, "--labels", other, "--bundle", bundles[0], "--against", "baseline:length"
    )  # fmt: skip

    assert list(json.loads(out)) == [str(labels), str(other)]
    assert "8 chunks of 4 documents" in shown and "6 chunks of 3 documents" in shown
    assert "length" in shown


def test_sources_are_left_out_by_their_beginning(elision: Run, bundles: tuple[Path, Path], labels: Path) -> None:
    rows = judged_rows(4)
    write_labels(labels, [dataclasses.replace(row, source="pi-mono") for row in rows[:4]] + rows[4:])
    ask = ("evaluate", "--labels", labels, "--bundle", bundles[0], "--against", "baselines", "--json")
    _, out, _ = elision(*ask, "--exclude-source", "pi-")
    code, _, err = elision(*ask, "--exclude-source", "pi-", "--exclude-source", "made")

    assert json.loads(out)["labels"][0]["items"] == 4
    assert (code, err.count("\n")) == (2, 1)
    assert "mine.jsonl: no judged chunks in it from other sources than pi-, made" in err


def test_a_card_names_the_command_that_wrote_it(
    elision: Run, bundles: tuple[Path, Path], labels: Path, tmp_path: Path
) -> None:
    a, b = bundles
    card = tmp_path / "CARD.md"
    code, _, _ = elision(
        "evaluate", "--labels", labels, "--bundle", a, "--against", b, "--speed", "--no-query", "--card", card
    )  # fmt: skip
    text = card.read_text()

    assert code == 0
    assert f"elision evaluate --labels {labels} --bundle {a} --against {b} --no-query --speed --card {card}" in text
    assert "CPU seconds for 1,000 tokens" in text
    assert "Against the best rule that needs no model" in text


def no_essential(row: LabelRow) -> LabelRow:
    lines = tuple(JudgedLine(line.start, line.end, min(line.level, 2)) for line in row.lines)
    return dataclasses.replace(row, lines=lines)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--against", "no/such/bundle"], "no bundle at no/such/bundle"),
        (["--against", "baseline:nonsense"], "no baseline 'nonsense'; there are random, head_tail"),
        (["--against", "baselines", "--speed"], "--speed compares two bundles"),
        (["--transcripts", "sessions.jsonl"], "--transcripts needs --against"),
        (["--against", "baselines", "--transcripts", "missing.jsonl"], "missing.jsonl: cannot be read"),
        (["--card", "no/such/folder/CARD.md"], "--card: no folder"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    elision: Run, bundles: tuple[Path, Path], labels: Path, more: list[str], message: str
) -> None:
    code, out, err = elision("evaluate", "--labels", labels, "--bundle", bundles[0], *more)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize(
    ("rows", "message"),
    [([], "no judged chunks in it"), ([no_essential(row) for row in judged_rows(2)], "no line of level 3")],
)
def test_labels_that_can_tell_nothing_are_refused(
    elision: Run, bundles: tuple[Path, Path], labels: Path, rows: list[LabelRow], message: str
) -> None:
    write_labels(labels, rows)
    code, out, err = elision("evaluate", "--labels", labels, "--bundle", bundles[0], "--against", bundles[1])

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"mine.jsonl: {message}" in err


def test_sessions_whose_outputs_nobody_used_are_refused(
    elision: Run, bundles: tuple[Path, Path], labels: Path, tmp_path: Path
) -> None:
    unused = sessions(tmp_path / "unused.jsonl", 0)
    code, _, err = elision(
        "evaluate", "--labels", labels, "--bundle", bundles[0], "--against", bundles[1], "--transcripts", unused
    )  # fmt: skip

    assert (code, err.count("\n")) == (2, 1)
    assert "unused.jsonl: of no output did the agent use anything next" in err
