"""Say in Markdown how ours and its rivals did on many logs, and whether ours is ahead."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from elision.training.audits.bouts import Bout, Contest, Result
from elision.training.audits.rare_lines import Left

MARKS = {Result.WIN: "+", Result.TIE: "=", Result.LOSS: "LOSS", Result.OVER: "over"}
_FEW = 5  # lines listed of one lost bout
_WIDTH = 300  # characters of a line that are shown


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one log.

    Attributes:
        name: Of the log.
        is_json: Whether it is one JSON document, which ours leaves valid.
        before: Its reader tokens.
        rare: Its rare lines.
        errors: Distinct error templates in it.
        unchanged: Rivals that gave it back as it was.
        its: How they compare.
    """

    name: str
    is_json: bool
    before: int
    rare: tuple[str, ...]
    errors: int
    unchanged: tuple[str, ...]
    its: Contest

    def against(self, rival: str) -> Bout | None:
        """How it went against one rival; None if that failed."""
        return next((bout for bout in self.its.bouts if bout.rival == rival), None)


def log_tables(outcomes: Sequence[Outcome], rivals: Sequence[str]) -> str:
    """Each log: ours, and each rival's share, ours at the same tokens, and how that went."""
    equal, whole = [], []
    for o in outcomes:
        ours = o.its.ours
        cells = [f"{ours.share:.3f}", f"{ours.tokens / o.before:.3f}", str(len(ours.errors_lost))]
        bouts = [o.against(rival) for rival in rivals]
        counts = [str(o.before), str(len(o.rare)), str(o.errors), f"{o.its.possible:.3f}"]
        equal.append([o.name, *counts, *cells, *(_bout(bout, o.before) for bout in bouts)])
        whole.append([o.name, *(_whole(bout, o.before) for bout in bouts)])
    head = ["log", "tokens", "rare", "errors", "possible", "ours", "of tokens", "errors lost", *rivals]
    return "\n".join(
        [
            "Share of rare lines: theirs / ours at equal tokens (these as a share of the log's); * theirs cut to",
            "its head and tail; + ours is higher, = equal, over: not lower, but pins keep ours above the tokens.",
            "possible: the share that the tokens could hold if only the shortest rare lines were kept.",
            _table(head, equal),
            "Each as it comes: share of rare lines (of tokens)",
            _table(["log", *rivals], whole),
        ]
    )


def mean_table(outcomes: Sequence[Outcome], rivals: Sequence[str]) -> str:
    """Each rival over all logs: means over those that have rare lines, errors over all."""
    head = ["rival", "as it comes", "of tokens", "errors lost", "unchanged", "failed", "at equal tokens"]
    head += ["anywhere", "errors lost", "ours", "anywhere", "errors lost", *Result]
    body = []
    for rival in rivals:
        every = [(o, bout) for o in outcomes if (bout := o.against(rival))]
        some = [(o, bout) for o, bout in every if o.rare]
        if not some:
            body.append([rival, *["-"] * (len(head) - 1)])
            continue
        results = Counter(bout.result for _, bout in some)
        body.append(
            [
                rival,
                f"{fmean(bout.whole.share for _, bout in some):.3f}",
                f"{fmean(bout.whole.tokens / o.before for o, bout in some):.3f}",
                str(sum(len(bout.whole.errors_lost) for _, bout in every)),
                str(sum(rival in o.unchanged for o in outcomes)),
                str(len(outcomes) - len(every)),
                *_means([bout.theirs for _, bout in some], [bout.theirs for _, bout in every]),
                *_means([bout.ours for _, bout in some], [bout.ours for _, bout in every]),
                *(str(results[result]) for result in Result),
            ]
        )
    return "\n".join(
        [
            "Mean over the logs with rare lines; errors lost: distinct templates, summed over all logs;",
            "anywhere: also what stands inside a longer line.",
            _table(head, body),
        ]
    )


def figures(outcomes: Sequence[Outcome], rivals: Sequence[str]) -> dict[str, Any]:
    """The means of `mean_table` as JSON: ours as it is, and against each rival at equal tokens."""
    against = {rival: [b for o in outcomes if o.rare and (b := o.against(rival))] for rival in rivals}
    return {
        "logs": len(outcomes),
        "share": fmean([o.its.ours.share for o in outcomes if o.rare] or [1.0]),
        "errors": sum(o.errors for o in outcomes),
        "errors_lost": sum(len(o.its.ours.errors_lost) for o in outcomes),
        "results": Counter(bout.result for o in outcomes for bout in o.its.bouts),
        "rivals": {
            rival: {
                "theirs": fmean(bout.theirs.share for bout in bouts),
                "ours": fmean(bout.ours.share for bout in bouts),
                "errors_lost": sum(len(b.theirs.errors_lost) for o in outcomes if (b := o.against(rival))),
            }
            for rival, bouts in against.items()
            if bouts
        },
    }


def verdict(outcomes: Sequence[Outcome]) -> tuple[bool, str]:
    """Whether ours is on average higher than every rival at equal tokens and loses no error.

    Said are the single logs in which it is lower as well.
    """
    bouts = [(o, bout) for o in outcomes for bout in o.its.bouts]
    results = Counter(bout.result for _, bout in bouts)
    lower = [f"lower: {o.name}, {b.rival} {_bout(b, o.before)}" for o, b in bouts if b.result is Result.LOSS]
    lost = [f"error lost: {o.name}: {name}" for o in outcomes for name in o.its.ours.errors_lost]
    behind = [f"behind on average: {rival}" for rival in dict.fromkeys(b.rival for _, b in bouts) if _behind(bouts, rival)]
    names = len({o.name for o, b in bouts if b.result is Result.LOSS})
    mean = fmean([o.its.ours.share for o in outcomes if o.rare] or [1.0])
    said = (
        f"{len(outcomes)} logs: ours keeps {mean:.3f} of their rare lines and loses {len(lost)} error templates."
        f" At equal tokens it is {results[Result.WIN]} times higher, {results[Result.TIE]} equal,"
        f" {results[Result.OVER]} over, {results[Result.LOSS]} lower, in {names} logs."
    )
    return not (behind or lost), "\n".join([*lower, *behind, *lost, said])


def _behind(bouts: Sequence[tuple[Outcome, Bout]], rival: str) -> bool:
    its = [bout for o, bout in bouts if bout.rival == rival and o.rare]
    return bool(its) and fmean(b.ours.share for b in its) <= fmean(b.theirs.share for b in its)


def missed(outcomes: Sequence[Outcome], most: int) -> str:
    """Rare lines that ours lost and rivals kept at no more tokens: those that most of them kept first.

    Then, for each bout that ours lost with fewer tokens, some of the lines that made the difference.
    """
    every = [(o.name, one) for o in outcomes for one in o.its.missed]
    every.sort(key=lambda pair: -len(pair[1].kept_by))
    parts = [f"{o.name}: {len(o.its.missed)} of {len(o.rare)} missed" for o in outcomes if o.its.missed]
    for name, one in every[:most]:
        parts.append(f"\n{name}, {one.of_template} of its template, kept by {', '.join(one.kept_by)}")
        parts.append(f"    {one.row[:_WIDTH]}")
    for o in outcomes:
        for bout in o.its.bouts:
            parts += _lost_bout(o, bout) if bout.result is Result.LOSS else ()
    return "\n".join(parts) + "\n"


def _lost_bout(o: Outcome, bout: Bout) -> Iterator[str]:
    kept = zip(o.rare, bout.theirs.rare, bout.ours.rare, strict=True)
    rows = [row for row, theirs, ours in kept if theirs and not ours]
    yield f"\n{o.name}, {bout.rival} {_bout(bout, o.before)}: {len(rows)} that ours has not"
    yield from (f"    {row[:_WIDTH]}" for row in rows[:_FEW])


def _bout(bout: Bout | None, before: int) -> str:
    if bout is None:
        return "failed"
    theirs = f"{bout.theirs.share:.2f}{'*' if bout.cut else ''}"
    return f"{theirs} / {bout.ours.share:.2f} ({bout.allowed / before:.2f}) {MARKS[bout.result]}"


def _whole(bout: Bout | None, before: int) -> str:
    return f"{bout.whole.share:.2f} ({bout.whole.tokens / before:.2f})" if bout else "failed"


def _means(some: Sequence[Left], every: Sequence[Left]) -> list[str]:
    shares = (fmean(one.share for one in some), fmean(one.share_within for one in some))
    return [*(f"{share:.3f}" for share in shares), str(sum(len(one.errors_lost) for one in every))]


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *body)]
    return "\n".join(["", *lines, ""])
