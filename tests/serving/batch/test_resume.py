"""A run that was stopped goes on as if nothing had been; one that is another does not."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from batches import Stopped, content_of, stopping_after

from elision.serving.batch.errors import CannotResume
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import RunReport
from elision.serving.logs.asked import SelectionAsked

Batch = Callable[..., RunReport]


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


def test_a_distance_in_time_is_resumed_as_it_was_begun(
    batch: Batch, folder: Path, tmp_path: Path, settings: BatchSettings
) -> None:
    logs = folder / "app.log", folder / "deep"
    begun = datetime(2026, 1, 15, 10, 3, tzinfo=UTC)
    asked = replace(settings, selection=SelectionAsked(begun, since="1m"))
    later = replace(asked, selection=SelectionAsked(begun + timedelta(hours=5), since="1m"))
    batch(*logs, out=tmp_path / "whole", settings=asked)
    with pytest.raises(Stopped):
        batch(*logs, out=tmp_path / "out", settings=asked, engine=stopping_after(2))
    done = batch(*logs, out=tmp_path / "out", settings=later, resume=True)

    assert content_of(tmp_path / "out") == content_of(tmp_path / "whole")
    log = next(file for file in done.files if file.name == "app.log")
    assert 0 < log.totals.left_out < log.totals.lines


def test_what_was_begun_and_not_written_down_is_begun_again(batch: Batch, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / ".elision").mkdir(parents=True)

    assert batch(folder, out=tmp_path / "out", resume=True).files
