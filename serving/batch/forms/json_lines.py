"""Shorten a portion of JSON: batch files, transcripts, records; a value on each line, or one document.

In a line nothing changes but the texts that were shortened. What is not JSON is set aside. What is JSON,
but not what the file is said to hold, stays as it came: a batch file must not lose a request.
"""

import json
from collections.abc import Callable

from elision.compaction.errors import NotJson, RedactionFailed
from elision.compaction.raw_json import parse, replaced
from elision.model.errors import ElisionError
from elision.serving.batch.forms.work import Work
from elision.serving.batch.tally import Tally
from elision.serving.batch.types import Form, Portion, SetAside
from elision.serving.conversations import compress_now
from elision.serving.fail_open import INTERNAL_ERROR, RAISED
from elision.serving.logs.shortening import lines_of
from elision.serving.stores.types import NoStores

NO_REQUEST, NO_CONVERSATION, NOT_STRICT = "not_a_request", "not_a_conversation", "not_strict_json"
JSON_BROKEN = "verify_failed:json"
_BODIES = ("body", "params")
_SPACE = " \t\r\n"


def shorten_json(portion: Portion, work: Work, tally: Tally) -> tuple[bytes, tuple[SetAside, ...]]:
    """The portion shortened, and the values that are none."""
    assert isinstance(portion.data, str)
    shorten = _SHORTENED_BY[portion.form]
    parts: list[str] = []
    set_aside: list[SetAside] = []
    lines = [portion.data] if portion.document else portion.data.split("\n")
    for at, line in enumerate(lines):
        end = "\n" if at + 1 < len(lines) else ""
        value = line.strip(_SPACE)
        if not value:
            parts.append(line + end)
            continue
        tally.records += 1
        try:
            before, after = line[: line.index(value)], line[line.index(value) + len(value) :]
            parts.append(before + shorten(value, work, tally) + after + end)
        except (NotJson, RedactionFailed) as error:
            set_aside.append(work.aside(portion.first + at, _reason(error, portion), line.removesuffix("\r")))
    tally.lines += lines_of(portion.data)
    return "".join(parts).encode("utf-8", "surrogatepass"), tuple(set_aside)


def _request(line: str, work: Work, tally: Tally) -> str:
    node = parse(line)
    for key in _BODIES:
        body = node.get(key)
        if body is not None and node.get("custom_id") is not None:
            return replaced(line, [(body.span, _conversation(body.span.of(line), work, tally))])
    return _as_it_came(line, NO_REQUEST, work, tally)


def _transcript(line: str, work: Work, tally: Tally) -> str:
    node = parse(line)
    return _conversation(line, work, tally) if isinstance(node.value, dict | tuple) else _as_it_came(line, NO_CONVERSATION, work, tally)


def _conversation(raw: str, work: Work, tally: Tally) -> str:
    """A request or transcript with its tool results shortened.

    Raises:
        RedactionFailed: If secrets were to be replaced and that was not possible.
    """
    try:
        answer = compress_now(raw, work.asked, work.shortener, NoStores(), work.settings.floor_tokens)
    except (*RAISED, KeyboardInterrupt, SystemExit):
        raise
    except ElisionError:
        return _as_it_came(raw, NO_CONVERSATION, work, tally)
    except BaseException as error:  # a panic in a Rust library is no Exception
        work.shortener.failed(error)
        return _as_it_came(raw, INTERNAL_ERROR, work, tally)
    tally.tokens(answer.before, answer.after, answer.reason)
    for leaf in answer.done.leaves:
        if leaf.compressed is not None:
            tally.drops(leaf.compressed.receipt)
    return answer.raw


def _record(line: str, work: Work, tally: Tally) -> str:
    if not is_strict(line):
        return _as_it_came(line, NOT_STRICT, work, tally)
    done = work.shortener.shorten(line, work.order)
    if done.receipt.changed and not _is_line(done.text):
        return _as_it_came(line, JSON_BROKEN, work, tally)
    tally.text(done.receipt)
    return done.text


def _as_it_came(text: str, reason: str, work: Work, tally: Tally) -> str:
    """The text with no more gone than was asked for at any budget."""
    done = work.shortener.untouched(text, work.order, reason)
    tally.text(done.receipt)
    return done.text


def is_strict(text: str) -> bool:
    """Whether a JSON text has none of NaN and the infinities, which only some readers take.

    Raises:
        NotJson: If it is not JSON even with them; says where and why.
    """
    found: list[str] = []
    try:
        json.loads(text, parse_constant=found.append)
    except (ValueError, RecursionError):
        parse(text)  # says it in our words, and reads any depth
    return not found


def _is_line(text: str) -> bool:
    try:
        return is_strict(text)
    except NotJson:
        return False


def _reason(error: ElisionError, portion: Portion) -> str:
    """Why, with the place in the line; the line itself is named beside it."""
    return str(error) if portion.document else str(error).replace("at line 1, column", "at column")


_SHORTENED_BY: dict[Form, Callable[[str, Work, Tally], str]] = {
    Form.REQUESTS: _request,
    Form.CONVERSATIONS: _transcript,
    Form.RECORDS: _record,
}
