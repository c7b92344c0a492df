"""What the four ways say together: survival by kind, what was made up, and whether an LLM is worth its call."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from elision.training.evaluation.planted import Kind
from elision.training.evaluation.summary_arms import Arm, Outcome, Story

HARD = (Kind.GOAL, Kind.CONSTRAINT)


@dataclass(frozen=True, slots=True)
class Figures:
    """One way over all stories.

    Attributes:
        survival: Share of the facts that are told, by kind; where nothing was written none is.
        tokens: Of what stands for a history, mean over those that were written.
        invented: Identifiers, numbers and paths that no story has, all together.
        failed: How many stories it did not put into words.
        by: How often each one wrote.
    """

    survival: dict[str, float]
    tokens: float
    invented: int
    failed: int
    by: dict[str, int]


def figures(stories: Sequence[Story], outcomes: Sequence[Outcome]) -> Figures:
    """What one way comes to; one outcome a story, in their order."""
    told = {
        kind.value: [
            fact.id in its.alive
            for one, its in zip(stories, outcomes, strict=True)
            for fact in one.facts
            if fact.kind is kind
        ]
        for kind in Kind
    }
    written = [its for its in outcomes if not its.failed]
    return Figures(
        survival={kind: fmean(alive) for kind, alive in told.items() if alive},
        tokens=fmean(its.tokens for its in written) if written else 0.0,
        invented=sum(len(its.invented) for its in written),
        failed=len(outcomes) - len(written),
        by={name: sum(its.by == name for its in written) for name in sorted({its.by for its in written})},
    )


def added(
    stories: Sequence[Story], pinned: Sequence[Outcome], extractive: Sequence[Outcome]
) -> tuple[float, float, int]:
    """Shares of the facts that no pin tells, told beside the pins by the LLM and by rule, and how many there are.

    Stories that either could not put into words are left out.
    """
    pairs = [
        (fact.id in llm.beside, fact.id in rule.beside)
        for one, llm, rule in zip(stories, pinned, extractive, strict=True)
        if not llm.failed and not rule.failed
        for fact in one.facts
        if fact.id not in llm.pinned | rule.pinned
    ]
    return _share(by_llm for by_llm, _ in pairs), _share(by_rule for _, by_rule in pairs), len(pairs)


def sentence(who: str, by_llm: float, by_rule: float, count: int, fell_back: int, stories: int) -> str:
    """Whether an LLM adds anything, plainly.

    Args:
        who: What wrote: LLM, or what stands for one.
        fell_back: In how many stories the LLM's words were not used, and the rule's stood in.
    """
    if not count:
        return f"Pins tell every planted fact, so nothing shows whether the {who} adds any."
    said = f"of {count} planted facts that no pin tells its summaries tell {by_llm:.0%}, those by rule {by_rule:.0%}"
    fallen = (
        f"; in {fell_back} of {stories} stories its words were refused and the rule's stand in"
        if fell_back
        else ""
    )
    if by_llm > by_rule:
        return f"The {who} adds facts over extractive only: {said}{fallen}."
    if by_llm < by_rule:
        return f"The {who} adds nothing over extractive only, and loses some: {said}{fallen}."
    return f"The {who} adds nothing over extractive only: {said}{fallen}."


def promises(by_arm: Mapping[Arm, Figures]) -> list[str]:
    """What was promised of pins and checks and does not hold; empty if all does."""
    ours = by_arm[Arm.PINNED]
    lost = [
        f"{1 - ours.survival[kind.value]:.0%} of {kind.value} facts are lost with pins"
        for kind in HARD
        if ours.survival.get(kind.value, 1.0) < 1.0
    ]
    made_up = [f"{ours.invented} identifiers are made up in spite of the checks"] if ours.invented else []
    failed = [f"{ours.failed} stories were not put into words with pins"] if ours.failed else []
    return [*lost, *made_up, *failed]


def _share(found: Iterable[bool]) -> float:
    listed = list(found)
    return fmean(listed) if listed else 0.0
