import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.cut import rebuild
from elision.compaction.guard.lines import split_lines
from elision.compaction.reduce.envelopes import ENVELOPE, MARK, envelope_drops


def shown(records: Sequence[dict[str, Any] | str]) -> list[str]:
    text = "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)
    drops = envelope_drops(text, split_lines(text))

    assert all(drop.reason == ENVELOPE for drop in drops)
    return rebuild(text, drops).splitlines()


def pino(at: int, said: str, **more: Any) -> dict[str, Any]:
    return {"level": 30, "time": 1714557600000 + at, "pid": 7, "msg": said, **more}


def docker(at: int, said: str, stream: str = "stdout") -> dict[str, Any]:
    return {"log": said + "\n", "stream": stream, "time": f"2024-05-01T10:00:0{at}.123456789Z"}


def test_between_the_first_and_the_last_of_one_envelope_only_messages_stay() -> None:
    lines = [pino(at, f"job {at} done") for at in range(5)]

    assert shown(lines) == [
        json.dumps(lines[0]),
        "…job 1 done",
        "…job 2 done",
        "…job 3 done",
        json.dumps(lines[4]),
    ]


def test_a_message_stays_as_it_is_spelled() -> None:
    assert shown([docker(at, 'say "ü"\tto') for at in range(3)])[1] == MARK + 'say \\"\\u00fc\\"\\tto'


def test_two_lines_are_shown_whole() -> None:
    lines = [pino(at, "a") for at in range(2)]

    assert shown(lines) == [json.dumps(line) for line in lines]


@pytest.mark.parametrize(
    "odd",
    [
        {**pino(2, "odd"), "level": 31}, {**pino(2, "odd"), "pid": 8}, pino(2, "odd", err="gone"), {"msg": "odd", **pino(2, "odd")},
        {**pino(2, "odd"), "time": "never"},
    ],
)  # fmt: skip
def test_a_line_whose_envelope_differs_is_shown_whole(odd: dict[str, Any]) -> None:
    lines = [pino(0, "a"), pino(1, "b"), odd, pino(3, "c"), pino(4, "d")]

    assert shown(lines) == [json.dumps(line) for line in lines]


def test_another_stream_is_another_envelope() -> None:
    lines = [docker(0, "a"), docker(1, "b", "stderr"), docker(2, "c")]

    assert shown(lines) == [json.dumps(line) for line in lines]


def test_counters_that_go_up_are_no_difference_but_other_numbers_are() -> None:
    assert shown([pino(at, "a", seq=at * 3) for at in range(3)])[1] == "…a"
    assert shown([pino(at, "a", record_id=f"r-{at}") for at in range(3)])[1] == "…a"
    assert shown([pino(at, "a", seq=-at) for at in range(3)])[1] != "…a"
    assert shown([pino(at, "a", user_id=at) for at in range(3)])[1] != "…a"
    assert shown([pino(at, "a", duration=at) for at in range(3)])[1] != "…a"
    assert shown([pino(at, "a", PRIORITY=str(at)) for at in range(3)])[1] != "…a"


def test_the_other_fields_around_a_nested_message_count() -> None:
    def tracing(at: int, count: int) -> dict[str, Any]:
        return {
            "timestamp": f"2024-05-01T10:00:0{at}Z",
            "level": "INFO",
            "fields": {"message": "a", "n": count},
        }

    assert shown([tracing(at, 1) for at in range(3)])[1] == "…a"
    assert shown([tracing(at, at) for at in range(3)])[1] != "…a"


def test_an_empty_message_leaves_its_line_whole() -> None:
    assert shown([pino(0, "a"), pino(1, ""), pino(2, "b")])[1] == json.dumps(pino(1, ""))


def test_other_lines_end_a_run() -> None:
    lines: list[dict[str, Any] | str] = [pino(0, "a"), pino(1, "b"), "plain", pino(3, "c"), pino(4, "d")]

    assert shown(lines)[2] == "plain" and len(set(shown(lines))) == 5


def test_line_ends_stay() -> None:
    text = "".join(json.dumps(pino(at, "a")) + "\r\n" for at in range(3))

    assert rebuild(text, envelope_drops(text, split_lines(text))).count("\r\n") == 3


FIELDS = st.dictionaries(
    st.sampled_from(["level", "time", "msg", "seq", "x", "fields", "log", "stream"]),
    st.sampled_from([1, 2, "a", "", {"message": "b"}, 1714557600, "é\n", None]),
)


@pytest.mark.law
@given(
    st.lists(
        FIELDS.map(json.dumps) | st.sampled_from([json.dumps(pino(1, "a")), "", "x"]) | st.text(max_size=5),
        max_size=12,
    )
)
def test_what_survives_is_sliced_out_of_the_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    spans = split_lines(text)
    drops = envelope_drops(text, spans)
    shorter = rebuild(text, drops)

    assert len(shorter) <= len(text)
    assert all(before.span.stop <= after.span.start for before, after in zip(drops, drops[1:], strict=False))
    assert len(split_lines(shorter)) == len(spans)
    for line, source in zip(split_lines(shorter), spans, strict=True):
        assert line.of(shorter).removeprefix(MARK).rstrip() in source.of(text)


def test_a_real_log_in_json_becomes_shorter(shared: Path) -> None:
    with gzip.open(shared / "data/logs/train/ci-plain-chunked_raw.log.gz", "rt", newline="") as file:
        text = file.read()
    shorter = rebuild(text, envelope_drops(text, split_lines(text)))

    assert len(shorter) < 0.8 * len(text)
    assert len(split_lines(shorter)) == len(split_lines(text))
