"""What chains of compactions say about policies: survival after so many passes, tokens, cost, and a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from elision.compaction.prices.verdict import Decision
from elision.training.evaluation.chain import TOO_SMALL, Counted, Pass
from elision.training.evaluation.planted import Kind

OURS = "elision"
AFTER = (1, 3, 10, 30)
CLAIMED = (Kind.CONSTRAINT, Kind.GOAL, Kind.FILE)


@dataclass(frozen=True, slots=True)
class Row:
    """One policy.

    Attributes:
        survival: Share of the facts alive, by kind and by the number of passes they have lived through.
        tokens: Of the view, mean over all passes.
        after: Of the view, after each number of passes that is reported.
        passes: How many there were, in the longest chain.
        total: How many there were in all chains together.
        compacted: In how many of these messages went.
        failed: In how many the pins did not fit into the target.
        over: After how many the view was over what the window leaves for input.
        invalid: After how many a provider would have refused the view.
        calls, input_tokens, output_tokens, cost: What the writer took.
    """

    survival: dict[str, dict[int, float]]
    tokens: float
    after: dict[int, int]
    passes: int
    total: int
    compacted: int
    failed: int
    over: int
    invalid: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float


def row(chains: Sequence[Sequence[Pass]], writer: Counted, usable: int, marks: Sequence[int] = AFTER) -> Row:
    """What the chains of one policy come to.

    Args:
        usable: Tokens that the window leaves for input.
        marks: Numbers of passes that are reported.
    """
    passes = [one for chain in chains for one in chain]
    shares = {kind: {mark: _share(passes, kind, mark) for mark in marks} for kind in Kind}
    after = {mark: [one.after for one in passes if one.number == mark] for mark in marks}
    return Row(
        survival={
            kind.value: {mark: share for mark, share in its.items() if share is not None}
            for kind, its in shares.items()
        },
        tokens=fmean(one.after for one in passes) if passes else 0.0,
        after={mark: round(fmean(tokens)) for mark, tokens in after.items() if tokens},
        passes=max((one.number for one in passes), default=0),
        total=len(passes),
        compacted=sum(one.decision == Decision.COMPACT for one in passes),
        failed=sum(one.decision == TOO_SMALL for one in passes),
        over=sum(one.after > usable for one in passes),
        invalid=sum(not one.valid for one in passes),
        calls=writer.calls,
        input_tokens=writer.input_tokens,
        output_tokens=writer.output_tokens,
        cost=writer.cost,
    )


def kind_of(id: str) -> str:
    """The kind of a fact, from its id."""
    return id.rpartition("/")[2].rpartition("-")[0]


def verdict(rows: Mapping[str, Row]) -> tuple[bool, str]:
    """Whether ours is at least as good as the best other on what is claimed, at equal or fewer tokens; in words.

    It is not if another keeps more of a claimed kind after any number of passes, nor if the best other, the
    one that keeps most of them altogether, has fewer tokens in its view. One whose view was over the window
    more often than not is no other: its requests would have been refused.
    """
    ours = rows[OURS]
    over = sorted(name for name, row in rows.items() if name != OURS and _refused(row))
    others = {name: row for name, row in rows.items() if name not in (OURS, *over)}
    left_out = f"; not compared, for their views are over the window: {', '.join(over)}" if over else ""
    if _refused(ours):
        return False, "no: our own views are over the window"
    if not others:
        return False, f"no other policy to compare with{left_out}"
    better = [
        f"{name} keeps {share:.0%} of {kind.value} after {mark} (ours {its:.0%})"
        for name, other in others.items()
        for kind in CLAIMED
        for mark, share in other.survival[kind.value].items()
        if share > (its := ours.survival[kind.value].get(mark, 0.0))
    ]
    best = max(others, key=lambda name: (_claimed(others[name]), -others[name].tokens))
    said = (
        f"ours {ours.tokens:,.0f} tokens a view, the best other ({best}) {others[best].tokens:,.0f}{left_out}"
    )
    if better:
        return False, f"no: {'; '.join(better)}; {said}"
    if ours.tokens > others[best].tokens:
        return False, f"no: nobody keeps more, but not at equal or fewer tokens; {said}"
    return True, f"yes: nobody keeps more of constraints, goals and files; {said}"


def _share(passes: Sequence[Pass], kind: Kind, mark: int) -> float | None:
    """Of the facts that have lived through so many passes the share alive; None if there is none."""
    alive = [
        id in one.alive
        for one in passes
        for id, born in one.born.items()
        if kind_of(id) == kind and one.number - born + 1 == mark
    ]
    return sum(alive) / len(alive) if alive else None


def _refused(row: Row) -> bool:
    return 2 * row.over > row.total


def _claimed(row: Row) -> float:
    return sum(share for kind in CLAIMED for share in row.survival[kind.value].values())
