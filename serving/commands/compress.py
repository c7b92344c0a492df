"""``elision compress``: a text in, a shorter one out."""

import sys
from typing import Annotated

import typer

from elision.serving.commands import tools
from elision.serving.streams import STANDARD, say, write_bytes


def compress(
    ctx: typer.Context,
    file: tools.File = STANDARD,
    keep_ratio: tools.KeepRatio = None,
    target_tokens: tools.TargetTokens = None,
    query: tools.Query = "",
    pin: tools.Pins = None,
    encoding: tools.Encoding = "o200k_base",
    model: tools.Model = None,
    floor_tokens: tools.FloorTokens = 200,
    bundle: tools.BundlePath = None,
    as_json: tools.AsJson = False,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Write there, whole or not at all.")
    ] = STANDARD,
) -> None:
    """Shorten a text; what survives is sliced from the original.

    The input is UTF-8, or UTF-16/32 with a byte order mark; the output is UTF-8.
    """
    from elision.compaction.pins import compile_pins
    from elision.serving.fail_open import Order, Shortener
    from elision.serving.receipts import dumps, receipt_json

    order = Order(tools.budget_of(keep_ratio, target_tokens, floor_tokens), query, compile_pins(pin or []))
    tokens = tools.counter_of(ctx, encoding, model)
    source = tools.read_text(file)
    shortener = Shortener(ctx.obj.load_scorer(bundle), tokens, failed=_warn)

    result = shortener.shorten(source.text, order)

    if as_json:
        replaced = {"replaced_bytes": source.replaced_bytes} if source.replaced_bytes else {}
        write_bytes(output, dumps(receipt_json(result) | replaced) + b"\n")
    else:
        write_bytes(output, result.text.encode("utf-8", "surrogatepass"))
    if sys.stderr.isatty():
        receipt = result.receipt
        reason = f" ({receipt.reason})" if receipt.reason else ""
        say(f"{receipt.tokens_before:,} -> {receipt.tokens_after:,} tokens{reason}")


def _warn(error: BaseException) -> None:
    say(f"internal error, the text is unchanged: {type(error).__name__}: {error}", "warning")
