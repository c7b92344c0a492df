"""Tell what a file holds from its name and its beginning; the name decides, but for what is in JSON."""

import json
from collections.abc import Iterator
from pathlib import PurePath

import regex

from elision.compaction.logs.envelope import open_envelope
from elision.serving.batch.types import Form
from elision.serving.decode import MARKS

HEAD = 1 << 20  # a transcript's line can begin with many tool definitions
PACKED_NAMES = frozenset({".gz", ".zst", ".gzip", ".zstd"})
PARQUET = b"PAR1"
_LINES, _JSON = frozenset({".jsonl", ".ndjson"}), ".json"
_LOGS = frozenset({".log", ".txt", ".out", ".err"})
_LOOKED_AT = 20  # lines
_TOKEN = regex.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]++', regex.DOTALL)
_MESSAGES = ("messages", "contents", "input")
# Where a log's record has its message; a record with a "text" or a "body" and a date may be anything.
_SAID = frozenset(
    {"message", "msg", "log", "MESSAGE", "event", "@message", "@m", "@mt", "short_message", "textPayload", "jsonPayload"}
)


def is_binary(head: bytes) -> bool:
    """Whether a file that begins like this, unpacked, is no text."""
    return b"\0" in head and not any(head.startswith(mark) for mark, _ in MARKS)


def form_of(name: str, head: str, asked: Form | None = None) -> tuple[Form, bool]:
    """What a file holds, and whether it is one JSON document.

    Args:
        name: Its name, packing and all.
        head: How its text begins.
        asked: What the caller says it holds.
    """
    suffix = _suffix(name)
    if asked in (Form.LOG, Form.TABLE):
        return asked, False
    if asked is not None:
        return asked, suffix not in _LINES and _is_document(head)
    if suffix in _LOGS:
        return Form.LOG, False
    if suffix in _LINES:
        return _of_lines(head), False
    if suffix == _JSON:
        return (_of_value(head), True) if _is_document(head) else (_of_lines(head), False)
    if not head.lstrip().startswith(("{", "[")):
        return Form.LOG, False
    if _is_document(head):
        return (_of_value(head), True) if _is_json(head) else (Form.LOG, False)
    return _of_lines(head), False


def _suffix(name: str) -> str:
    path = PurePath(name.lower())
    return (path.with_suffix("") if path.suffix in PACKED_NAMES else path).suffix


def _is_document(head: str) -> bool:
    """Whether the first line is not yet a whole JSON value, or there is only one."""
    first, _, rest = head.strip().partition("\n")
    return not rest or not _is_json(first)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _of_lines(head: str) -> Form:
    lines = [line for line in head.split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    found = {_of_value(line) for line in lines}
    for form in (Form.REQUESTS, Form.CONVERSATIONS):
        if form in found:
            return form
    return Form.LOG if 2 * sum(map(_is_log_record, lines)) > len(lines) else Form.RECORDS


def _of_value(text: str) -> Form:
    keys = set(_keys(text))
    if "custom_id" in keys and keys & {"body", "params"}:
        return Form.REQUESTS
    if any(key in keys for key in _MESSAGES) and _holds_list(text):
        return Form.CONVERSATIONS
    inner = text.lstrip()
    if inner.startswith("[") and set(_keys(inner[1:])) & {"role", "parts"}:
        return Form.CONVERSATIONS
    return Form.RECORDS


def _is_log_record(line: str) -> bool:
    """Whether a line of JSON says something, and how severe it is or when."""
    envelope = open_envelope(line)
    if envelope is None or not line.startswith("{"):
        return False
    if envelope.level and envelope.time:
        return True
    keys = set(_keys(line))
    return bool(keys & _SAID) and bool(envelope.level or envelope.time or "stream" in keys)


def _holds_list(text: str) -> bool:
    """Whether one of the members that hold messages is a list; ``input`` may be any text."""
    return any(after == "[" and key in _MESSAGES for key, after in _members(text))


def _keys(text: str) -> Iterator[str]:
    return (key for key, _ in _members(text))


def _members(text: str) -> Iterator[tuple[str, str]]:
    """The keys of an object with how their values begin; the object may be cut off."""
    depth, before, key = 0, "", ""
    for found in _TOKEN.finditer(text.lstrip()):
        token = found.group()
        if depth == 0 and token != "{":
            return
        if depth == 1 and before == ":":
            yield key, token
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
            if depth == 0:
                return
        elif depth == 1 and token == ":":
            key = _unquoted(before)
        before = token


def _unquoted(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token
