"""The sections of a summary are found whatever small liberties a writer took, and written one way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.policies.telling import SectionTable, Summary
from elision.compaction.summary.sections import EMPTY, bare, sections, split_sections, written

TABLES = (
    SectionTable(heading="Goal", ask="What the user wants."),
    SectionTable(heading="Tried & failed", ask="What did not work."),
    SectionTable(heading="Next step", ask="What comes next.", optional=True),
)
MARKDOWN = Summary(sections=TABLES)
XML = Summary(
    sections=(SectionTable(heading="overall_goal", ask="a"), SectionTable(heading="task state", ask="b")),
    style="xml",
)
PROSE = Summary(sections=TABLES, style="prose")
BODIES = st.text(max_size=60) | st.lists(
    st.sampled_from(["- a [m1]", "## Goal", "# x", "</overall_goal>", "<task_state>", "**Goal**", "Goal:"]),
    max_size=4,
).map("\n".join)


def found(text: str, summary: Summary = MARKDOWN) -> list[tuple[str, str]]:
    return [(section.heading, body) for section, body in split_sections(text, summary)]


@pytest.mark.parametrize(
    "text",
    [
        "## Goal\nfix it\n## Tried & failed\nthat\n## Next step\nthis",
        "# Goal\nfix it\n# Tried and Failed:\nthat\n# NEXT STEP\nthis",
        "Here are the notes.\n\n### 1. Goal\nfix it\n### 2. Tried & failed\nthat\n### 3. Next step\nthis",
        "**Goal**\nfix it\n**Tried & failed**:\nthat\n**Next step:**\nthis",
        "**Goal:** fix it\n**Tried & failed:** that\n**Next step:** this",
        "Goal: fix it\nTried and failed: that\nNext step: this",
        "Goal\nfix it\nTried & failed\nthat\nNext step\nthis",
        "## Goal: fix it\n## Tried & failed: that\n## Next step: this",
        "<goal>\nfix it\n</goal>\n<tried_failed>that</tried_failed>\n<next_step>\nthis\n</next_step>",
        "```markdown\n## Goal\nfix it\n## Tried & failed\nthat\n## Next step\nthis\n```",
        "<think>\n## Goal\nno\n</think>\n## Goal\nfix it\n## Tried & failed\nthat\n## Next step\nthis",
        "hm, well</think>\n## Goal\nfix it\n## Tried & failed\nthat\n## Next step\nthis",
        "## Next step\nthis\n## Goal\nfix it\n## Tried & failed\nthat",
        "## Ziel\nfix it\n## Versucht\nthat\n## Nächster Schritt\nthis",
    ],
)
def test_headings_are_found_in_whatever_form_they_are_written(text: str) -> None:
    assert found(text) == [("Goal", "fix it"), ("Tried & failed", "that"), ("Next step", "this")]


def test_what_is_not_there_is_not_found() -> None:
    assert found("## Goal\nfix it") == [("Goal", "fix it")]
    assert found("I cannot help with that.") == found("") == []


def test_a_heading_that_nobody_asked_for_stays_in_its_section() -> None:
    assert found("## Goal\nfix it\n### Done\nhalf\n## Remarks\nnone") == [
        ("Goal", "fix it\n### Done\nhalf\n## Remarks\nnone")
    ]


def test_a_heading_that_comes_again_goes_on_with_its_section() -> None:
    assert found("## Goal\na\n## Next step\nb\n## Goal\nc") == [("Goal", "a\nc"), ("Next step", "b")]


def test_a_label_in_a_section_is_no_heading_where_headings_have_marks() -> None:
    assert found("## Goal\nfix it\nNext step: none yet") == [("Goal", "fix it\nNext step: none yet")]


def test_tags_are_headings_and_what_stands_around_them_is_not_read() -> None:
    text = "<state_snapshot>\n<overall_goal>\nfix it\n</overall_goal>\nchatter\n<task_state>\ndone\n</task_state>\n</state_snapshot>"

    assert found(text, XML) == [("overall_goal", "fix it"), ("task state", "done")]


def test_running_text_is_one_section() -> None:
    assert found("I asked you to fix it.", PROSE) == [("", "I asked you to fix it.")]
    assert found("  ", PROSE) == []


def test_a_section_that_code_fills_is_not_asked_for() -> None:
    filled = SectionTable(heading="Files", ask="x", by_code=True)

    assert [one.heading for one in sections(Summary(sections=(*TABLES, filled), pins=True))] == [
        table.heading for table in TABLES
    ]
    assert len(sections(Summary(sections=(*TABLES, filled), pins=False))) == 4


def test_an_empty_section_says_so() -> None:
    assert written([(section, "") for section in sections(MARKDOWN)[:1]], MARKDOWN) == f"## Goal\n{EMPTY}"


def test_thinking_aloud_that_never_ends_leaves_nothing() -> None:
    assert bare("<think>\nI should write") == ""


def test_a_tag_of_thinking_inside_a_section_takes_nothing_with_it() -> None:
    assert bare("## Goal\nstrip\n</think>\nfrom replies") == "## Goal\nstrip\n</think>\nfrom replies"


@pytest.mark.law
@pytest.mark.parametrize("summary", [MARKDOWN, XML])
@given(st.lists(BODIES, min_size=3, max_size=3))
def test_what_is_written_has_all_its_sections_and_reads_the_same_again(
    summary: Summary, bodies: list[str]
) -> None:
    text = written(list(zip(sections(summary), bodies, strict=False)), summary)
    read = split_sections(text, summary)

    assert [section for section, _ in read] == list(sections(summary))
    assert written(read, summary) == written(split_sections(written(read, summary), summary), summary)


@pytest.mark.law
@given(st.text(max_size=300) | BODIES)
def test_any_reply_can_be_read(text: str) -> None:
    for summary in (MARKDOWN, XML, PROSE):
        assert all(section in sections(summary) for section, _ in split_sections(text, summary))
