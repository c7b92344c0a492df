"""A batch from its arguments to its report, stopped anywhere and resumed."""

import fcntl
import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from batches import UNPACK, content_of, log_text, run_here

from elision.compaction.errors import BadBudget, BadLevel, BadPin, UnknownEncoding
from elision.model.errors import BundleNotFound
from elision.serving.batch.errors import CannotResume, OutInUse, OutNotEmpty
from elision.serving.batch.events import Event
from elision.serving.batch.local import run_local
from elision.serving.batch.types import BatchSettings, Packing, RunReport, SelectionAsked, Source
from elision.serving.errors import BadOutput

Batch = Callable[..., RunReport]


class Stopped(Exception):
    """What a run dies of in these tests."""


def stopping_after(count: int) -> Callable[..., Iterator[Event]]:
    """An engine that dies after so many events."""

    def engine(
        sources: Sequence[Source], settings: BatchSettings, out: Path, done: Mapping[int, frozenset[int]], jobs: int
    ) -> Iterator[Event]:
        events = run_here(sources, settings, out, done, jobs)
        for _ in range(count):
            event = next(events, None)
            if event is None:
                return
            yield event
        raise Stopped

    return engine


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


def test_stopped_after_any_event_and_resumed_the_bytes_are_the_same(batch: Batch, folder: Path, tmp_path: Path) -> None:
    batch(folder, out=tmp_path / "whole")
    expected = content_of(tmp_path / "whole")

    for count in range(0, 24, 2):
        out = tmp_path / f"out{count}"
        with suppress(Stopped):
            batch(folder, out=out, engine=stopping_after(count))
        with suppress(Stopped):
            batch(folder, out=out, engine=stopping_after(1), resume=True)
        batch(folder, out=out, resume=True)

        assert content_of(out) == expected


def test_what_a_kill_leaves_half_is_not_there(batch: Batch, folder: Path, tmp_path: Path) -> None:
    batch(folder, out=tmp_path / "whole")
    out = tmp_path / "out"
    with pytest.raises(Stopped):
        batch(folder, out=out, engine=stopping_after(14))
    ours = out / ".elision"
    journal = ours / "journal.jsonl"
    assert journal.read_bytes().count(b"\n") >= 1
    with journal.open("ab") as file:
        file.write(b'{"seconds": 1, "file": {"ind')
    (ours / "parts" / "1").mkdir(parents=True, exist_ok=True)
    (ours / "parts" / "1" / ".0.123").write_bytes(b"half")
    (ours / "output.1").write_bytes(b"half")
    batch(folder, out=out, resume=True)

    assert content_of(out) == content_of(tmp_path / "whole")


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


def test_resuming_where_nothing_was_begun_begins(batch: Batch, folder: Path, tmp_path: Path) -> None:
    assert batch(folder, out=tmp_path / "out", resume=True).files


def test_resuming_what_is_finished_does_nothing(batch: Batch, folder: Path, tmp_path: Path, settings: BatchSettings) -> None:
    out = tmp_path / "out"
    batch(folder, out=out)
    (out / ".elision.done").mkdir()
    before = content_of(out)

    assert batch(folder, out=out, resume=True) is None
    assert content_of(out) == before and not (out / ".elision.done").exists()
    with pytest.raises(CannotResume, match="is finished, and had another keep_ratio"):
        batch(folder, out=out, resume=True, settings=replace(settings, keep_ratio=0.4))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"keep_ratio": 0.5}, "keep_ratio was 0.3, is 0.5"),
        ({"pins": ("a",)}, r'pins was \[\], is \["a"\]'),
        ({"query": "disk"}, 'query was "", is "disk"'),
    ],
)
def test_other_settings_are_not_resumed(
    batch: Batch, folder: Path, tmp_path: Path, settings: BatchSettings, change: dict[str, object], message: str
) -> None:
    with pytest.raises(Stopped):
        batch(folder, out=tmp_path / "out", engine=stopping_after(3))
    with pytest.raises(CannotResume, match=message):
        batch(folder, out=tmp_path / "out", resume=True, settings=replace(settings, **change))  # type: ignore[arg-type]


def test_changed_inputs_are_not_resumed(batch: Batch, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(Stopped):
        batch(folder, out=out, engine=stopping_after(3))
    with (folder / "app.log").open("a") as file:
        file.write("one more line\n")
    (folder / "new.log").write_text("new")
    shutil.move(folder / "one.json", tmp_path / "one.json")

    with pytest.raises(CannotResume) as caught:
        batch(folder, out=out, resume=True)
    assert "app.log has changed" in str(caught.value)
    assert "new.log was not among the inputs" in str(caught.value)
    assert "one.json is not among the inputs any more" in str(caught.value)


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


def test_a_distance_in_time_is_resumed_as_it_was_begun(
    batch: Batch, folder: Path, tmp_path: Path, settings: BatchSettings
) -> None:
    begun = datetime(2026, 1, 15, 10, 3, tzinfo=UTC)
    asked = replace(settings, selection=SelectionAsked(begun, since="1m"))
    later = replace(asked, selection=SelectionAsked(begun + timedelta(hours=5), since="1m"))
    batch(folder, out=tmp_path / "whole", settings=asked)
    with pytest.raises(Stopped):
        batch(folder, out=tmp_path / "out", settings=asked, engine=stopping_after(2))
    done = batch(folder, out=tmp_path / "out", settings=later, resume=True)

    assert content_of(tmp_path / "out") == content_of(tmp_path / "whole")
    log = next(file for file in done.files if file.name == "app.log")
    assert 0 < log.totals.left_out < log.totals.lines


def test_what_was_begun_and_not_written_down_is_begun_again(batch: Batch, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / ".elision").mkdir(parents=True)

    assert batch(folder, out=tmp_path / "out", resume=True).files
