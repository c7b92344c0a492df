"""What ``elision compress`` makes of a text, a log or a request, ready to be written."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from elision.compaction.decisions import compress_once, decision_key, is_ours, original_of, remembered
from elision.compaction.logs.select import left_out
from elision.compaction.store import handle_of
from elision.compaction.types import Budget, Compressed, Order
from elision.model.errors import ElisionError
from elision.serving.logs.shortening import LogShortener, Shortened
from elision.serving.logs.totals import Totals, log_json
from elision.serving.receipts import dumps, receipt_json
from elision.serving.stores.types import NoStores

if TYPE_CHECKING:
    from elision.compaction.logs.select import Selection
    from elision.serving.fail_open import Shortener
    from elision.serving.stores.types import Stores


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is written, and what is said about it.

    Attributes:
        data: The output.
        name: What the output is called in JSON.
        spelled: The output as JSON.
        report: Everything else.
        table: What the log held, for people; None if nobody asked.
    """

    data: bytes
    name: str
    spelled: bytes
    report: dict[str, Any]
    table: str | None = None

    @property
    def said(self) -> str:
        """One line for whoever watches."""
        reason = f" ({self.report['reason']})" if self.report["reason"] else ""
        return f"{self.report['tokens_before']:,} -> {self.report['tokens_after']:,} tokens{reason}"

    def json(self, more: dict[str, Any]) -> bytes:
        """All of it as one JSON object and a line end."""
        return b'{"' + self.name.encode() + b'": ' + self.spelled + b", " + dumps(self.report | more)[1:] + b"\n"


def of_text(text: str, order: Order, shortener: "Shortener", stores: "Stores") -> Outcome:
    """A text, shortened or as it was before."""
    scope = stores.scope("", "")
    done = compress_once(text, order, shorten=shortener.shorten, store=scope, made_by=shortener.made_by)
    return _told(text, done, order, stores)


def of_log(
    text: str,
    order: Order,
    selection: "Selection | None",
    shortener: "Shortener",
    stores: "Stores",
    *,
    counts: bool = False,
) -> Outcome:
    """A log, of which all that repeats is folded.

    Raises:
        BadAround: If the pattern takes too long.
        RedactionFailed: If secrets are to be replaced, and anything of ours goes wrong.
    """
    scope, totals = stores.scope("", ""), Totals()
    unwanted = tuple(left_out(text, selection)) if selection else ()
    if not unwanted and is_ours(scope, text):
        order = _whole(order)
    one = LogShortener(order, shortener).shortened(text, unwanted)
    totals.add(one)
    key = decision_key(text, order, shortener.made_by, "log", [[span.start, span.stop] for span in unwanted])
    done = remembered(scope, key, original_of(text, order), one.compressed)
    return _told(text, done, order, stores, one, totals.table() if counts else None)


def of_request(raw: str, asked: dict[str, Any], shortener: "Shortener", stores: "Stores") -> Outcome:
    """A provider's request, with what tools answered shortened."""
    from elision.serving.conversations import compress_now
    from elision.serving.fields import checked
    from elision.serving.message_receipts import report
    from elision.serving.message_schemas import CompressMessages

    answer = compress_now(raw, checked(CompressMessages, asked), shortener, stores, asked["floor_tokens"])
    data = answer.raw.encode()
    return Outcome(data, "body", data.strip(), report(answer))


def is_request(text: str) -> bool:
    """Whether a text is a provider's request for messages, or its list of messages."""
    from elision.compaction.conversation import Role
    from elision.compaction.formats.read import read

    if not text.lstrip(" \t\r\n").startswith(("{", "[")):
        return False
    try:
        messages = read(text).messages
    except ElisionError:
        return False
    return any(message.role is not Role.OTHER for message in messages)


def _whole(order: Order) -> Order:
    return replace(order, budget=Budget(keep_ratio=1.0))


def _told(
    text: str,
    done: Compressed,
    order: Order,
    stores: "Stores",
    log: Shortened | None = None,
    table: str | None = None,
) -> Outcome:
    kept = done.receipt.changed and not isinstance(stores, NoStores)
    report = receipt_json(done, handle_of(original_of(text, order)) if kept else None)
    report |= log_json(log) if log else {}
    shorter = report.pop("text")
    return Outcome(shorter.encode("utf-8", "surrogatepass"), "text", dumps(shorter), report, table)
