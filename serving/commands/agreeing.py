"""``elision agree``: how far two label files go together, and where they do not."""

import json
from pathlib import Path
from typing import Annotated

import typer

from elision.serving.commands import tools
from elision.serving.commands.label_files import beside, check_place
from elision.serving.streams import say


def agree(
    one: Annotated[Path, typer.Argument(metavar="A", help="Label file.")],
    other: Annotated[Path, typer.Argument(metavar="B", help="Label file with chunks that A has too.")],
    out: Annotated[
        Path, typer.Option("--out", help="Where the figures go; the disagreements go beside it.")
    ] = Path("agree.json"),
    as_json: tools.AsJson = False,
) -> None:
    """Compare two label files on the chunks that both judged."""
    from elision.training.errors import BadLabels
    from elision.training.labels.agree import agreement, pairs, write_disagreements, write_json
    from elision.training.labels.rows import read_labels

    check_place(out)
    ones, others = read_labels(one), read_labels(other)
    both = pairs(ones, others)
    if not any(pair.lines for pair in both):
        raise BadLabels(f"{one} and {other} have no line of a chunk in common")
    figures = agreement(ones, others)
    worst = beside(out, ".disagreements.jsonl")
    count = write_disagreements(worst, both)
    write_json(out, figures)
    if as_json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            print(f"{name:<30} {value}")
    say(f"{out}; {count} of {len(both)} chunks are judged unlike, the widest apart first in {worst}")
