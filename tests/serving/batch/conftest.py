"""Batches in this process, with a bundle in miniature; and files to shorten."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from batches import PORTION, log_text, run_here

from elision.serving.batch.run import run
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import RunReport


@pytest.fixture
def settings(tiny_bundle: Path) -> BatchSettings:
    return BatchSettings(0.3, floor_tokens=20, bundle=tiny_bundle, portion_chars=PORTION)


Batch = Callable[..., RunReport | None]


@pytest.fixture
def batch(settings: BatchSettings) -> Batch:
    """Run a batch in this process."""

    def command(*arguments: object, out: Path, **options: Any) -> RunReport | None:
        asked = {"settings": settings, "engine": run_here, **options}
        return run([str(argument) for argument in arguments], out, **asked)

    return command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file of each kind."""
    root = tmp_path / "in"
    (root / "deep" / "er").mkdir(parents=True)
    (root / "app.log").write_text(log_text(300))
    (root / "deep" / "app.log.gz").write_bytes(gzip.compress(log_text(200, 5).encode()))
    (root / "deep" / "er" / "app.log.zst").write_bytes(zstandard.compress(log_text(100, 9).encode()))
    (root / "records.jsonl").write_text('{"a": 1}\n{"b": \n\n{"c": "' + "many words here and there " * 40 + '"}\n')
    (root / "one.json").write_text('{"text": "' + "many words here and there " * 40 + '"}')
    (root / "empty.txt").write_text("")
    return root
