"""A few kills at random; scripts/session_kills.py does two hundred."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_ten_kills_lose_and_double_no_message() -> None:
    command = [sys.executable, "scripts/session_kills.py", "--kills", "10", "--seed", "7"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 kills: no message lost or doubled, no half record" in done.stdout
