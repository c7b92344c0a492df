"""``elision compress``: a text or a provider's request in, a shorter one out."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from elision.model.errors import ElisionError
from elision.serving.commands import tools
from elision.serving.commands.expand import StorePath
from elision.serving.streams import STANDARD, say, write_bytes

if TYPE_CHECKING:
    from elision.compaction.types import Order
    from elision.serving.fail_open import Shortener
    from elision.serving.stores.types import Stores

Input = Literal["auto", "text", "openai_chat", "openai_responses", "anthropic", "gemini"]


def compress(
    ctx: typer.Context,
    file: tools.File = STANDARD,
    keep_ratio: tools.KeepRatio = None,
    target_tokens: tools.TargetTokens = None,
    query: tools.Query = "",
    pin: tools.Pins = None,
    clean: Annotated[bool, typer.Option("--clean", help="Take control characters out, whatever the budget.")] = False,
    redact: Annotated[bool, typer.Option("--redact", help="Replace secrets, whatever the budget.")] = False,
    format: Annotated[
        Input, typer.Option("--format", help="What the input is; auto tells a provider's request from a text.")
    ] = "auto",
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="For a request, any option of POST /v1/compress/messages, such as mode=history. May be repeated.",
        ),
    ] = None,
    encoding: tools.Encoding = "o200k_base",
    model: tools.Model = None,
    floor_tokens: tools.FloorTokens = 200,
    bundle: tools.BundlePath = None,
    store: StorePath = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep no originals for `elision expand`.")] = False,
    as_json: tools.AsJson = False,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Write there, whole or not at all.")
    ] = STANDARD,
) -> None:
    """Shorten a text, or what tools answered in a provider's request; what survives is sliced from the original.

    The input is UTF-8, or UTF-16/32 with a byte order mark; the output is UTF-8. Of a request nothing
    changes but the shortened texts. What was left out comes back with `elision expand HANDLE`.
    """
    from elision.compaction.pins import compile_pins
    from elision.compaction.types import Order
    from elision.serving.fail_open import Shortener

    budget = tools.budget_of(keep_ratio, target_tokens, floor_tokens)
    order = Order(budget, query, bool(query), compile_pins(pin or []), clean=clean, redact=redact)
    flags = {
        "keep_ratio": keep_ratio,
        "target_tokens": target_tokens,
        "floor_tokens": floor_tokens,
        "pins": pin or [],
        "clean": clean,
        "redact": redact,
    }
    asked = flags | _options(option or [])
    tokens = tools.counter_of(ctx, encoding, model)
    source = tools.read_text(file)
    shortener = Shortener(ctx.obj.load_scorer(bundle), tokens, failed=_warn)
    stores = _open(store, no_store)
    try:
        if format == "text" or (format == "auto" and not _is_request(source.text)):
            _refuse(option, "--set is for requests, and the input is a text; name its --format")
            result = _text(source.text, order, shortener, stores)
        else:
            _refuse(query, "--query is for texts; a request tells what its agent is after")
            asked["format"] = None if format == "auto" else format
            result = _request(source.text, asked, shortener, stores)
    finally:
        stores.close()
    replaced = {"replaced_bytes": source.replaced_bytes} if source.replaced_bytes else {}
    write_bytes(output, result.json(replaced) if as_json else result.data)
    if sys.stderr.isatty():
        say(result.said)


@dataclass(frozen=True, slots=True)
class _Result:
    """What is written, and what is said about it.

    Attributes:
        data: The output.
        name: What the output is called in JSON.
        spelled: The output as JSON.
        report: Everything else.
    """

    data: bytes
    name: str
    spelled: bytes
    report: dict[str, Any]

    @property
    def said(self) -> str:
        """One line for whoever watches."""
        reason = f" ({self.report['reason']})" if self.report["reason"] else ""
        return f"{self.report['tokens_before']:,} -> {self.report['tokens_after']:,} tokens{reason}"

    def json(self, more: dict[str, Any]) -> bytes:
        """All of it as one JSON object and a line end."""
        from elision.serving.receipts import dumps

        return b'{"' + self.name.encode() + b'": ' + self.spelled + b", " + dumps(self.report | more)[1:] + b"\n"


def _refuse(given: object, why: str) -> None:
    if given:
        raise typer.BadParameter(why)


def _text(text: str, order: "Order", shortener: "Shortener", stores: "Stores") -> _Result:
    from elision.compaction.decisions import compress_once, original_of
    from elision.compaction.store import handle_of
    from elision.serving.receipts import dumps, receipt_json
    from elision.serving.stores.types import NoStores

    scope = stores.scope("", "")
    done = compress_once(text, order, shorten=shortener.shorten, store=scope, made_by=shortener.made_by)
    kept = done.receipt.changed and not isinstance(stores, NoStores)
    report = receipt_json(done, handle_of(original_of(text, order)) if kept else None)
    shorter = report.pop("text")
    return _Result(shorter.encode("utf-8", "surrogatepass"), "text", dumps(shorter), report)


def _request(raw: str, asked: dict[str, Any], shortener: "Shortener", stores: "Stores") -> _Result:
    from elision.serving.conversations import compress_now
    from elision.serving.fields import checked
    from elision.serving.message_receipts import report
    from elision.serving.message_schemas import CompressMessages

    answer = compress_now(raw, checked(CompressMessages, asked), shortener, stores, asked["floor_tokens"])
    data = answer.raw.encode()
    return _Result(data, "body", data.strip(), report(answer))


def _is_request(text: str) -> bool:
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


def _options(given: Sequence[str]) -> dict[str, Any]:
    """``NAME=VALUE`` each; a value is JSON, or else a string.

    Raises:
        BadParameter: If one has no name or no value.
    """
    options: dict[str, Any] = {}
    for option in given:
        name, equals, value = option.partition("=")
        if not name or not equals:
            raise typer.BadParameter(f"--set {option}: give NAME=VALUE")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options


def _open(path: Any, no_store: bool) -> "Stores":
    """The store of the command line; none, with a warning, where it cannot be opened."""
    from pathlib import Path

    from elision.compaction.errors import StoreUnavailable
    from elision.serving.settings import NO_STORE, read_settings
    from elision.serving.stores.open import command_line_store, open_stores

    settings = read_settings()
    if no_store or (path is None and settings.store == NO_STORE):
        return open_stores(read_settings(store=NO_STORE))
    try:
        return open_stores(read_settings(store=str(Path(command_line_store(path)).absolute())))
    except (StoreUnavailable, OSError) as error:
        say(f"originals are not kept: {error}", "warning")
        return open_stores(read_settings(store=NO_STORE))


def _warn(error: BaseException) -> None:
    say(f"internal error, the text is unchanged: {type(error).__name__}: {error}", "warning")
