"""Texts of every kind, large enough to be cut and small enough for a Ray in a test."""

import gzip
import json
import random
from pathlib import Path

import pytest

from elision.serving.batch.settings import BatchSettings


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of several portions, packed and plain, a batch file with a broken line, one damaged file."""
    folder = tmp_path_factory.mktemp("texts")
    chance = random.Random(7)
    log = "".join(
        f"2026-11-30T10:{n // 600 % 60:02}:{n // 10 % 60:02}Z INFO request {chance.getrandbits(32):08x} took {n % 90} ms\n"
        if n % 97
        else f"2026-11-30T10:{n // 600 % 60:02}:{n // 10 % 60:02}Z ERROR volume {n} is not mounted\n"
        for n in range(6000)
    )
    answers = [
        {"custom_id": f"r{n}", "body": {"messages": [{"role": "user", "content": f"why? {n}"}]}}
        for n in range(40)
    ]
    lines = [json.dumps(answer) for answer in answers]
    (folder / "a").mkdir()
    (folder / "a" / "service.log").write_text(log)
    (folder / "service.log.gz").write_bytes(gzip.compress(log[::-1].encode() + b"\n", mtime=0))
    (folder / "damaged.log.gz").write_bytes(gzip.compress(log.encode(), mtime=0)[:-2000])
    (folder / "asked.jsonl").write_text("\n".join([*lines[:20], '{"custom_id": "torn', *lines[20:]]) + "\n")
    (folder / "empty.log").write_text("")
    for n in range(5):
        (folder / f"note-{n}.txt").write_text(f"note {n}\n" * (n + 1))
    return folder


@pytest.fixture(scope="module")
def settings(tiny_bundle: Path) -> BatchSettings:
    return BatchSettings(0.3, bundle=tiny_bundle, portion_chars=40_000)
