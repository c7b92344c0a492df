"""``elision label`` and ``agree``: labels from a teacher, from hindsight, shipped or one's own, and how they compare."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from elision.serving.commands import tools
from elision.serving.errors import BadOutput
from elision.serving.streams import say

T = TypeVar("T")

TEACHER_CHUNKS = 1000

Source = Literal["teacher", "hindsight", "own", "pointed"]


def label(
    source: Annotated[Source, typer.Option("--from", help="Who says what a line is worth.")],
    out: Annotated[Path, typer.Option("--out", help="Label file to write, .jsonl or .jsonl.gz.")] = Path(
        "labels.jsonl.gz"
    ),
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="With --from own: the label file to check. With pointed: labels without their texts. "
            "[default: those that we ship]",
        ),
    ] = None,
    texts: Annotated[
        Path | None,
        typer.Option("--texts", metavar="DATA", help="With --from pointed: the data folder with the texts."),
    ] = None,
    transcripts: Annotated[
        list[Path] | None,
        typer.Option(
            "--transcripts",
            metavar="FILE|DIR",
            help="Sessions whose tool outputs are labelled. May be repeated.",
        ),
    ] = None,
    chunks_of: Annotated[
        Path | None,
        typer.Option(
            "--chunks-of",
            metavar="LABELS",
            help="Let the teacher judge the chunks of this label file instead.",
        ),
    ] = None,
    chunks: Annotated[
        int | None,
        typer.Option(
            "--chunks", min=1, help="Chunks to label, drawn by lot. [default: 1000 for a teacher, else all]"
        ),
    ] = None,
    per_transcript: Annotated[
        int | None, typer.Option("--per-transcript", min=1, help="Most of them from one session.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the lot.")] = 0,
    url: Annotated[
        str, typer.Option("--url", help="Base URL of an OpenAI-compatible server; the chunks are sent there.")
    ] = "",
    model: Annotated[str, typer.Option("--model", help="Model to ask.")] = "",
    api_key_env: Annotated[
        str,
        typer.Option("--api-key-env", metavar="NAME", help="Environment variable that holds the API key."),
    ] = "",
    instruction: Annotated[
        Literal["levels", "deletion"],
        typer.Option("--instruction", help="Our guide, or LLMLingua-2's: leave words out."),
    ] = "levels",
    json_schema: Annotated[
        bool,
        typer.Option(
            "--json-schema", help="Hold the model to the answer's JSON schema, where the server can."
        ),
    ] = False,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache", help="File of answers; what it answers is not asked again. [default: beside --out]"
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", min=0, help="Most that this run may cost; needs both prices."),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=0, help="Most tokens that this run may use.")
    ] = None,
    price_in: Annotated[
        float | None, typer.Option("--price-in", min=0, help="Of a million tokens asked.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option("--price-out", min=0, help="Of a million tokens answered.")
    ] = None,
    answer_tokens: Annotated[
        int, typer.Option("--answer-tokens", min=1, help="Most tokens of one answer, thinking included.")
    ] = 4096,
    temperature: Annotated[float, typer.Option("--temperature", min=0, help="Of the sampling.")] = 0.3,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Requests under way at once.")] = 4,
    retries: Annotated[int, typer.Option("--retries", min=0, help="Attempts after the first.")] = 4,
    timeout: Annotated[float, typer.Option("--timeout", min=0.01, help="Seconds for one attempt.")] = 120.0,
    ask_twice: Annotated[
        float,
        typer.Option(
            "--ask-twice", min=0, max=1, help="Share asked twice: does the teacher agree with itself?"
        ),
    ] = 0.05,
    as_json: tools.AsJson = False,
) -> None:
    """Label tool outputs with what their lines are worth; prints the label file.

    A report goes beside it. Exit code 1 when chunks went unanswered: the same command goes on.
    """
    _check_place(out)
    if source == "own":
        _copy_own(file, out)
        return
    if source == "pointed":
        _join(file, _given(texts, "--texts"), out)
        return
    if file is not None:
        raise typer.BadParameter(f"FILE goes with --from own or pointed; name sessions with --transcripts {file}")
    if source == "hindsight":
        _from_hindsight(_given(transcripts, "--transcripts"), out, chunks, per_transcript, seed)
        return
    tools.need("train", "openai", "tenacity")
    from elision.training.labels.exchange import Endpoint
    from elision.training.labels.forms import drawn
    from elision.training.labels.instructions import instruction as instruction_of
    from elision.training.labels.spending import Budget
    from elision.training.labels.teacher import Asking, write
    from elision.training.labels.teacher import label as run

    asking = Asking(
        Endpoint(
            url=_url(url),
            model=_given(model, "--model"),
            key=_key(api_key_env),
            timeout=timeout,
            retries=retries,
            concurrency=concurrency,
            temperature=temperature,
            answer_tokens=answer_tokens,
        ),
        instruction_of(instruction),
        Budget(max_cost, max_tokens, price_in, price_out),
        ask_twice=ask_twice,
        held_to_schema=json_schema,
        seed=seed,
    )
    if (transcripts is None) == (chunks_of is None):
        raise typer.BadParameter("give either --transcripts or --chunks-of")
    forms, there = drawn(transcripts or [], chunks_of, seed, chunks or TEACHER_CHUNKS, per_transcript)
    say(f"{len(forms):,} of {there:,} chunks")
    kept, report = cache or _beside(out, ".answers.sqlite"), _beside(out, ".report.json")
    try:
        done = run(forms, asking, kept, _progress())
    except KeyboardInterrupt:
        say(f"interrupted; the answers so far are in {kept}, the same command goes on")
        raise
    write(done, out, report)
    _tell(done.report, report)
    if as_json or done.rows:
        print(json.dumps(done.report, indent=2) if as_json else out)
    if not done.complete or not done.rows:
        raise typer.Exit(1)


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

    _check_place(out)
    ones, others = read_labels(one), read_labels(other)
    both = pairs(ones, others)
    if not any(pair.lines for pair in both):
        raise BadLabels(f"{one} and {other} have no line of a chunk in common")
    figures = agreement(ones, others)
    worst = _beside(out, ".disagreements.jsonl")
    count = write_disagreements(worst, both)
    write_json(out, figures)
    if as_json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            print(f"{name:<30} {value}")
    say(f"{out}; {count} of {len(both)} chunks are judged unlike, the widest apart first in {worst}")


def _copy_own(file: Path | None, out: Path) -> None:
    from elision.training.errors import BadLabels
    from elision.training.labels.own import read_own
    from elision.training.labels.rows import write_labels

    if file is None:
        raise typer.BadParameter("--from own needs the label file: elision label --from own FILE --out OUT")
    rows, wrong = read_own(file)
    for line in wrong:
        say(line, "error")
    if wrong or not rows:
        raise BadLabels(f"{file}: {'breaks the schema' if wrong else 'holds no rows'}, nothing was written")
    write_labels(out, rows)
    print(out)


def _join(file: Path | None, texts: Path, out: Path) -> None:
    from elision.training.labels.pointed import SECOND, read_pointed
    from elision.training.labels.rows import write_labels

    count = write_labels(out, read_pointed(file or SECOND, texts))
    say(f"{count:,} chunks joined with their texts")
    print(out)


def _from_hindsight(
    paths: list[Path], out: Path, total: int | None, per_transcript: int | None, seed: int
) -> None:
    from elision.training.labels.forms import chosen
    from elision.training.labels.hindsight import Settings, label_transcripts
    from elision.training.labels.rows import write_labels

    settings = Settings(seed=seed) if per_transcript is None else Settings(per_session=per_transcript, seed=seed)
    write_labels(out, chosen(label_transcripts(paths, settings), seed, total, per_transcript))
    print(out)


def _tell(its: dict[str, Any], report: Path) -> None:
    """What was labelled and what was not, in a few lines on stderr."""
    for what in ("rejected", "unanswered", "retried"):
        if its[what]:
            say(f"{what}: {', '.join(f'{count} {why}' for why, count in its[what].items())}", "warning")
    if its["stopped"]:
        say(f"stopped: {its['stopped']}; the same command goes on", "warning")
    spent = its["spent"]
    say(
        f"{its['labelled']:,} of {its['chunks']:,} chunks labelled, {its['requests']:,} requests, "
        f"{spent['tokens_in']:,} tokens in, {spent['tokens_out']:,} out, cost {spent['cost']:g}; see {report}"
    )


def _key(name: str) -> str:
    """The key that the environment holds; never shown, never stored."""
    if name and not os.environ.get(name):
        raise typer.BadParameter(f"--api-key-env: the environment has no {name}")
    return os.environ[name] if name else ""


def _url(url: str) -> str:
    if not _given(url, "--url").startswith(("http://", "https://")):
        raise typer.BadParameter(f"--url is {url!r}, must begin with http:// or https://")
    return url


def _given(value: T | None, flag: str) -> T:
    if not value:
        raise typer.BadParameter(f"{flag} is missing")
    return value


def _check_place(out: Path) -> None:
    """Before anything is paid for."""
    if not out.parent.is_dir() or out.is_dir():
        raise BadOutput(f"cannot write {out}: {'it is a directory' if out.is_dir() else 'no such directory'}")


def _beside(out: Path, ending: str) -> Path:
    return out.with_name(out.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json") + ending)


def _progress() -> Callable[[int, int], None]:
    """Says so at each tenth of the way."""

    def told(done: int, every: int) -> None:
        if every >= 10 and done * 10 // every > (done - 1) * 10 // every:
            say(f"{done:,} of {every:,} questions")

    return told
