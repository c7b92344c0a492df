"""Four ways to put a history into words, and what their figures say."""

import pytest
from messages import Json, assistant, call, result, system, user

from elision.compaction.compact.every_text import every_text
from elision.compaction.compact.types import Means
from elision.compaction.counting import count
from elision.compaction.prices.lookup import price_of
from elision.compaction.prices.situation import Situation
from elision.compaction.store import NoStore
from elision.compaction.summary.types import Failure, SummaryCall, SummaryFailed, SummaryReply
from elision.compaction.tokens import counter
from elision.training.evaluation.lead_writer import LeadWriter
from elision.training.evaluation.planted import Kind, survivors
from elision.training.evaluation.planted_facts import facts
from elision.training.evaluation.summary_arms import Arm, Outcome, Story, outcome, story
from elision.training.evaluation.summary_report import added, figures, promises, sentence
from elision.training.transcripts.types import Transcript

COUNTER = counter()
FACTS = facts(0, dict.fromkeys(Kind, 1))
TOKENS = 500
SITUATION = Situation(price_of("claude-sonnet-4-5"))


def head(tokens: int = 2000) -> Story:
    said: list[Json] = [system("Be brief."), user("Make the tests pass.")]
    for number in range(100):
        said.append(call(f"c{number}", "bash", {"command": f"pytest part{number}"}))
        said.append(result(f"c{number}", f"{number} passed\n" * 60))
        said.append(assistant(f"Part {number} passes."))
    return story(Transcript("t", "", "", tuple(said)), FACTS, tokens, COUNTER, 0)


def means(writer: object = LeadWriter(COUNTER, TOKENS)) -> Means:
    return Means(COUNTER, NoStore(), writers=[writer])  # type: ignore[list-item]


def test_a_story_has_all_facts_and_about_the_tokens_it_may_have() -> None:
    its = head()

    assert survivors(FACTS, every_text(its.conversation)) == {one.id for one in FACTS}
    assert 1500 < count(its.conversation, COUNTER).total <= 2020
    assert all(message.role != "system" for message in its.conversation.messages)


@pytest.mark.parametrize("arm", Arm)
def test_no_way_takes_more_tokens_than_another_may(arm: Arm) -> None:
    its = outcome(arm, head(), TOKENS, means(), SITUATION)

    assert not its.failed
    assert 0 < its.tokens <= TOKENS
    assert its.beside <= its.alive
    assert its.invented == ()


def test_with_pins_goals_and_constraints_are_told_whoever_writes() -> None:
    for arm in (Arm.PINNED, Arm.EXTRACTIVE):
        assert {"goal-1", "constraint-1"} <= outcome(arm, head(), TOKENS, means(), SITUATION).pinned


def test_without_pins_none_is_counted_as_pinned() -> None:
    for arm in (Arm.NAIVE, Arm.TEMPLATE):
        assert outcome(arm, head(), TOKENS, means(), SITUATION).pinned == frozenset()


class Inventor:
    """Makes up a path, or fails."""

    name, window = "inventor", 100_000

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails

    def __call__(self, call: SummaryCall) -> SummaryReply:
        if self.fails:
            raise SummaryFailed(Failure.TIMEOUT, "too slow")
        return SummaryReply("It changed src/invented/nowhere.py.")


def test_what_a_naive_summary_makes_up_is_counted_and_a_failure_is_told() -> None:
    assert outcome(Arm.NAIVE, head(), TOKENS, means(Inventor()), SITUATION).invented == (
        "src/invented/nowhere.py",
    )
    assert "too slow" in outcome(Arm.NAIVE, head(), TOKENS, means(Inventor(fails=True)), SITUATION).failed


def test_pins_that_do_not_fit_are_told_too() -> None:
    assert outcome(Arm.PINNED, head(), 60, means(), SITUATION).failed


def told(alive: set[str], pinned: set[str] = frozenset(), **more: object) -> Outcome:  # type: ignore[assignment]
    return Outcome(100, frozenset(alive), frozenset(alive - pinned), frozenset(pinned), (), "llm", **more)  # type: ignore[arg-type]


def test_figures_are_means_over_all_facts_and_what_failed_tells_none() -> None:
    stories = [head(), head()]
    its = figures(stories, [told({"goal-1"}), told(set(), failed="no")])

    assert its.survival["goal"] == 0.5 and its.survival["file"] == 0.0
    assert (its.tokens, its.failed, its.by) == (100, 1, {"llm": 1})


def test_what_an_llm_adds_is_told_by_the_facts_that_no_pin_tells() -> None:
    llm, rule = told({"goal-1", "file-1"}, {"goal-1"}), told({"goal-1"}, {"goal-1"})
    by_llm, by_rule, facts_left = added([head()], [llm], [rule])

    assert by_llm == pytest.approx(1 / 6)
    assert (by_rule, facts_left) == (0.0, 6)
    assert sentence("LLM", by_llm, by_rule, 6, 0, 1).startswith("The LLM adds facts over extractive only:")
    assert sentence("LLM", 0.1, 0.2, 6, 1, 3).startswith(
        "The LLM adds nothing over extractive only, and loses some"
    )
    assert "in 1 of 3 stories its words were refused" in sentence("LLM", 0.1, 0.2, 6, 1, 3)
    assert "nothing shows" in sentence("LLM", 0.0, 0.0, 0, 0, 1)


def test_a_lost_constraint_breaks_the_promise() -> None:
    everything = {one.id for one in FACTS}
    kept = {arm: figures([head()], [told(everything)]) for arm in Arm}
    lost = kept | {Arm.PINNED: figures([head()], [told(everything - {"constraint-1"})])}

    assert promises(kept) == []
    assert promises(lost) == ["100% of constraint facts are lost with pins"]
