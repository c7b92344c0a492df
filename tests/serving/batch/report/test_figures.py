"""The manifest and the report: sums that hold, and contradictions that are said."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from batch_runs import HOSTILE, RUN, a_log, a_run
from hypothesis import given
from hypothesis import strategies as st

from elision.serving.batch.report.figures import (
    FILE_TEMPLATES,
    TEMPLATES,
    json_bytes,
    manifest,
    plain,
    report,
)
from elision.serving.batch.types import FileReport, RunReport, Skipped
from elision.serving.logs.templates import OTHER


@st.composite
def sound_files(draw: st.DrawFn) -> list[FileReport]:
    """Files whose counts add up, whatever they are."""
    names = draw(st.lists(st.text(min_size=1), max_size=6, unique=True))
    files = []
    for index, name in enumerate(names):
        kept = draw(
            st.dictionaries(st.text(), st.tuples(st.integers(0, 999), st.integers(0, 9)), max_size=30)
        )
        templates = {template: (lines + stay, stay) for template, (lines, stay) in kept.items()}
        lines = sum(count for count, _ in templates.values())
        errors = draw(st.integers(0, lines))
        made = a_log(index, name, lines)
        files.append(
            replace(
                made,
                totals=replace(
                    made.totals,
                    levels={"ERROR": errors, "-": lines - errors},
                    templates=templates,
                    reasons=draw(
                        st.dictionaries(st.sampled_from(["", "json", "deadline"]), st.integers(1, 9))
                    ),
                ),
            )
        )
    return files


@pytest.mark.law
@given(sound_files(), st.floats(0, 1e6))
def test_what_adds_up_says_nothing(files: list[FileReport], seconds: float) -> None:
    made = report(a_run(*files), seconds)

    assert made["adds_up"] == []
    assert json.loads(json_bytes(made)) == made


def test_totals_are_the_sums_of_the_files() -> None:
    made = report(RUN, 10.0, engine="ray", jobs=4)

    totals = made["totals"]
    assert totals["files"] == 3
    assert totals["tokens_before"] == 30_000 + 6_000_000 + 12_000
    assert totals["kept"] == pytest.approx((9_000 + 1_800_000 + 6_000) / totals["tokens_before"], abs=1e-6)
    assert (totals["records"], totals["records_out"], totals["records_set_aside"]) == (201_100, 201_097, 3)
    assert totals["texts"] == 3 + 3 + 97
    assert made["reasons"] == {"": 94, "below_floor": 7, "within_budget": 2}
    assert made["levels"] == {"ERROR": 20_100, "INFO": 180_900}
    assert made["megabytes_per_second"] == pytest.approx(totals["bytes_in"] / 1e7, abs=1e-3)
    assert (made["engine"], made["jobs"]) == ("ray", 4)


def test_a_template_is_added_up_over_the_files() -> None:
    health, other = report(RUN, 1.0)["templates"]

    assert health == {"template": "GET /health <*> in <*> ms", "lines": 100_500, "kept": 6}
    assert other == {"template": OTHER, "lines": 100_500, "kept": 40_200}


def test_the_slowest_come_first() -> None:
    slowest = report(RUN, 1.0)["slowest"]

    assert [row["name"] for row in slowest["files"]] == ["big.log", "rows.jsonl", "app.log"]
    assert slowest["portions"][0] == {"name": "big.log", "portion": 0, "seconds": 1.0}


def test_what_a_selection_took_out_has_no_level_and_is_counted() -> None:
    log = a_log()
    some = replace(log, totals=replace(log.totals, lines=1500, records=1500, left_out=500), records_out=1500)

    made = report(a_run(some), 1.0)

    assert made["adds_up"] == []
    assert made["totals"]["lines_left_out"] == 500


def test_the_manifest_holds_no_time_no_machine_and_no_engine() -> None:
    elsewhere = replace(
        RUN,
        files=tuple(
            replace(
                file,
                path=f"/elsewhere/{file.name}",
                slowest=1,
                slowest_seconds=99.0,
                totals=replace(file.totals, seconds=99.0),
            )
            for file in RUN.files
        ),
        settings=replace(RUN.settings, threads=8, bundle=Path("/elsewhere/bundle")),
    )

    assert json_bytes(manifest(elsewhere)) == json_bytes(manifest(RUN))


def test_the_manifest_tells_what_came_out_and_what_decides_it() -> None:
    made = manifest(RUN)

    assert (made["bundle"], made["encoding"], made["exact"]) == (
        "a-bundle@bd4805fb51d2",
        "o200k_base",
        True,
    )
    assert made["settings"]["keep_ratio"] == 0.3
    assert made["files"][2] == {
        "name": "rows.jsonl",
        "form": "records",
        "sha256": f"{2:064x}",
        "portions": 1,
        "bytes_in": 50_000,
        "bytes_out": 30_000,
        "lines": 100,
        "lines_left_out": 0,
        "records": 100,
        "records_out": 97,
        "records_set_aside": 3,
        "texts": 97,
        "tokens_before": 12_000,
        "tokens_after": 6_000,
        "replaced_bytes": 0,
    }
    assert made["skipped"] == [{"path": "logo.png", "reason": "a picture", "failed": False}]


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_can_be_written_and_read_back(name: str) -> None:
    made = manifest(a_run(a_log(0, name)))

    assert json.loads(json_bytes(made)) == made


def test_keys_are_sorted() -> None:
    assert json_bytes({"b": 1, "a": [2]}) == b'{\n  "a": [\n    2\n  ],\n  "b": 1\n}\n'


def test_a_report_has_room_for_so_many_templates() -> None:
    log = a_log(lines=2000)
    many = {f"template {number}": (2, 1) for number in range(1000)}
    made = report(a_run(replace(log, totals=replace(log.totals, templates=many))), 1.0)

    assert len(made["templates"]) == TEMPLATES + 1
    assert len(made["files"][0]["templates"]) == FILE_TEMPLATES + 1
    assert made["adds_up"] == []


@pytest.mark.parametrize("run", [a_run(), a_run(a_log(lines=0))])
def test_nothing_has_no_share_and_no_rate(run: RunReport) -> None:
    made = report(run, 0.0)

    assert made["totals"]["kept"] is None
    assert made["megabytes_per_second"] is None
    assert made["adds_up"] == []


def test_settings_are_plain_json() -> None:
    settings = a_run(bundle=Path("a/b"), pins=("x+",), selection=Skipped("a", "b", True)).settings

    assert plain(settings) == {
        "keep_ratio": 0.3,
        "encoding": "o200k_base",
        "model": None,
        "floor_tokens": 200,
        "query": "",
        "pins": ["x+"],
        "clean": False,
        "redact": False,
        "bundle": "a/b",
        "column": None,
        "portion_chars": 8_000_000,
        "selection": {"path": "a", "reason": "b", "failed": True},
        "threads": 1,
    }
