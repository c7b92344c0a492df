"""``elision label teacher``: an LLM behind any OpenAI-compatible URL says what the lines are worth."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from elision.serving.commands import tools
from elision.serving.commands.label_files import OUT, LabelsOut, beside, check_place
from elision.serving.streams import say


def _named(value: str) -> str:
    if not value:
        raise typer.BadParameter("must not be empty")
    return value


def _url(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise typer.BadParameter(f"{url!r} must begin with http:// or https://")
    return url


def _key(name: str) -> str:
    """The key that the environment holds; never shown, never stored."""
    if name and not os.environ.get(name):
        raise typer.BadParameter(f"the environment has no {name}")
    return os.environ[name] if name else ""


Url = Annotated[
    str,
    typer.Option("--url", callback=_url, help="Base URL of an OpenAI-compatible server; the chunks are sent there."),
]
Key = Annotated[
    str,
    typer.Option(
        "--api-key-env", metavar="NAME", callback=_key, help="Environment variable that holds the API key."
    ),
]
Transcripts = Annotated[
    list[Path] | None,
    typer.Option(
        "--transcripts", metavar="FILE|DIR", help="Sessions whose tool outputs are judged. May be repeated."
    ),
]
ChunksOf = Annotated[
    Path | None,
    typer.Option("--chunks-of", metavar="LABELS", help="Judge the chunks of this label file instead."),
]
PerTranscript = Annotated[
    int | None, typer.Option("--per-transcript", min=1, help="Most of them from one session.")
]
Kind = Annotated[
    Literal["levels", "deletion"],
    typer.Option("--instruction", help="Our guide, or LLMLingua-2's: leave words out."),
]
Schema = Annotated[
    bool,
    typer.Option("--json-schema", help="Hold the model to the answer's JSON schema, where the server can."),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache", help="File of answers; what it answers is not asked again. [default: beside --out]"
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, help="Most that this run may cost; needs both prices."),
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", min=0, help="Most tokens that this run may use.")
]
PriceIn = Annotated[float | None, typer.Option("--price-in", min=0, help="Of a million tokens asked.")]
PriceOut = Annotated[float | None, typer.Option("--price-out", min=0, help="Of a million tokens answered.")]
AnswerTokens = Annotated[
    int, typer.Option("--answer-tokens", min=1, help="Most tokens of one answer, thinking included.")
]
Twice = Annotated[
    float,
    typer.Option("--ask-twice", min=0, max=1, help="Share asked twice: does the teacher agree with itself?"),
]


def teacher(
    url: Url,
    model: Annotated[str, typer.Option("--model", callback=_named, help="Model to ask.")],
    transcripts: Transcripts = None,
    chunks_of: ChunksOf = None,
    out: LabelsOut = OUT,
    chunks: Annotated[int, typer.Option("--chunks", min=1, help="Chunks to judge, drawn by lot.")] = 1000,
    per_transcript: PerTranscript = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the lot.")] = 0,
    key: Key = "",
    instruction: Kind = "levels",
    json_schema: Schema = False,
    cache: Cache = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    answer_tokens: AnswerTokens = 4096,
    temperature: Annotated[float, typer.Option("--temperature", min=0, help="Of the sampling.")] = 0.3,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Requests under way at once.")] = 4,
    retries: Annotated[int, typer.Option("--retries", min=0, help="Attempts after the first.")] = 4,
    timeout: Annotated[float, typer.Option("--timeout", min=0.01, help="Seconds for one attempt.")] = 120.0,
    ask_twice: Twice = 0.05,
    as_json: tools.AsJson = False,
) -> None:
    """By an LLM that judges under our guide.

    Prints the label file; a report goes beside it. Exit code 1 when chunks went unanswered: the same command goes on.
    """
    check_place(out)
    tools.need("train", "openai", "tenacity")
    from elision.training.labels.exchange import Endpoint
    from elision.training.labels.forms import drawn
    from elision.training.labels.instructions import instruction as instruction_of
    from elision.training.labels.spending import Budget
    from elision.training.labels.teacher import Asking, label, write

    if (transcripts is None) == (chunks_of is None):
        raise typer.BadParameter("give either --transcripts or --chunks-of")
    endpoint = Endpoint(
        url=url,
        model=model,
        key=key,
        timeout=timeout,
        retries=retries,
        concurrency=concurrency,
        temperature=temperature,
        answer_tokens=answer_tokens,
    )
    budget = Budget(max_cost, max_tokens, price_in, price_out)
    asking = Asking(
        endpoint, instruction_of(instruction), budget, ask_twice=ask_twice, held_to_schema=json_schema, seed=seed
    )
    forms, there = drawn(transcripts or [], chunks_of, seed, chunks, per_transcript)
    say(f"{len(forms):,} of {there:,} chunks")
    kept, report = cache or beside(out, ".answers.sqlite"), beside(out, ".report.json")
    try:
        done = label(forms, asking, kept, _progress())
    except KeyboardInterrupt:
        say(f"interrupted; the answers so far are in {kept}, the same command goes on")
        raise
    write(done, out, report)
    _tell(done.report, report)
    if as_json or done.rows:
        print(json.dumps(done.report, indent=2) if as_json else out)
    if not done.complete or not done.rows:
        raise typer.Exit(1)


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


def _progress() -> Callable[[int, int], None]:
    """Says so at each tenth of the way."""

    def told(done: int, every: int) -> None:
        if every >= 10 and done * 10 // every > (done - 1) * 10 // every:
            say(f"{done:,} of {every:,} questions")

    return told
