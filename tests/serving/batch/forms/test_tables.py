"""A table's column is shortened; its rows, its other columns and its schema stay."""

from dataclasses import replace
from pathlib import Path

import pytest
from batches import log_text
from scorers import HashScorer

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from elision.serving.batch.errors import NoColumn, Unreadable  # noqa: E402
from elision.serving.batch.forms.tables import check_column, write_table  # noqa: E402
from elision.serving.batch.inputs.read import read  # noqa: E402
from elision.serving.batch.settings import BatchSettings  # noqa: E402
from elision.serving.batch.stage import Stage  # noqa: E402
from elision.serving.batch.types import Form, Packing, Source  # noqa: E402

ASKED = BatchSettings(0.3, floor_tokens=20, column="text", portion_chars=24_000)
TEXTS = [log_text(12, n) if n % 5 else None for n in range(600)]
KINDS = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]


def table_at(path: Path, kind: object = None, **options: object) -> Source:
    columns = {
        "id": pa.array(range(600), pa.int16()),
        "text": pa.array(TEXTS, pa.string()).cast(kind or pa.string()),
        "tags": pa.array([["a", None]] * 600),
    }
    schema = pa.schema([pa.field(name, array.type) for name, array in columns.items()], {"made": "by us"})
    pq.write_table(pa.table(columns, schema=schema), path, **{"row_group_size": 100, **options})
    return Source(0, path, path.name, Form.TABLE, Packing.PLAIN, path.stat().st_size)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_all_but_the_texts_stays(tmp_path: Path, kind: object) -> None:
    source = table_at(tmp_path / "in.parquet", kind, compression="zstd")
    stage = Stage(ASKED, HashScorer())
    made = [stage(portion) for portion in read(source, ASKED)]
    write_table(tmp_path / "out.parquet", source, (done.data for done in made))
    before, after = pq.read_table(source.path), pq.read_table(tmp_path / "out.parquet")

    assert after.schema.equals(before.schema, check_metadata=True)
    assert after.drop(["text"]).equals(before.drop(["text"]))
    for text, shorter in zip(TEXTS, after["text"].to_pylist(), strict=True):
        assert (shorter is None) is (text is None)
        assert text is None or 0 < len(shorter) < 0.8 * len(text)
    assert sum(done.report.records for done in made) == sum(done.report.lines for done in made) == 600
    assert sum(sum(done.report.reasons.values()) for done in made) == sum(text is not None for text in TEXTS)
    assert pq.ParquetFile(tmp_path / "out.parquet").metadata.row_group(0).column(1).compression == "ZSTD"
    assert len(made) > 2


def test_portions_partition_the_rows(tmp_path: Path) -> None:
    source = table_at(tmp_path / "in.parquet")
    found = list(read(source, ASKED))
    rows = [pa.ipc.open_stream(portion.data).read_all() for portion in found]

    assert pa.concat_tables(rows).equals(pq.read_table(source.path))
    assert [portion.first for portion in found] == [
        1 + sum(table.num_rows for table in rows[:at]) for at in range(len(rows))
    ]
    assert [portion.number for portion in read(source, ASKED, {0, 2})] == [1, *range(3, len(found))]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (None, r"name its column of texts with --column \(columns of texts there: text\)"),
        ("texts", "has no column 'texts' .*: text"),
        ("id", "the column 'id' holds int16, no texts"),
    ],
)
def test_a_column_that_will_not_do_is_told(tmp_path: Path, column: str | None, message: str) -> None:
    source = table_at(tmp_path / "in.parquet")

    with pytest.raises(NoColumn, match=message):
        check_column(source, column)


def test_damage_is_told(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    source = table_at(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Unreadable, match="the parquet file is damaged"):
        check_column(source, "text")

    path.write_bytes(whole[:1000] + bytes(5000) + whole[6000:])
    with pytest.raises(Unreadable, match="the parquet file is damaged"):
        list(read(source, ASKED))


def test_a_table_without_rows_comes_out_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), path)
    source = replace(table_at(tmp_path / "other.parquet"), path=path)
    write_table(tmp_path / "out.parquet", source, iter(()))

    assert list(read(source, ASKED)) == []
    assert pq.read_table(tmp_path / "out.parquet").equals(pq.read_table(path))
