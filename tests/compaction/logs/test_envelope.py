import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.logs.envelope import Envelope, open_envelope

TEN = datetime(2024, 5, 1, 10, tzinfo=UTC)
ISO = "2024-05-01T10:00:00Z"


def opened(line: str | dict[str, Any]) -> Envelope:
    found = open_envelope(line if isinstance(line, str) else json.dumps(line))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("record", "level"),
    [
        ({"level": 30, "time": 1714557600000, "pid": 1, "msg": "up"}, "INFO"),  # pino
        ({"name": "a", "level": 50, "msg": "up", "time": ISO, "v": 0}, "ERROR"),  # bunyan
        ({"level": "warn", "ts": 1714557600.0, "caller": "a.go:1", "msg": "up"}, "WARN"),  # zap
        ({"level": "dpanic", "ts": ISO, "msg": "up"}, "FATAL"),
        ({"level": "debug", "time": 1714557600, "message": "up"}, "DEBUG"),  # zerolog
        ({"level": "warning", "msg": "up", "time": ISO}, "WARN"),  # logrus
        ({"event": "up", "level": "info", "timestamp": ISO}, "INFO"),  # structlog
        ({"@t": ISO, "@m": "up", "@l": "Fatal"}, "FATAL"),  # Serilog
        ({"@t": ISO, "@mt": "up"}, "INFO"),
        ({"severity": "NOTICE", "textPayload": "up", "timestamp": ISO}, "NOTICE"),  # GCP
        ({"severity": "ERROR", "jsonPayload": {"x": 1, "message": "up"}, "timestamp": ISO}, "ERROR"),
        ({"timestamp": 1714557600000, "message": "up", "ingestionTime": 1}, None),  # CloudWatch
        ({"log": "up", "container_id": "c", "source": "stdout", "time": ISO}, None),  # firelens
        ({"@timestamp": ISO, "log.level": "error", "message": "up"}, "ERROR"),  # ECS
        ({"@timestamp": ISO, "log": {"level": "error"}, "message": "up"}, "ERROR"),
        ({"timeUnixNano": "1714557600000000000", "severityNumber": 13, "body": {"stringValue": "up"}}, "WARN"),  # OTel
        ({"version": "1.1", "short_message": "up", "level": 3, "timestamp": 1714557600.0}, "ERROR"),  # GELF
        ({"timestamp": ISO, "level": "TRACE", "fields": {"message": "up", "n": 3}}, "TRACE"),  # tracing
        ({"message": "up", "level": 200, "level_name": "INFO", "datetime": ISO}, "INFO"),  # Monolog
        ({"levelno": 40, "message": "up", "asctime": "2024-05-01 10:00:00Z"}, "ERROR"),  # Python
        ({"reqId": "a", "level": 3, "time": ISO, "message": "up"}, "ERROR"),  # Nextcloud
        ({"MESSAGE": "up", "PRIORITY": "4", "__REALTIME_TIMESTAMP": "1714557600000000"}, "WARN"),  # journald
        ({"t": {"$date": ISO}, "s": "I", "c": "NETWORK", "msg": "up"}, "INFO"),  # MongoDB
        ({"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": "1714557600000000000", "severityText": "INFO", "body": {"stringValue": "up"}}]}]}]}, "INFO"),
    ],
)  # fmt: skip
def test_structured_loggers_are_known(record: dict[str, Any], level: str | None) -> None:
    envelope, line = opened(record), json.dumps(record)

    assert (envelope.message, envelope.level, envelope.time, envelope.partial) == ("up", level, TEN, False)
    assert envelope.message_span.of(line) == "up"


def test_a_docker_line_ends_its_message_with_a_line_end_or_goes_on() -> None:
    whole = opened('{"log":"a \\"b\\"\\n","stream":"stdout","time":"2024-05-01T10:00:00.5Z"}\n')
    part = opened('{"log":"a","stream":"stdout","time":"2024-05-01T10:00:00.5Z"}\n')

    assert (whole.message, whole.partial, part.partial) == ('a "b"', False, True)
    assert whole.message_span.of('{"log":"a \\"b\\"\\n","stream"') == 'a \\"b\\"'


def test_a_cri_line_says_whether_it_goes_on() -> None:
    whole, part = opened(f"{ISO} stdout F a b\n"), opened(f"{ISO} stderr P a\n")

    assert (whole.message, whole.time, whole.partial, part.partial) == ("a b", TEN, False, True)


@pytest.mark.parametrize(
    "prefix", ["web-1  | ", "[pod/web-5c/app] ", "\x1b[33mweb-1  |\x1b[0m ", f"web-1 | {ISO} "]
)
def test_what_a_containers_prefix_carries_is_opened_too(prefix: str) -> None:
    line = prefix + json.dumps({"level": 40, "msg": "slow"}) + "\n"
    envelope = opened(line)

    assert (envelope.message, envelope.message_span.of(line), envelope.level) == ("slow", "slow", "WARN")
    assert opened(prefix + "plain text\n").message == "plain text"
    assert opened(prefix + "plain text\n").time == (TEN if ISO in prefix else None)


def test_a_journal_message_in_bytes_is_decoded() -> None:
    envelope = opened({"MESSAGE": list("grün\n".encode()), "PRIORITY": "6"})

    assert envelope.message == "grün"


def test_logfmt_is_known() -> None:
    line = f'time="{ISO}" level=warning msg="slow \\"query\\"" n=3\n'
    envelope = opened(line)

    assert (envelope.message, envelope.level, envelope.time) == ('slow "query"', "WARN", TEN)
    assert envelope.message_span.of(line) == 'slow \\"query\\"'
    assert opened("ts=1714557600 lvl=info msg=up").time == TEN


@pytest.mark.parametrize(
    "line",
    [
        "", "\n", "plain", "2024-05-01 10:00:00 INFO up", "{", '{"msg"', '{"msg":"a"', '{"msg":"a"} tail', '{"a":1}', "[1]",
        '{"msg":1}', "a = b | c", "msg=alone", '{"MESSAGE":["a"]}', '{"msg":"a",}', '{"msg":NaN,"x":}', "{not json msg=1}",
    ],
)  # fmt: skip
def test_other_lines_are_no_envelopes(line: str) -> None:
    assert open_envelope(line) is None


def test_deep_nesting_is_no_envelope() -> None:
    assert open_envelope('{"msg":' + "[" * 100_000) is None


KEYS = st.sampled_from(
    ["msg", "message", "level", "time", "log", "stream", "fields", "MESSAGE", "x", "ts", "event", "body"]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([ISO, "error", "1714557600"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.law
@given(
    st.dictionaries(KEYS, VALUES, max_size=6),
    st.booleans(),
    st.sampled_from(["", "web-1 | ", f"{ISO} stdout F "]),
)
def test_the_message_is_spelled_where_the_span_says(
    record: dict[str, Any], escaped: bool, prefix: str
) -> None:
    line = prefix + json.dumps(record, ensure_ascii=escaped)
    envelope = open_envelope(line)

    if envelope is not None and line[envelope.message_span.start - 1] == '"':
        assert json.loads(f'"{envelope.message_span.of(line)}"') == envelope.message


@pytest.mark.law
@given(st.text() | st.text(alphabet='{}[]":,|=msglev \\n1', max_size=60))
def test_any_line_may_be_opened(line: str) -> None:
    envelope = open_envelope(line)

    assert envelope is None or 0 <= envelope.message_span.start <= envelope.message_span.stop <= len(line)
