"""``elision evaluate``: what a bundle is worth, by itself or against what it has to beat."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from elision.serving.commands import tools

BASELINES, BASELINE = "baselines", "baseline:"


def evaluate(
    ctx: typer.Context,
    labels: Annotated[
        list[Path],
        typer.Option("--labels", help="Judged chunks, JSON lines, may be gzipped. May be repeated: a table each."),
    ],
    bundle: tools.BundlePath = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="BUNDLE|baseline:NAME|baselines", help="Compare with a bundle, a rule or the best rule."
        ),
    ] = None,
    transcripts: Annotated[
        Path | None,
        typer.Option("--transcripts", help="File or folder of sessions: also what the agent used next."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude-source", metavar="PREFIX", help="Without chunks of such sources. May be repeated."),
    ] = None,
    no_query: Annotated[
        bool, typer.Option("--no-query", help="Hide from all what the reader was after.")
    ] = False,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="Also the rankings that need no model.")
    ] = False,
    end_to_end: Annotated[
        bool, typer.Option("--end-to-end", help="Also through the real text path.")
    ] = False,
    speed: Annotated[bool, typer.Option("--speed", help="Also CPU time against the other bundle.")] = False,
    card: Annotated[
        Path | None, typer.Option("--card", help="Write a model card there; compares with the rules too.")
    ] = None,
    as_json: tools.AsJson = False,
) -> None:
    """Measure a bundle against judged labels; with --against also what it is better or worse than."""
    from elision.serving.choice import named_bundle
    from elision.training.evaluation.against import Asked
    from elision.training.evaluation.evaluate import run, run_against

    other, rules = _rivals(against)
    if speed and other is None:
        raise typer.BadParameter("--speed compares two bundles: name the other with --against")
    if transcripts is not None and against is None and card is None:
        raise typer.BadParameter("--transcripts needs --against or --card")
    if card is not None and not card.resolve().parent.is_dir():
        raise typer.BadParameter(f"--card: no folder {card.resolve().parent}")
    asked = Asked(
        labels=tuple(labels),
        bundle=named_bundle(str(bundle)) if bundle else None,
        against=named_bundle(other) if other else None,
        rules=rules or (_rules() if card is not None or (baselines and against) else ()),
        transcripts=transcripts,
        exclude=tuple(exclude or ()),
        with_query=not no_query,
        end_to_end=end_to_end,
        speed=speed,
    )
    if against is None and card is None:
        run(asked, baselines=baselines, as_json=as_json)
    else:
        run_against(asked, as_json=as_json, card=card, command=command_line(ctx))


def command_line(ctx: typer.Context) -> str:
    """The command that does the same again, whatever came from the environment named."""
    words = ["elision", ctx.command.name or ""]
    for option in ctx.command.params:
        value = ctx.params.get(option.name or "")
        for one in value if isinstance(value, list | tuple) else [value]:
            if one is True:
                words.append(option.opts[0])
            elif one not in (None, False):
                words += [option.opts[0], str(one)]
    return shlex.join(words)


def _rivals(against: str | None) -> tuple[str | None, tuple[str, ...]]:
    """The other bundle, or the rules, that --against names."""
    if against is None:
        return None, ()
    if against == BASELINES:
        return None, _rules()
    if not against.startswith(BASELINE):
        return against, ()
    name = against.removeprefix(BASELINE)
    if name not in _rules():
        raise typer.BadParameter(f"--against: no baseline {name!r}; there are {', '.join(_rules())}")
    return None, (name,)


def _rules() -> tuple[str, ...]:
    from elision.training.evaluation.baselines import baselines

    return tuple(baselines([]))
