"""Putting a file together: what is in it is counted there, not taken from what the stage says."""

from dataclasses import replace
from pathlib import Path

import pytest

from elision.serving.batch.inputs.find import find
from elision.serving.batch.inputs.read import read
from elision.serving.batch.outputs.assemble import assemble
from elision.serving.batch.outputs.parts import Parts
from elision.serving.batch.report.checks import adds_up
from elision.serving.batch.report.figures import report
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.stage import Stage
from elision.serving.batch.types import OUR_FOLDER, RunReport


@pytest.mark.parametrize("lost", [0, 1, 7])
def test_a_value_that_got_lost_on_the_way_is_told(tmp_path: Path, lost: int) -> None:
    (tmp_path / "rows.jsonl").write_text("".join(f'{{"id": {n}}}\n' for n in range(40)))
    out = tmp_path / "out"
    (out / OUR_FOLDER).mkdir(parents=True)
    settings = BatchSettings(keep_ratio=0.3)
    (source,) = find([str(tmp_path / "rows.jsonl")], out, None).sources
    (portion,) = read(source, settings, frozenset())
    done = Stage(settings)(portion)
    parts = Parts(out)
    parts.save(replace(done, data=b"".join(done.data.splitlines(keepends=True)[lost:])))
    made = report(RunReport(settings, "b", "o200k_base", True, (assemble(source, parts, out),)), 1.0, engine="local", jobs=1)

    assert adds_up(made) == ([f"rows.jsonl: 40 records in, {40 - lost} out, 0 set aside"] if lost else [])
