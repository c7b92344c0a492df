"""A log of 200 MB takes no more memory than a short one, and loses nothing that is rare."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_log_of_200_mb_is_complete_and_bounded_in_memory(tmp_path: Path) -> None:
    options = ["--megabytes", "200", "--jobs", "2", "--untimed", "--folder", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "batch_big.py", *options],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)

    assert figures["peak_mb"] <= 1200
    assert figures["rare"] == figures["survived"] > 50
    assert figures["lines"] > 2_000_000
    assert figures["adds_up"] == []
