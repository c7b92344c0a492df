"""What the commands are handed, so that a test can run them without a bundle.

``run(["compress", ...], Tools(scorer=fake))`` is the seam.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elision.serving.streams import read_bytes, say

if TYPE_CHECKING:
    from elision.compaction.tokens import Tiktoken
    from elision.compaction.types import Budget
    from elision.model.types import Scorer
    from elision.serving.decode import Decoded

File = Annotated[str, typer.Argument(metavar="[FILE|-]", help="The text; - is stdin.")]
KeepRatio = Annotated[
    float | None,
    typer.Option("--keep-ratio", help="Share of the tokens to keep, above 0, at most 1. [default: 0.5]"),
]
TargetTokens = Annotated[
    int | None, typer.Option("--target-tokens", help="Tokens to keep, instead of a ratio.")
]
FloorTokens = Annotated[
    int,
    typer.Option("--floor-tokens", envvar="ELISION_FLOOR_TOKENS", help="Shorter texts are left alone."),
]
Query = Annotated[str, typer.Option("--query", help="What the reader is after.")]
Pins = Annotated[
    list[str] | None, typer.Option("--pin", metavar="REGEX", help="What matches must stay. May be repeated.")
]
Encoding = Annotated[
    str,
    typer.Option("--encoding", envvar="ELISION_ENCODING", help="Token encoding: o200k_base or cl100k_base."),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="NAME", help="The reading model, instead of --encoding; its tokens are counted."
    ),
]

def _start(given: Path | None) -> Path | None:
    from elision.serving.choice import named_bundle

    return _in_use(named_bundle(str(given)) if given is not None else None)


def _in_use(given: Path | None) -> Path | None:
    from elision.serving.choice import in_use

    return in_use(given).path


_BUNDLE = "Bundle folder. [default: the one in use, see elision models list]"
BundlePath = Annotated[
    Path | None, typer.Option("--bundle", envvar="ELISION_BUNDLE", callback=_in_use, help=_BUNDLE)
]
# As it was given, for whoever looks at the choice itself.
GivenBundle = Annotated[Path | None, typer.Option("--bundle", envvar="ELISION_BUNDLE", help=_BUNDLE)]
InitBundle = Annotated[
    Path | None,
    typer.Option(
        "--init", metavar="BUNDLE", callback=_start, help="Where to start: a name or a folder. [default: the bundle in use]"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write one JSON object.")]


@dataclass(frozen=True, slots=True)
class Tools:
    """What a test may hand in; by default each is the real thing."""

    scorer: "Scorer | None" = None

    def load_scorer(self, bundle: Path | None) -> "Scorer":
        """The scorer handed in, or the one of a bundle (None: the bundle in use)."""
        if self.scorer is not None:
            return self.scorer
        from elision.model.scorer import load_scorer

        return load_scorer(bundle, threads=os.cpu_count() or 1)


def budget_of(keep_ratio: float | None, target_tokens: int | None, floor_tokens: int) -> "Budget":
    """The budget that the flags give; half where they give none."""
    from elision.compaction.errors import BadBudget
    from elision.compaction.types import Budget

    if keep_ratio is not None and target_tokens is not None:
        raise BadBudget("--keep-ratio and --target-tokens exclude each other, give one")
    return Budget.asked(keep_ratio, target_tokens, floor_tokens)


def counter_of(ctx: typer.Context, encoding: str, model: str | None) -> "Tiktoken":
    """The counter that the flags give; --model goes before what the environment says."""
    from elision.compaction.tokens import counter, for_model

    if model is None:
        return counter(encoding)
    source = ctx.get_parameter_source("encoding")
    if source is not None and source.name == "COMMANDLINE":
        raise typer.BadParameter("--model and --encoding exclude each other, give one")
    return for_model(model)


def read_text(file: str) -> "Decoded":
    """The text of a file or of stdin; on stderr how many of its bytes had to be replaced."""
    from elision.serving.decode import decode

    source = decode(read_bytes(file), file)
    if source.replaced_bytes:
        say(
            f"{source.replaced_bytes} bytes are not valid {source.encoding}, U+FFFD stands for them",
            "warning",
        )
    return source


def need(extra: str, *packages: str) -> None:
    """Stop with the command that installs what is missing.

    Raises:
        MissingExtra: If a package is not there.
    """
    from importlib.util import find_spec

    from elision.serving.errors import MissingExtra

    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise MissingExtra(f"this command needs {', '.join(missing)}: pip install 'elision[{extra}]'")
