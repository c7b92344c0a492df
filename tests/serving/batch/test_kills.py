"""A batch that is killed at random moments and resumed writes every byte as if nothing had been."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FEW = ("build-eslint.json.log.gz", "pytest-sphinx_output_1.log.gz", "server-logfile_zap_console.0.log.gz")


def kills(folder: Path, bundle: Path) -> "subprocess.CompletedProcess[str]":
    options = ["--keep-ratio", "0.3", "--floor-tokens", "20", "--bundle", str(bundle)]
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "batch_kills.py", folder, "--kills", "3", "--", *options],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},
    )


@pytest.mark.slow
def test_three_kills_change_no_byte_of_our_texts(folder: Path, tiny_bundle: Path) -> None:
    for path in (ROOT / "samples").iterdir():
        shutil.copy(path, folder)
    done = kills(folder, tiny_bundle)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "kill 3: while reporting" in done.stdout
    assert done.stdout.splitlines()[-1] == "3 kills: every byte is as in the undisturbed run"


@pytest.mark.slow
def test_three_kills_change_no_byte_of_real_logs(shared: Path, tmp_path: Path, tiny_bundle: Path) -> None:
    (tmp_path / "logs").mkdir()
    for name in FEW:
        shutil.copy(shared / "data" / "logs" / "dev" / name, tmp_path / "logs")
    done = kills(tmp_path / "logs", tiny_bundle)

    assert done.returncode == 0, done.stdout + done.stderr
