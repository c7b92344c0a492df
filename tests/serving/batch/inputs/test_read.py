"""Portions partition a text, are cut at the same places each time, and never take more than they should."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from batches import PACK, log_text
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.logs.select import left_out
from elision.serving.batch.errors import Unreadable
from elision.serving.batch.inputs.read import LONGEST_RECORD, read
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import Form, Packing, Portion, Source
from elision.serving.logs.asked import SelectionAsked

LINES = st.lists(
    st.one_of(
        st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30),
        st.sampled_from(["2026-01-15 10:00:00 INFO a", "  at x.y(z)", "Caused by: no", "", '{"a": 1}']),
    ),
    max_size=30,
)


def portions(
    data: bytes, form: Form = Form.LOG, size: int = 100, *, packing: Packing = Packing.PLAIN, **options: object
) -> list[Portion]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(PACK[packing](data))
        document = bool(options.pop("document", False))
        source = Source(3, path, "file", form, packing, path.stat().st_size, document)
        done: Sequence[int] = options.pop("done", ())  # type: ignore[assignment]
        return list(read(source, BatchSettings(0.3, portion_chars=size, **options), done))  # type: ignore[arg-type]


def text_of(found: Sequence[Portion]) -> str:
    return "".join(str(portion.data) for portion in found)


@pytest.mark.law
@given(lines=LINES, form=st.sampled_from([Form.LOG, Form.RECORDS]), size=st.integers(8, 300), packing=st.sampled_from(Packing))
def test_portions_partition_the_text_and_know_their_lines(
    lines: list[str], form: Form, size: int, packing: Packing
) -> None:
    text = "\n".join(lines).removeprefix("\ufeff")
    found = portions(text.encode(), form, size, packing=packing)

    assert text_of(found) == text
    assert [portion.number for portion in found] == list(range(len(found)))
    for at, portion in enumerate(found):
        assert portion.first == text_of(found[:at]).count("\n") + 1
        assert portion.data
        if form is Form.LOG:
            assert len(portion.data) <= size


@pytest.mark.law
@given(lines=LINES, size=st.integers(8, 300), done=st.sets(st.integers(0, 5)))
def test_what_is_done_is_left_out_and_nothing_else_changes(lines: list[str], size: int, done: set[int]) -> None:
    data = "\n".join(lines).encode()

    left = [replace(portion, size=0) for portion in portions(data, size=size, done=done)]

    assert left == [replace(portion, size=0) for portion in portions(data, size=size) if portion.number not in done]


def test_a_record_of_several_lines_is_never_split() -> None:
    text = log_text(400)

    for portion in portions(text.encode(), size=3000):
        assert str(portion.data).startswith("2026-")
        assert str(portion.data).count("Traceback") == str(portion.data).count("ValueError")


def test_a_line_longer_than_a_portion_is_cut_between_words() -> None:
    found = portions(("word " * 100 + "\nnext\n").encode(), size=64)

    assert all(str(portion.data).endswith((" ", "\n")) for portion in found)
    assert max(len(portion.data) for portion in found) <= 64
    assert {portion.first for portion in found[:-1]} == {1}


def test_json_lines_are_cut_between_lines_only() -> None:
    line = '{"text": "' + "x" * 500 + '"}\n'

    assert [portion.data for portion in portions((line * 3).encode(), Form.RECORDS)] == [line] * 3


def test_a_json_line_that_cannot_be_held_is_set_aside() -> None:
    long = '{"text": "' + "x" * (LONGEST_RECORD + (1 << 20)) + '"}\n'
    found = portions(("{}\n" + long + "[]\n").encode(), Form.RECORDS, size=800)
    (record,) = [record for portion in found for record in portion.set_aside]

    assert text_of(found) == "{}\n[]\n"
    assert (record.line, record.reason) == (2, "the line has more than 16,777,216 characters")
    assert long.startswith(record.raw) and len(record.raw) == 1000
    assert found[-1].first == 3


def test_a_document_is_one_portion_and_may_not_be_endless() -> None:
    text = '{\n "a": 1\n}\n'

    assert [portion.data for portion in portions(text.encode(), Form.RECORDS, 8, document=True)] == [text]
    with pytest.raises(Unreadable, match="one JSON value of more than 16,777,216 characters; write it as JSON lines"):
        portions(b" " * (LONGEST_RECORD + 1), Form.RECORDS, document=True)


def test_an_empty_file_has_no_portion() -> None:
    assert portions(b"") == portions(b"", Form.RECORDS) == []


def test_bytes_that_do_not_decode_are_counted() -> None:
    found = portions(b"ok\xff\xfe here\n" * 40)

    assert text_of(found) == "ok\ufffd\ufffd here\n" * 40
    assert sum(portion.replaced_bytes for portion in found) == 80


def test_a_damaged_file_is_told_after_what_could_be_read() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.gz"
        path.write_bytes(PACK[Packing.GZ](log_text(3000).encode())[:-9])
        source = Source(0, path, "a.gz", Form.LOG, Packing.GZ, 1)
        found = read(source, BatchSettings(0.3, portion_chars=4000))

        assert str(next(found).data).startswith("2026-")
        with pytest.raises(Unreadable, match="the gzip file is damaged"):
            list(found)


def test_a_file_that_is_gone_cannot_be_read() -> None:
    source = Source(0, Path("/no/such/file"), "file", Form.LOG, Packing.PLAIN, 1)

    with pytest.raises(Unreadable, match="it cannot be read: No such file"):
        list(read(source, BatchSettings(0.3)))


@pytest.mark.parametrize("context", [0, 1, 30])
@pytest.mark.parametrize("size", [150, 2000, 10**6])
def test_a_selection_does_not_see_the_borders_of_portions(size: int, context: int) -> None:
    text = log_text(120)
    asked = SelectionAsked(datetime(2026, 2, 1, tzinfo=UTC), around="step (30|31|90) ", context=context)
    found = portions(text.encode(), size=size, selection=asked)
    gone = [span.of(text) for span in left_out(text, asked.spelled_out())]

    assert text_of(found) == text
    assert "".join(span.of(str(portion.data)) for portion in found for span in portion.left_out) == "".join(gone)
    assert 0 < len("".join(gone)) < len(text)
