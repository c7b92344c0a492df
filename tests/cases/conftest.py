"""The service the cases are put to, and the count at the end."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import pytest
from fastapi.testclient import TestClient

from elision.compaction.summary.types import Summariser
from elision.model.scorer import load_scorer
from elision.model.types import Scorer
from elision.serving.app import create_app
from elision.serving.settings import Settings
from tests.cases.surface import Surface

CHARACTERS_A_SECOND = 10_000  # of a CPU, as compaction/sketch.py takes it to be


@pytest.fixture(scope="session")
def surface() -> Iterator[Surface]:
    """The service with the scorer we ship, and time enough beside other tests."""
    scorer = load_scorer()
    serve = partial(_serve, scorer)
    with serve([]) as client:
        yield Surface(client, serve, partial(_pace, scorer))


@contextmanager
def _serve(scorer: Scorer, writers: Sequence[Summariser]) -> Iterator[TestClient]:
    app = create_app(Settings(log_level="error", workers=2, deadline_seconds=60), scorer, writers=writers)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def _pace(scorer: Scorer) -> float:
    """How fast this machine is now, beside whatever else runs: 1 for the one that the limits are meant for, or less."""
    text = "2026-01-02 10:00:00 INFO the worker has taken the next job from the queue\n" * 80
    scorer.score(text)
    began = time.process_time()
    scorer.score(text)
    return min(1.0, len(text) / (time.process_time() - began) / CHARACTERS_A_SECOND)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many cases hold, what the others wait for, which goals were missed."""
    reports = {
        kind: [r for r in terminalreporter.getreports(kind) if "::test_the_case_holds[" in r.nodeid]
        for kind in ("passed", "failed", "xfailed")
    }
    if not any(reports.values()):
        return
    terminalreporter.section("cases")
    terminalreporter.line(f"{len(reports['passed'])} hold, {len(reports['failed'])} do not")
    for reason, count in Counter(r.wasxfail for r in reports["xfailed"]).most_common():
        terminalreporter.line(f"{count} wait for: {reason}")
    for report in reports["passed"]:
        for name, line in report.user_properties:
            terminalreporter.line(f"{name}: {line}")
