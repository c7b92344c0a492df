"""What a writer wrote is checked before it takes the place of history."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_writer import GOOD, SETTINGS, SOURCES

from elision.compaction.policies.telling import Summary
from elision.compaction.summary.checks import Checked, check
from elision.compaction.summary.types import Failure, Finish, Source, SummaryReply
from elision.compaction.tokens import counter


def checked(
    text: str, settings: Summary = SETTINGS, prior: str = "", replaced: int = 700, **reply: Any
) -> Checked:
    return check(SummaryReply(text, **reply), SOURCES, settings, prior, replaced, 20, counter())


def goal(*statements: str, settings: Summary = SETTINGS, prior: str = "") -> Checked:
    """A summary that has these statements, and enough true ones for the rest to be believed."""
    true = "\n".join("- The timeout of 30 is passed on wrongly [m4]" for _ in range(3))
    return checked("## Goal\n" + "\n".join(statements) + f"\n## Files\n{true}", settings, prior)


def test_a_good_summary_stays_as_it_is() -> None:
    assert checked(GOOD) == Checked(GOOD)


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("", Failure.EMPTY),
        (" \n\t…\n", Failure.EMPTY),
        ("<think>What should I write? The user wants", Failure.EMPTY),
        ("## Goal\n(none)\n## Files\n- n/a", Failure.EMPTY),
        ("## Goal\n无\n## Files\n- нет", Failure.EMPTY),
        ("I'm sorry, but I can't assist with that.", Failure.REFUSED),
        ("I cannot help with this request.", Failure.REFUSED),
        ("Es tut mir leid, aber dabei kann ich nicht helfen.", Failure.REFUSED),
        ("Je suis désolé, mais je ne peux pas faire cela.", Failure.REFUSED),
        ("Lo siento, pero no puedo ayudar con eso.", Failure.REFUSED),
        ("К сожалению, я не могу с этим помочь.", Failure.REFUSED),
        ("抱歉，我无法协助完成该请求。", Failure.REFUSED),
        ("申し訳ありませんが、お手伝いできません。", Failure.REFUSED),
        ("죄송합니다. 도와드릴 수 없습니다.", Failure.REFUSED),
        ('<tool_call>{"name": "read", "arguments": {"path": "io.c"}}</tool_call>', Failure.TOOL_CALL),
        ('{"name": "read", "arguments": {"path": "io.c"}}', Failure.TOOL_CALL),
        ('```json\n[{"name": "read", "arguments": {}}]\n```', Failure.TOOL_CALL),
        ('<function_calls><invoke name="read">', Failure.TOOL_CALL),
        ("<|python_tag|>read()", Failure.TOOL_CALL),
        ('[TOOL_CALLS] [{"name": "x"}]', Failure.TOOL_CALL),
        ("The work goes well and all is fine.", Failure.MALFORMED),
        (
            "Write:\n## Goal\nWhat the user wants.\n## Files\nWhat was read or changed.\nUse few words.",
            Failure.MALFORMED,
        ),
        ("## Goal\n" + "\ufffd\x00" * 30 + "\n## Files\nx", Failure.MALFORMED),
        ("## Goal\nFix\n## Files\n" + "- the same line\n" * 30, Failure.MALFORMED),
        ("## Goal\nFix\n## Files\n" + "and then again " * 400, Failure.MALFORMED),
        ("## Goal\n" + "word " * 20_000, Failure.MALFORMED),
        ("## Goal\nFix the timeout", Failure.MISSING_SECTION),
    ],
)
def test_what_is_no_summary_is_told_apart(text: str, failure: Failure) -> None:
    assert checked(text).failure is failure and not checked(text).text


@pytest.mark.parametrize(
    ("finish", "failure"),
    [
        (Finish.LENGTH, Failure.CAPPED),
        (Finish.REFUSAL, Failure.REFUSED),
        (Finish.TOOL_CALL, Failure.TOOL_CALL),
    ],
)
def test_why_the_writer_stopped_is_believed(finish: Finish, failure: Failure) -> None:
    assert checked(GOOD, finish=finish).failure is failure


def test_as_many_tokens_as_are_allowed_is_cut_off() -> None:
    assert checked(GOOD, output_tokens=800).failure is Failure.CAPPED


def test_a_summary_about_refusals_is_none() -> None:
    assert not checked(
        GOOD.replace("- Change fetch", "- Sorry, we can't change fetch yet. Change it")
    ).failure


def test_thoughts_and_fences_are_no_part_of_it() -> None:
    assert checked(f"<think>Goal? Files?</think>{GOOD}").text == GOOD
    assert checked(f"```markdown\n{GOOD}\n```").text == GOOD


def test_what_is_not_smaller_with_its_frame_is_inflated() -> None:
    tokens = counter().count(GOOD)

    assert checked(GOOD, replaced=tokens + 20).failure is Failure.INFLATED
    assert not checked(GOOD, replaced=tokens + 21).failure


@pytest.mark.parametrize(
    "invented",
    [
        "- See lib/other.py [m1]",
        "- It was 31 s [m4]",
        "- Commit 9fceb02d0ae598e9 [m2]",
        "- See https://evil.example/x [m2]",
        "- Uses v2.3.4 [m2]",
        "- Call `dropAll` [m2]",
        "- src/app.py has ١٤ lines",
    ],
)
def test_a_statement_with_what_no_source_has_is_cut(invented: str) -> None:
    result = goal("- Fix the timeout [m1]", invented)

    assert result.cut == (invented.removeprefix("- "),) and invented not in result.text and not result.failure


def test_only_the_sentence_is_cut() -> None:
    result = goal("- Fix the timeout [m1]. See lib/other.py. It fails in tests/test_app.py [m5].")

    assert "- Fix the timeout [m1]. It fails in tests/test_app.py [m5]." in result.text.replace(
        "(tool output says) ", ""
    )


def test_a_section_of_which_nothing_is_left_says_so() -> None:
    assert "## Goal\n(none)" in goal("- See lib/other.py").text


def test_more_than_half_made_up_is_not_used() -> None:
    result = checked("## Goal\n- Fix lib/a.py\n- Fix lib/b.py\n- Fix the timeout\n## Files\n- lib/c.py")

    assert result.failure is Failure.INVENTED_IDENTIFIER and set(result.invented) == {
        "lib/a.py",
        "lib/b.py",
        "lib/c.py",
    }


def test_what_the_earlier_summary_has_may_be_said() -> None:
    assert not goal("- The port is 8443 [m77]", prior="- The port is 8443 [m77]").cut
    assert goal("- The port is 8443 [m77]").cut


def test_an_id_that_does_not_exist_is_cut_and_its_statement_stays() -> None:
    result = goal("- Fix the timeout [m1, m99]")

    assert "- Fix the timeout [m1]\n" in result.text and result.cut == ("m99",)


def test_without_checks_statements_stay() -> None:
    loose = SETTINGS.model_copy(update={"check": False})

    assert "lib/other.py" in goal("- See lib/other.py", settings=loose).text


def test_running_text_needs_no_heading() -> None:
    prose = Summary(style="prose", check=True, max_tokens=800)

    assert (
        checked("I asked you to fix the timeout in src/app.py.", prose).text
        == "I asked you to fix the timeout in src/app.py."
    )


def test_a_rule_that_nobody_gave_is_cut() -> None:
    rule = "Hard constraint: never publish to the registry."

    assert goal("- Fix the timeout [m1]", f"- {rule}").cut == (rule,)


def test_a_rule_that_the_user_gave_stays() -> None:
    assert "- You must never touch prod.yaml [m1]" in goal("- You must never touch prod.yaml [m1]").text


def test_calls_in_the_midst_of_a_text_go() -> None:
    call = '<tool_call>{"name": "read"}</tool_call>'
    loose = SETTINGS.model_copy(update={"check": False})

    assert "<tool_call>" not in goal("- Fix the timeout [m1]", call).text
    assert "<tool_call>" not in goal("- Fix the timeout [m1]", call, settings=loose).text


def test_a_text_of_another_length_is_never_read_as_its_heading() -> None:
    assert goal("- Fix the timeout [m1]", "# Files", "- src/app.py [m2]").text.count("## Files") == 1


REPLIES = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(["## Goal\n", "## Files\n", "## Next step\n", *GOOD.splitlines(keepends=True), "- ", "[m9]", "[m1, m9] ",
                         "lib/x.py. ", "never do 17. ", "You must ", "12 passed, 1 failed in 3.5 s ", "\n", "1. ", "```\n",
                         "(tool output says) ", "| a | b |\n", "<tool_call>", "Выполнено. ", "必须删除。", "</think>", "<think>"]),
        max_size=30,
    ).map("".join),
)  # fmt: skip


@pytest.mark.law
@given(REPLIES, st.booleans(), st.sampled_from(["markdown", "xml", "prose"]))
def test_what_passed_passes_again_unchanged(text: str, checks: bool, style: str) -> None:
    settings = SETTINGS.model_copy(update={"check": checks, "style": style})
    first = checked(text, settings)
    again = checked(first.text, settings)

    assert bool(first.text) != bool(first.failure)
    assert first.failure or again == Checked(first.text)


def test_many_sources_and_statements_are_checked() -> None:
    sources = [Source(f"m{n}", "user", f"word{n} is at place{n}. " * 40, n % 2 == 0) for n in range(100)]
    text = (
        "## Goal\n"
        + "\n".join(f"- You must see word{n} [m{n}]" for n in range(100))
        + "\n## Files\n- place1 [m1]"
    )

    assert not check(SummaryReply(text), sources, SETTINGS, "", 50_000, 0, counter()).failure
