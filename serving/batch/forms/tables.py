"""Tables of texts: parquet in, parquet out, with one column shortened; pyarrow comes with ``elision[parquet]``.

A portion is an Arrow IPC stream of some rows, and becomes a row group of the output. Rows, the other
columns, the schema and the compression stay.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from elision.compaction.errors import RedactionFailed
from elision.serving.batch.errors import NoColumn, Unreadable
from elision.serving.batch.forms.work import Work
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.tally import Tally
from elision.serving.batch.types import Form, Portion, SetAside, Source
from elision.serving.errors import MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_ROWS = 256  # read at once
_SHARE = 8  # of a log's portion, in bytes: most texts are scored


def check_column(source: Source, column: str | None) -> None:
    """See that a table has the column of texts.

    Raises:
        NoColumn: If it is not named, is not there, or holds no texts; says which there are.
        Unreadable: If the file is damaged.
        MissingExtra: If pyarrow is not installed.
    """
    with source.path.open("rb") as file:
        schema = _open(file).schema_arrow
    texts = [one.name for one in schema if _is_text(one.type)]
    known = f"columns of texts there: {', '.join(texts) or 'none'}"
    if column is None:
        raise NoColumn(f"{source.path} is a table: name its column of texts with --column ({known})")
    if column not in schema.names:
        raise NoColumn(f"{source.path} has no column {column!r} ({known})")
    if schema.names.count(column) > 1:
        raise NoColumn(f"{source.path} has several columns {column!r}")
    if column not in texts:
        raise NoColumn(f"{source.path}: the column {column!r} holds {schema.field(column).type}, no texts ({known})")


def read_table(source: Source, settings: BatchSettings, file: BinaryIO) -> Iterator[Portion]:
    """The portions of a table."""
    limit = max(1, settings.portion_chars // _SHARE)
    arrow = _pyarrow()
    table = _open(file)
    per_row = source.size / max(1, table.metadata.num_rows)
    held: list[pa.RecordBatch] = []
    number, first, rows, size = 0, 1, 0, 0
    try:
        for batch in table.iter_batches(_ROWS):
            held.append(batch)
            rows, size = rows + batch.num_rows, size + batch.nbytes
            if size >= limit:
                yield _portion(source, number, first, held, int(rows * per_row))
                number, first = number + 1, first + rows
                held, rows, size = [], 0, 0
    except (arrow.ArrowException, OSError) as error:
        raise Unreadable(f"the parquet file is damaged: {error}") from None
    if held:
        yield _portion(source, number, first, held, int(rows * per_row))


def shorten_texts(portion: Portion, work: Work, tally: Tally) -> tuple[bytes, tuple[SetAside, ...]]:
    """The portion with every text of the column shortened; nulls stay, and so does every row.

    A text whose secrets could not be replaced is a null in the output, and set aside.
    """
    pa = _pyarrow()
    assert isinstance(portion.data, bytes) and work.settings.column is not None
    table = pa.ipc.open_stream(portion.data).read_all()
    at = table.schema.get_field_index(work.settings.column)
    set_aside: list[SetAside] = []

    def shorter(row: int, text: str | None) -> str | None:
        if text is None:
            return None
        try:
            done = work.shortener.shorten(text, work.order)
        except RedactionFailed as error:
            set_aside.append(SetAside(portion.first + row, str(error), ""))
            return None
        tally.text(done.receipt)
        return done.text

    texts = table.column(at).cast(pa.large_string()).to_pylist()
    tally.records, tally.lines = tally.records + len(texts), tally.lines + len(texts)
    kind = table.schema.field(at).type
    found = pa.array([shorter(row, text) for row, text in enumerate(texts)], pa.large_string())
    if pa.types.is_dictionary(kind):
        found = found.cast(kind.value_type).dictionary_encode()
    return _stream(table.set_column(at, table.schema.field(at), found.cast(kind))), tuple(set_aside)


def write_table(path: Path, source: Source, streams: Iterator[bytes]) -> int:
    """Write the streams as the row groups of a parquet file like the source's; how many rows those are."""
    pa = _pyarrow()
    import pyarrow.parquet as pq

    with source.path.open("rb") as file:
        like = _open(file)
        schema, packing = like.schema_arrow, _compression(like)
    with path.open("wb") as sink, pq.ParquetWriter(sink, schema, compression=packing) as writer:
        rows = 0
        for stream in streams:
            table = pa.ipc.open_stream(stream).read_all()
            writer.write_table(table)
            rows += table.num_rows
    return rows


def _portion(source: Source, number: int, first: int, held: "list[pa.RecordBatch]", size: int) -> Portion:
    data = _stream(_pyarrow().Table.from_batches(held))
    return Portion(source.index, number, first, data, Form.TABLE, size=max(1, size))


def _stream(table: "pa.Table") -> bytes:
    pa = _pyarrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _compression(table: "pq.ParquetFile") -> str:
    metadata = table.metadata
    if not (metadata.num_row_groups and metadata.num_columns):
        return "snappy"
    found = str(metadata.row_group(0).column(0).compression).lower()
    return "none" if found == "uncompressed" else found


def _is_text(kind: "pa.DataType") -> bool:
    types = _pyarrow().types
    inner = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(inner) or types.is_large_string(inner) or types.is_string_view(inner))


def _open(file: BinaryIO) -> "pq.ParquetFile":
    arrow = _pyarrow()
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(file, pre_buffer=False)
    except (arrow.ArrowException, OSError) as error:
        raise Unreadable(f"the parquet file is damaged: {error}") from None


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError:
        raise MissingExtra("tables need pyarrow: pip install 'elision[parquet]'") from None
    return pyarrow
