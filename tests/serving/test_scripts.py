"""Scripts say in one line what they lack; a stranger's clone has no shared data."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow  # each imports torch
@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["vocabulary_growth.py", "--data", "no/such/data"], "no data at no/such/data"),
        (["cost_of_quantising.py", "--weights", "no/such/run"], "no weights at no/such/run"),
        (["cost_of_quantising.py", "--weights", ".", "--labels", "no.jsonl"], "no labels at no.jsonl"),
    ],
)
def test_what_is_missing_is_one_line_and_exit_code_2(command: list[str], message: str) -> None:
    done = subprocess.run(
        [sys.executable, f"scripts/{command[0]}", *command[1:]],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "400"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"{command[0]}: error: {message}"
    assert "Traceback" not in done.stderr
