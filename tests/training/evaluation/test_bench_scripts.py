"""The benches of compaction from the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.slow  # each is a process that counts tokens


def ran(script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"COLUMNS": "400"}
    command = [sys.executable, f"scripts/{script}", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("script", ["bench_chain.py", "bench_summary.py"])
def test_where_there_are_no_transcripts_it_is_said_in_one_line(script: str) -> None:
    done = ran(script, "--data", "no/such/data")

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("at no/such/data")
    assert "Traceback" not in done.stderr


def test_a_chain_tells_survival_tokens_and_cost_of_every_policy(shared: Path) -> None:
    done = ran("bench_chain.py", "--passes", "2", "--policies", "elision", "pi", "--per-pass", "1", "--json")
    report = json.loads(done.stdout)
    ours = report["policies"]["elision"]

    assert done.returncode in (0, 1) and "Traceback" not in done.stderr
    assert set(report["policies"]) == {"elision", "pi"}
    assert ours["survival"]["constraint"]["1"] == 1.0
    assert ours["tokens"] and ours["cost"] and ours["passes"] == 2
    assert report["verdict"]


def test_a_summary_bench_goes_on_with_the_replies_it_has(shared: Path, tmp_path: Path) -> None:
    asked = ("--writer", "stand-in", "--stories", "1", "--json", "--out", str(tmp_path))
    first = ran("bench_summary.py", *asked)
    kept = (tmp_path / "stand-in.jsonl").read_text()
    again = ran("bench_summary.py", *asked)

    assert first.returncode in (0, 1) and "Traceback" not in first.stderr
    assert again.stdout == first.stdout
    assert kept and (tmp_path / "stand-in.jsonl").read_text() == kept
    assert set(json.loads(first.stdout)["arms"]) == {"naive", "template", "pinned", "extractive"}
