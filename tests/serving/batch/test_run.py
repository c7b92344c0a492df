"""A batch from its arguments to its report, stopped anywhere and resumed."""

import fcntl
import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from batches import UNPACK, Stopped, content_of, log_text, run_here, stopping_after

from elision.compaction.errors import BadBudget, BadLevel, BadPin, UnknownEncoding
from elision.model.errors import BundleNotFound
from elision.serving.batch.engines.local import run_local
from elision.serving.batch.errors import CannotResume, OutInUse, OutNotEmpty
from elision.serving.batch.events import Events
from elision.serving.batch.run import Watcher
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import Packing, RunReport
from elision.serving.errors import BadOutput
from elision.serving.logs.asked import SelectionAsked

Batch = Callable[..., RunReport]


def test_every_file_has_an_output_of_its_name_and_packing(batch: Batch, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = batch(folder, out=out)
    made = content_of(out)

    assert made.keys() == {
        "app.log",
        "deep/app.log.gz",
        "deep/er/app.log.zst",
        "empty.txt",
        "manifest.json",
        "one.json",
        "records.jsonl",
        "set-aside.jsonl",
    }
    assert made["empty.txt"] == b""
    assert made["records.jsonl"].startswith(b'{"a": 1}\n\n{"c":')
    assert json.loads(made["set-aside.jsonl"]) == {
        "file": "records.jsonl",
        "line": 2,
        "raw": '{"b": ',
        "reason": "not JSON at column 6: a value is missing",
        "records": 1,
    }
    for name, packing in (("app.log", Packing.PLAIN), ("deep/app.log.gz", Packing.GZ), ("deep/er/app.log.zst", Packing.ZST)):
        before = UNPACK[packing]((folder / name).read_bytes())
        assert 0 < len(UNPACK[packing](made[name])) < 0.6 * len(before)
    assert not (out / ".elision").exists()
    assert [file.name for file in done.files] == sorted(made.keys() - {"manifest.json", "set-aside.jsonl"})
    assert done.failed == done.skipped == ()


def test_counts_add_up_and_the_report_says_so(batch: Batch, folder: Path, tmp_path: Path) -> None:
    done = batch(folder, out=tmp_path / "out")
    report = json.loads((tmp_path / "out" / "report.json").read_bytes())
    files = {file.name: file for file in done.files}

    assert report["adds_up"] == []
    assert files["app.log"].totals.lines == log_text(300).count("\n")
    assert files["app.log"].portions > 3
    assert files["records.jsonl"].totals.records == 3
    assert files["records.jsonl"].records_set_aside == 1
    assert files["app.log"].bytes_out == (tmp_path / "out" / "app.log").stat().st_size
    assert (tmp_path / "out" / "report.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_the_number_of_processes_changes_no_byte(batch: Batch, folder: Path, tmp_path: Path) -> None:
    batch(folder, out=tmp_path / "here")
    for jobs in (1, 3):
        batch(folder, out=tmp_path / f"out{jobs}", engine=run_local, jobs=jobs)

        assert content_of(tmp_path / f"out{jobs}") == content_of(tmp_path / "here")


def test_a_file_that_cannot_be_read_costs_only_itself(batch: Batch, folder: Path, tmp_path: Path) -> None:
    data = gzip.compress(log_text(900).encode())
    (folder / "broken.log.gz").write_bytes(data[:-30])
    done = batch(folder, out=tmp_path / "out")

    assert [(Path(one.path).name, one.failed) for one in done.failed] == [("broken.log.gz", True)]
    assert done.failed[0].reason.startswith("the gzip file is damaged")
    assert not (tmp_path / "out" / "broken.log.gz").exists()
    assert len(done.files) == 6


def test_out_that_holds_something_is_refused_and_stays(batch: Batch, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")

    with pytest.raises(OutNotEmpty, match=r"is not empty \(it holds mine.txt\): .* --resume"):
        batch(folder, out=out)
    with pytest.raises(CannotResume, match="there is no run in"):
        batch(folder, out=out, resume=True)
    assert os.listdir(out) == ["mine.txt"]


def test_two_runs_never_write_to_one_out(batch: Batch, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(Stopped):
        batch(folder, out=out, engine=stopping_after(3))
    with (out / ".elision" / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(OutInUse, match=rf"another run \(process {os.getpid()}\) is writing to"):
            batch(folder, out=out, resume=True)

    assert batch(folder, out=out, resume=True).files


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_out_that_cannot_be_written_is_told(batch: Batch, folder: Path) -> None:
    with pytest.raises(BadOutput, match="cannot write to /proc/none"):
        batch(folder, out=Path("/proc/none"))


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"keep_ratio": 0}, BadBudget),
        ({"pins": ("(",)}, BadPin),
        ({"encoding": "none"}, UnknownEncoding),
        ({"bundle": Path("/no/bundle")}, BundleNotFound),
        ({"selection": SelectionAsked(datetime.now(UTC), level="loud")}, BadLevel),
    ],
)
def test_settings_that_make_no_sense_touch_nothing(
    batch: Batch, folder: Path, tmp_path: Path, settings: BatchSettings, change: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        batch(folder, out=tmp_path / "out", settings=replace(settings, **change))  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_a_report_that_cannot_be_made_costs_only_itself_and_is_made_later(
    batch: Batch, folder: Path, tmp_path: Path
) -> None:
    batch(folder, out=tmp_path / "whole")
    out, said = tmp_path / "out", list[str]()
    unprintable: Any = [2]  # stands for a mistake of ours
    batch(folder, out=out, jobs=unprintable, watcher=Watcher(warn=said.append))
    before = {name: data for name, data in content_of(out).items() if not name.startswith(".elision")}

    assert before == content_of(tmp_path / "whole")
    assert (out / "report.json").exists() and not (out / "report.html").exists()
    assert len(said) == 1
    assert said[0].startswith("internal error, all else is finished but report.html could not be made: ")
    assert said[0].endswith("; --resume tries again")
    batch(folder, out=out, resume=True)
    assert (out / "report.html").exists() and not (out / ".elision").exists()


def test_an_engine_ends_at_once_with_what_stops_its_runner(batch: Batch, folder: Path, tmp_path: Path) -> None:
    ended = []

    def engine(*asked: Any) -> Events:
        try:
            yield from run_here(*asked)
        finally:
            ended.append(True)

    def interrupt(size: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:  # it holds the frames of the run, and these the engine
        batch(folder, out=tmp_path / "out", engine=engine, watcher=Watcher(advance=interrupt))
    assert ended and caught
