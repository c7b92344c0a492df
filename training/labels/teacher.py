"""Labels from a teacher: an LLM reads each chunk under an instruction, and what it says is checked.

    elision label teacher --transcripts DIR --url URL --model NAME --out labels.jsonl.gz

Chunks go out, label rows and a report come back. Every answer is kept in a file, so a run that was
stopped, by its cap or by a signal, goes on where it was. A chunk whose answer is unusable gives no
row; the report says how many there were, of which kind, and which. An answer is only ever read as
levels and words: nothing in it is run, followed or passed on.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elision.training.labels.agree import agreement, write_json
from elision.training.labels.answers import Answer, Answers, Question, answers
from elision.training.labels.asking import Asker, Unanswered
from elision.training.labels.exchange import Endpoint, Failure
from elision.training.labels.forms import lot
from elision.training.labels.instructions import Instruction
from elision.training.labels.quality import (
    Limits,
    Reading,
    Reason,
    Unusable,
    balance,
    check,
    fit,
    looks_like_refusal,
)
from elision.training.labels.rows import LabelRow, write_labels
from elision.training.labels.spending import Budget, Purse

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Asking:
    """How a run asks.

    Attributes:
        endpoint: Where.
        instruction: Under which instruction.
        budget: For how much.
        ask_twice: Share of the chunks asked twice, to see whether the teacher agrees with itself.
        held_to_schema: Whether the server is told the answer's JSON schema.
        limits: What an answer may have wrong.
        seed: Of which chunks are asked twice.
    """

    endpoint: Endpoint
    instruction: Instruction
    budget: Budget = Budget()
    ask_twice: float = 0.05
    held_to_schema: bool = False
    limits: Limits = Limits()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Labelled:
    """What a run gave.

    Attributes:
        rows: The labels, in the order of the forms.
        report: What was asked, spent, rejected and why, as JSON.
    """

    rows: tuple[LabelRow, ...]
    report: dict[str, Any]

    @property
    def complete(self) -> bool:
        """Whether every chunk was answered, usably or not."""
        return not self.report["unanswered"]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one form: a reading, why it is rejected, or why there is none."""

    form: LabelRow
    reading: Reading | None = None
    rejected: Reason | None = None
    unanswered: Failure | None = None
    detail: str = ""

    @property
    def row(self) -> LabelRow | None:
        usable = self.reading and not self.rejected
        return replace(self.form, lines=self.reading.lines) if self.reading and usable else None


def label(
    forms: Sequence[LabelRow], asking: Asking, known: Path, progress: Progress = lambda done, every: None
) -> Labelled:
    """Ask a teacher about each form.

    Args:
        forms: Rows whose lines are not judged yet; in this order they are asked.
        asking: How.
        known: SQLite file of answers, made if it is not there; what it answers is not asked again.
        progress: Called with the number of questions done and that of all.

    Raises:
        TeacherUnavailable: If nothing can be had of the teacher; what it said before is kept.
        BadConfig: If ``known`` is not a file of answers.
    """
    with answers(known) as held:
        return asyncio.run(_label(forms, asking, held, progress))


def write(done: Labelled, out: Path, report: Path) -> None:
    """Write the labels and the report, each whole or not at all; without a label the file stays as it was."""
    if done.rows:
        write_labels(out, done.rows)
    write_json(report, done.report)


async def _label(forms: Sequence[LabelRow], asking: Asking, known: Answers, progress: Progress) -> Labelled:
    turns = [(form, turn) for form in forms for turn in _turns(form, asking)]
    done = 0

    async def one(form: LabelRow, turn: int) -> _Outcome:
        nonlocal done
        answer = await asker.ask(_question(form, asking, turn))
        done += 1
        progress(done, len(turns))
        return _read(form, answer, asking)

    async with Asker(asking.endpoint, known, Purse(asking.budget)) as asker:
        tasks = [asyncio.ensure_future(one(form, turn)) for form, turn in turns]
        try:
            outcomes = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    first = [outcome for outcome, (_, turn) in zip(outcomes, turns, strict=True) if not turn]
    again = [outcome for outcome, (_, turn) in zip(outcomes, turns, strict=True) if turn]
    rows = tuple(row for outcome in first if (row := outcome.row))
    return Labelled(rows, _report(asking, asker, first, again))


def _turns(form: LabelRow, asking: Asking) -> tuple[int, ...]:
    return (0, 1) if lot(asking.seed, form, "twice") < asking.ask_twice else (0,)


def _question(form: LabelRow, asking: Asking, turn: int) -> Question:
    its = asking.instruction
    schema = its.schema(form) if asking.held_to_schema and its.schema else None
    return Question(its.text, its.show(form), schema, turn)


def _read(form: LabelRow, answer: Answer | Unanswered, asking: Asking) -> _Outcome:
    if isinstance(answer, Unanswered):
        return _Outcome(form, unanswered=answer.failure, detail=answer.detail)
    reading = None
    try:
        _check_ending(answer)
        reading = asking.instruction.read(form, answer.text)
        check(reading, asking.limits)
    except Unusable as error:
        # An answer is first of all read as one: a chunk of prose may begin as refusals do.
        refused = looks_like_refusal(answer.text)
        reason, detail = (
            (Reason.REFUSED, answer.text.strip()[:80]) if refused else (error.reason, error.detail)
        )
        return _Outcome(form, reading, rejected=reason, detail=detail)
    return _Outcome(form, reading)


def _check_ending(answer: Answer) -> None:
    if answer.refusal or answer.finish == "content_filter":
        raise Unusable(Reason.REFUSED, (answer.refusal or answer.finish)[:80])
    if answer.finish == "length":
        raise Unusable(Reason.CUT, f"{answer.answered or answer.room} tokens")
    if not answer.text.strip():
        raise Unusable(Reason.EMPTY, f"finish reason {answer.finish or 'not given'}")


def _report(
    asking: Asking, asker: Asker, first: Sequence[_Outcome], again: Sequence[_Outcome]
) -> dict[str, Any]:
    rows = [row for outcome in first if (row := outcome.row)]
    spent = asker.purse.spent
    return {
        "model": asking.endpoint.model,
        "url": asking.endpoint.shown,
        "instruction": asking.instruction.name,
        "chunks": len(first),
        "labelled": len(rows),
        "rejected": _counts(outcome.rejected for outcome in first),
        "unanswered": _counts(outcome.unanswered for outcome in first),
        "stopped": asker.stopped,
        "requests": asker.exchange.sent,
        "answers_reused": asker.reused,
        "retried": dict(asker.retried),
        "spent": {
            "tokens_in": spent.asked,
            "tokens_out": spent.answered,
            "cost": round(asking.budget.price(spent), 6),
            "requests_without_usage": asker.purse.guessed,
        },
        "levels": balance(rows),
        "words": fit([outcome.reading for outcome in first if outcome.reading]),
        "self_agreement": _with_itself(first, again),
        "not_labelled": [
            {"id": outcome.form.id, "why": outcome.rejected or outcome.unanswered, "detail": outcome.detail}
            for outcome in first
            if outcome.rejected or outcome.unanswered not in (None, Failure.NOT_ASKED)
        ],
    }


def _with_itself(first: Sequence[_Outcome], again: Sequence[_Outcome]) -> dict[str, Any]:
    twice = {outcome.form.id for outcome in again if outcome.row}
    ones = [row for outcome in first if outcome.form.id in twice and (row := outcome.row)]
    both = {row.id for row in ones}
    others = [row for outcome in again if (row := outcome.row) and row.id in both]
    return agreement(ones, others)


def _counts(reasons: Iterable[Reason | Failure | None]) -> dict[str, int]:
    return dict(Counter(str(reason) for reason in reasons if reason).most_common())
