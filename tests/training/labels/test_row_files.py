"""Label rows come back as they were written; finer values, origins and licences with them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.model.types import Span
from elision.training.errors import BadLabels
from elision.training.labels.licences import UNNAMED, label_sources, licence_of, merged_sources
from elision.training.labels.own import read_own
from elision.training.labels.rows import (
    HINDSIGHT,
    JUDGED,
    JudgedLine,
    LabelRow,
    parse_row,
    read_labels,
    row_json,
    write_labels,
)

TEXT = st.text(st.sampled_from("ab \"\\\n\r\x85\u2028é中"), max_size=40)


@st.composite
def judged_lines(draw: st.DrawFn, length: int) -> tuple[JudgedLine, ...]:
    edges = sorted(draw(st.lists(st.integers(0, length), min_size=2, max_size=8)))
    lines = []
    for start, stop in zip(edges[::2], edges[1::2], strict=False):
        inner = sorted(draw(st.lists(st.integers(start, stop), max_size=6)))
        kept = tuple(Span(a, b) for a, b in zip(inner[::2], inner[1::2], strict=False))
        value = draw(st.none() | st.integers(0, 10_000).map(lambda n: n / 10_000))
        lines.append(JudgedLine(start, stop, draw(st.integers(0, 3)), draw(st.sampled_from([None, kept])), value))
    return tuple(lines)


@st.composite
def label_rows(draw: st.DrawFn) -> LabelRow:
    text = draw(TEXT)
    names = [draw(TEXT) for _ in range(8)]
    unit = draw(st.sampled_from(["line", "sentence"]))
    id, kind, source, doc, task, call, before, licence = names
    lines = draw(judged_lines(len(text)))
    return LabelRow(id, kind, unit, source, doc, task, call, before, text, lines, draw(TEXT), licence)


ROW = LabelRow("a", "log", "line", "logs-ci/x", "d", "", "", "", "one\ntwo", (JudgedLine(0, 3, 2, None, 0.5),))


@given(label_rows())
def test_a_row_comes_back_from_its_json(row: LabelRow) -> None:
    assert parse_row(json.loads(json.dumps(row_json(row)))) == row


@pytest.mark.parametrize("name", ["l.jsonl", "l.jsonl.gz"])
def test_rows_come_back_from_a_file_lone_surrogates_too(tmp_path: Path, name: str) -> None:
    rows = [ROW, LabelRow(**{**row_fields(ROW), "id": "b\ud800", "text": "\udfffne\n中wo"}, lines=ROW.lines)]

    assert write_labels(tmp_path / name, rows) == 2
    assert read_labels(tmp_path / name) == rows
    assert read_own(tmp_path / name) == (rows, [])
    assert list(tmp_path.iterdir()) == [tmp_path / name]


def test_a_file_that_breaks_off_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    write_labels(path, [ROW])

    with pytest.raises(ZeroDivisionError):
        write_labels(path, (LabelRow(**{**row_fields(ROW), "id": str(1 // n)}, lines=()) for n in (1, 0)))
    assert read_labels(path) == [ROW]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("value", [-0.1, 1.1, True, "0.5", float("nan"), []])
def test_a_value_that_is_no_share_is_named(value: Any) -> None:
    raw = row_json(ROW)
    raw["lines"][0]["value"] = value

    with pytest.raises(BadLabels, match=r"lines\[0\]\.value is .*, must be a number from 0 to 1"):
        parse_row(raw)


@pytest.mark.parametrize("field", ["origin", "licence"])
def test_an_origin_or_licence_that_is_no_string_is_named(field: str) -> None:
    with pytest.raises(BadLabels, match=f"{field} is int, must be a string"):
        parse_row(row_json(ROW) | {field: 3})


def test_a_row_that_names_no_origin_was_judged_and_says_nothing_of_its_licence() -> None:
    raw = {key: value for key, value in row_json(ROW).items() if key not in ("origin", "licence")}

    assert (parse_row(raw).origin, parse_row(raw).licence) == (JUDGED, "")


def test_a_rows_own_licence_goes_before_that_of_its_source() -> None:
    def of(source: str, licence: str) -> str:
        return licence_of(LabelRow(**{**row_fields(ROW), "source": source, "licence": licence}, lines=()))

    assert of("logs-ci/x", "MIT") == "MIT"
    assert of("logs-ci/x", "") == "MPL-2.0"
    assert of("nobody knows", "") == UNNAMED[1]


def test_sources_of_two_runs_are_counted_once_and_kept_apart_by_who_judged() -> None:
    seen = LabelRow(**{**row_fields(ROW), "origin": HINDSIGHT}, lines=())
    one, other = label_sources([ROW, seen]), label_sources([ROW, ROW])
    older = [{key: value for key, value in entry.items() if key != "labels"} for entry in other]

    for second in (other, older):
        merged = merged_sources(one, second)
        assert {(e["labels"], e["chunks"]) for e in merged} == {(JUDGED, 2), (HINDSIGHT, 1)}
        assert merged_sources(second, one) == merged


def row_fields(row: LabelRow) -> dict[str, Any]:
    return {key: value for key, value in row_json(row).items() if key != "lines"}
