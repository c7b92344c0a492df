"""``elision explain``: see what would go, what stays and what may not go.

On a terminal the value of each stretch is its colour, dropped text is struck through and
pins are underlined. Elsewhere brackets say the same, so that it can be read in a pipe.
"""

import sys
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from elision.serving.commands import tools
from elision.serving.streams import STANDARD, write_bytes

if TYPE_CHECKING:
    from rich.text import Text

    from elision.compaction.explain import Explained

# Lower bound of the value, colour, meaning.
COLOURS = (
    (0.75, "green", "essential"),
    (0.5, "cyan", "useful"),
    (0.25, "yellow", "marginal"),
    (0.0, "bright_black", "noise"),
)
LEGEND = "[-dropped-] {pinned}\n"

# A log may hold escape codes; here they are shown, never sent to the terminal.
_VISIBLE = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | {0x7F: 0x2421}


def explain(
    ctx: typer.Context,
    file: tools.File = STANDARD,
    keep_ratio: tools.KeepRatio = None,
    target_tokens: tools.TargetTokens = None,
    query: tools.Query = "",
    pin: tools.Pins = None,
    encoding: tools.Encoding = "o200k_base",
    floor_tokens: tools.FloorTokens = 200,
    bundle: tools.BundlePath = None,
    color: Annotated[Literal["auto", "always", "never"], typer.Option(help="When to use colours.")] = "auto",
) -> None:
    """Show a text with the value of each part: what is dropped, what is pinned."""
    from elision.compaction.explain import explain as explained
    from elision.compaction.pins.text import compile_pins
    from elision.compaction.tokens import counter

    budget = tools.budget_of(keep_ratio, target_tokens, floor_tokens)
    pins, tokens = compile_pins(pin or []), counter(encoding)
    text = tools.read_text(file).text
    scorer = ctx.obj.load_scorer(bundle)

    parts = explained(text, budget, scorer=scorer, counter=tokens, query=query, pins=pins)

    if color == "always" or (color == "auto" and sys.stdout.isatty()):
        _print_coloured(text, parts)
    else:
        marked = "".join(_bracketed(text, parts))
        write_bytes(STANDARD, (marked + _line_end(marked) + LEGEND).encode("utf-8", "replace"))


def _print_coloured(text: str, parts: "list[Explained]") -> None:
    from rich.console import Console
    from rich.text import Text

    shown = Text()
    for part in parts:
        shown.append(part.span.of(text).translate(_VISIBLE), style=style(part))
    shown.append(_line_end(text))
    console = Console(force_terminal=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
    console.print(shown, _legend(), sep="")


def style(part: "Explained") -> str:
    """The rich style of a stretch: colour by value, strike for dropped, underline for pinned."""
    colour = next(name for least, name, _ in COLOURS if part.value >= least or least == 0)
    return f"{colour}{' strike' if part.dropped else ''}{' underline' if part.pinned else ''}"


def _legend() -> "Text":
    from rich.text import Text

    words = [(meaning, colour) for _, colour, meaning in COLOURS] + [
        ("dropped", "strike"),
        ("pinned", "underline"),
    ]
    return Text(" ").join(Text(word, style=style) for word, style in words)


def _bracketed(text: str, parts: "list[Explained]") -> Iterator[str]:
    for (dropped, pinned), run in groupby(parts, lambda part: (part.dropped, part.pinned)):
        stretch = "".join(part.span.of(text) for part in run)
        shown = stretch.rstrip("\r\n") or stretch  # a bracket at the start of a line would mislead
        before, after = ("[-", "-]") if dropped else ("{", "}") if pinned else ("", "")
        yield f"{before}{shown}{after}{stretch[len(shown) :]}"


def _line_end(text: str) -> str:
    return "" if text.endswith("\n") or not text else "\n"
