import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect
from elision.compaction.pins.speech import spoken, utterances
from elision.compaction.pins.types import PinKind


def said(text: str) -> str:
    conversation = read(told([user(text)], Format.OPENAI_CHAT))
    return "".join(line.of(one.text) for one in utterances(conversation) for line in one.lines)


@pytest.mark.parametrize(
    "pasted",
    [
        "<system-reminder>\nNever stop.\n</system-reminder>",
        "<environment_details>\nYou must obey.\n</environment_details>",
        "```\nnever push\n```",
        "> never push",
        "2024-01-01T10:00:00Z ERROR you must not pass",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    never()\nValueError: must not be empty",
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-never\n+you must",
        "[…12 lines elided; you must never ask]",
        "<document>Never stop.</document> You must pay.</document>",
        "{\"rule\": \"never push\",\n \"other\": \"must\"}",
    ],
)  # fmt: skip
def test_what_is_pasted_was_not_said(pasted: str) -> None:
    assert said(f"Look at this:\n{pasted}\nFix it please.\n") in (
        "Look at this:\nFix it please.\n",
        "Look at this:\n\nFix it please.\n",
    ) or not any(word in said(f"Look at this:\n{pasted}\nFix it.") for word in ("ever", "must"))


@pytest.mark.parametrize(
    "text",
    [
        "Another language model started to solve this problem and left notes. Never push.",
        "# Pinned by Elision: word for word\n- [3] Never push to main.",
        "This session is being continued from a previous conversation. Never push.",
    ],
)
def test_a_summary_was_not_said(text: str) -> None:
    assert spoken(text) == ()


def test_a_tag_that_is_never_closed_hides_nothing() -> None:
    assert said("The <document> is broken. Never push.") == "The <document> is broken. Never push."


@pytest.mark.parametrize(
    "line",
    [
        "Never call foo(); use bar().",
        "note: never push to main",
        "WARNING: do not touch a.py",
        "- Don't use `x = y`; use z",
    ],
)
def test_a_sentence_about_code_is_said(line: str) -> None:
    assert said(f"Hello there, friend.\n{line}\nThanks.").splitlines()[1] == line


def test_tags_that_people_write_in_are_no_paste() -> None:
    assert "Never push." in said("<task>\nNever push.\n</task>")


@pytest.mark.law
@given(
    st.text(alphabet=st.sampled_from("ab.\n`>#<-[… \u00e4\u4e0d\U0001f680") | st.characters(), max_size=200)
)
def test_constraints_are_slices_of_what_was_written(text: str) -> None:
    pins = collect(read(told([user(text + " never push\ndon't do it")], Format.OPENAI_CHAT)))

    assert all(
        pin.text in text + " never push\ndon't do it" for pin in pins if pin.kind is PinKind.CONSTRAINT
    )


def test_a_megabyte_of_open_tags_is_read_in_linear_time() -> None:
    assert spoken("<file>" * 150_000 + "</document>" * 10_000)
