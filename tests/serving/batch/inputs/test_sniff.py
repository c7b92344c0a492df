"""What a file holds is told from its name and its beginning."""

import json

import pytest

from elision.serving.batch.inputs.sniff import form_of, is_binary
from elision.serving.batch.types import Form

REQUEST = json.dumps({"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": []}})
PARAMS = json.dumps({"custom_id": "1", "params": {"messages": []}})
TRANSCRIPT = json.dumps({"id": 7, "tools": [{"input": "x"}], "messages": [{"role": "user", "content": "hi"}]})
GEMINI = json.dumps({"contents": [{"parts": [{"text": "hi"}]}]})
RECORD = json.dumps({"id": 7, "input": "words", "nested": {"messages": []}})
ENVELOPE = json.dumps({"ts": 1, "level": "info", "msg": "started"})
DOCKER = json.dumps({"log": "started\n", "stream": "stdout", "time": "2026-01-01T00:00:00Z"})
OTEL = json.dumps({"timeUnixNano": "1767225600000000000", "severityText": "INFO", "body": {"stringValue": "up"}})
ISSUE = json.dumps({"title": "It fails", "body": "Words.", "created_at": "2026-01-01T00:00:00Z"})
SESSION = json.dumps({"message": {"role": "user", "content": "hi"}, "timestamp": "2026-01-01T00:00:00Z"})


@pytest.mark.parametrize(
    ("name", "head", "form", "document"),
    [
        ("a.log", RECORD, Form.LOG, False),
        ("a.txt.gz", "text", Form.LOG, False),
        ("noname", "2026-01-01 INFO started\n", Form.LOG, False),
        ("a.jsonl", RECORD + "\n" + RECORD, Form.RECORDS, False),
        ("a.jsonl", "", Form.RECORDS, False),
        ("a.ndjson.zst", TRANSCRIPT, Form.CONVERSATIONS, False),
        ("a.jsonl", "not json\n" + REQUEST, Form.REQUESTS, False),
        ("a.jsonl", PARAMS, Form.REQUESTS, False),
        ("a.jsonl", GEMINI, Form.CONVERSATIONS, False),
        ("a.jsonl", TRANSCRIPT[:36], Form.RECORDS, False),
        ("a.jsonl", TRANSCRIPT[:-12], Form.CONVERSATIONS, False),
        ("a.json", RECORD, Form.RECORDS, True),
        ("a.json", json.dumps(json.loads(TRANSCRIPT), indent=1), Form.CONVERSATIONS, True),
        ("a.json", '[{"role": "user", "content": "hi"}]', Form.CONVERSATIONS, True),
        ("a.json", "[1, 2]", Form.RECORDS, True),
        ("a.json", RECORD + "\n" + RECORD + "\n", Form.RECORDS, False),
        ("out", ENVELOPE + "\n" + ENVELOPE + "\n", Form.LOG, False),
        ("out", SESSION + "\n" + SESSION + "\n", Form.RECORDS, False),
        ("a.jsonl", ENVELOPE, Form.LOG, False),
        ("a.ndjson.gz", DOCKER + "\n" + DOCKER, Form.LOG, False),
        ("a.json", OTEL + "\n" + OTEL, Form.LOG, False),
        ("a.jsonl", "not json\n" + ENVELOPE + "\n\n" + ENVELOPE, Form.LOG, False),
        ("a.jsonl", ENVELOPE + "\n" + TRANSCRIPT + "\n" + ENVELOPE, Form.CONVERSATIONS, False),
        ("a.jsonl", ENVELOPE + "\n" + RECORD, Form.RECORDS, False),
        ("a.jsonl", ISSUE + "\n" + ISSUE, Form.RECORDS, False),
        ("a.jsonl", '{"level": 3, "text": "a question"}\n', Form.RECORDS, False),
        ("out", RECORD + "\n" + RECORD + "\n", Form.RECORDS, False),
        ("out", RECORD, Form.RECORDS, True),
        ("out", "[main] INFO started\n[main] INFO ended\n", Form.LOG, False),
        ("a.json.gz", "{broken", Form.RECORDS, True),
    ],
)
def test_name_and_beginning_tell_the_form(name: str, head: str, form: Form, document: bool) -> None:
    assert form_of(name, head) == (form, document)


@pytest.mark.parametrize("form", [Form.REQUESTS, Form.CONVERSATIONS, Form.RECORDS])
def test_the_caller_knows_better(form: Form) -> None:
    assert form_of("a.log", RECORD + "\n" + RECORD, form) == (form, False)
    assert form_of("a.log", RECORD, form) == (form, True)
    assert form_of("a.jsonl", RECORD, form) == (form, False)
    assert form_of("a.jsonl", RECORD, Form.LOG) == (Form.LOG, False)


def test_binary_is_what_holds_nul_and_no_mark() -> None:
    assert is_binary(b"\x7fELF\0\0")
    assert not is_binary("text".encode("utf-16"))
    assert not is_binary(b"text")
