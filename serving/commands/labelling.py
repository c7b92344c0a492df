"""``elision label``: who says what a line is worth, a sub-command for each."""

from pathlib import Path
from typing import Annotated

import typer

from elision.serving.commands.label_files import OUT, LabelsOut, check_place
from elision.serving.commands.teaching import teacher
from elision.serving.streams import say


def hindsight(
    transcripts: Annotated[
        list[Path],
        typer.Option("--transcripts", metavar="FILE|DIR", help="Recorded sessions. May be repeated."),
    ],
    out: LabelsOut = OUT,
    chunks: Annotated[
        int | None, typer.Option("--chunks", min=1, help="Chunks to label, drawn by lot. [default: all]")
    ] = None,
    per_transcript: Annotated[
        int | None, typer.Option("--per-transcript", min=1, help="Most texts of one session. [default: 1000]")
    ] = None,
    per_text: Annotated[
        int | None, typer.Option("--per-text", min=1, help="Most chunks of one text. [default: 2]")
    ] = None,
    per_source: Annotated[
        int | None, typer.Option("--per-source", min=1, help="Most chunks of one source. [default: 1000000]")
    ] = None,
    horizon: Annotated[
        int | None,
        typer.Option(
            "--horizon",
            min=1,
            help="Messages of the agent looked ahead: few ask what was needed next, many what was worth "
            "knowing. [default: 40]",
        ),
    ] = None,
    known: Annotated[
        float | None,
        typer.Option(
            "--known", min=0, max=1, help="What a use counts for if the term was known before. [default: 0.6]"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Of the lots. [default: 13]")] = None,
) -> None:
    """By what the agent used later, without an LLM.

    A line is worth what the agent wrote again of it, in what it said and in its calls. Prints the
    label file.
    """
    from elision.training.labels.evidence import Settings
    from elision.training.labels.forms import chosen
    from elision.training.labels.hindsight import label_transcripts
    from elision.training.labels.rows import write_labels

    check_place(out)
    given = {
        "per_session": per_transcript,
        "per_text": per_text,
        "per_source": per_source,
        "horizon": horizon,
        "known": known,
        "seed": seed,
    }
    settings = Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    count = write_labels(out, chosen(label_transcripts(transcripts, settings), settings.seed, chunks))
    say(f"{count:,} chunks labelled", "" if count else "warning")
    print(out)


def own(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The label file to check.")],
    out: LabelsOut = OUT,
) -> None:
    """Check labels of your own and copy them.

    Prints the copy. Exit code 2 if any line of the file breaks the schema: then nothing is written.
    """
    from elision.training.errors import BadLabels
    from elision.training.labels.own import read_own
    from elision.training.labels.rows import write_labels

    check_place(out)
    rows, wrong = read_own(file)
    for line in wrong:
        say(line, "error")
    if wrong or not rows:
        raise BadLabels(f"{file}: {'breaks the schema' if wrong else 'holds no rows'}, nothing was written")
    write_labels(out, rows)
    print(out)


def pointed(
    texts: Annotated[Path, typer.Option("--texts", metavar="DATA", help="The data folder with the texts.")],
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Labels without their texts. [default: those that we ship]"),
    ] = None,
    out: LabelsOut = OUT,
) -> None:
    """Join labels with the texts they point at.

    Prints the label file. Every text must be there, as it was when it was judged.
    """
    from elision.training.labels.pointed import SECOND, read_pointed
    from elision.training.labels.rows import write_labels

    check_place(out)
    count = write_labels(out, read_pointed(file or SECOND, texts))
    say(f"{count:,} chunks joined with their texts")
    print(out)


labels = typer.Typer(help="Label texts with what their lines are worth: from hindsight, a teacher or yourself.")
for command in (hindsight, teacher, own, pointed):
    labels.command()(command)
