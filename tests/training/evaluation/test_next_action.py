"""A mention counts only when it stands whole, and the agent can have it from nowhere else."""

import pytest

from elision.training.evaluation.next_action import (
    Haystack,
    Mention,
    Sort,
    bootstrap,
    common_words,
    means_by,
    mentions,
    needed,
    supported,
)
from elision.training.transcripts.outputs import ToolOutput


def texts(found: set[Mention], sort: Sort) -> set[str]:
    return {mention.text for mention in found if mention.sort is sort}


def output(text: str, *later: str, earlier: str = "") -> ToolOutput:
    return ToolOutput("t#1", "t", text, "", "", "", earlier, later)


def test_paths_identifiers_numbers_and_quotes_are_collected() -> None:
    found = mentions(
        'open src/app/main.py:42, call load_all() and getUser; wait 1500 ms, "not a directory" 3.5 7'
    )

    assert "src/app/main.py" in texts(found, Sort.PATH)
    assert {"load_all", "getUser"} <= texts(found, Sort.IDENTIFIER)
    assert texts(found, Sort.NUMBER) == {"1500", "3.5"}
    assert "not a directory" in texts(found, Sort.PHRASE)


def test_ordinary_words_are_no_identifiers() -> None:
    assert not texts(mentions("Please look again, the Build went fine"), Sort.IDENTIFIER)


def test_three_rare_words_in_a_row_are_a_phrase() -> None:
    said = "because the magical english nanny with one umbrella left"

    found = texts(mentions(said, common_words(["with"] * 20 + ["one"])), Sort.PHRASE)

    assert found == {"magical english nanny"}


@pytest.mark.parametrize(
    ("sort", "item", "text", "there"),
    [
        (Sort.NUMBER, "123", "x=123.", True),
        (Sort.NUMBER, "123", "0.123", False),
        (Sort.NUMBER, "123", "123,456", False),
        (Sort.NUMBER, "123", "1234 then 123", True),
        (Sort.IDENTIFIER, "load_all", "preload_all", False),
        (Sort.IDENTIFIER, "load_all", "(load_all)", True),
        (Sort.PATH, "src/a.py", "./src/a.py:3", True),
        (Sort.PATH, "src/a.py", "src/a.pyc", False),
        (Sort.PHRASE, "magical english nanny", "Magical  English\nnanny.", True),
        (Sort.PHRASE, "magical english nanny", "magical English", False),
    ],
)
def test_a_mention_stands_only_whole_and_between_borders(
    sort: Sort, item: str, text: str, there: bool
) -> None:
    assert Haystack(text).has(Mention(sort, item)) is there


def test_what_stood_earlier_or_not_here_is_not_needed() -> None:
    said = "use pod_a1 and pod_b2 and pod_c3"
    found = needed(output("pod_a1 pod_b2", said, earlier="pod_b2"), frozenset())

    assert {mention.text for mention in found} == {"pod_a1"}


def test_what_reads_alike_counts_once() -> None:
    found = needed(output("edit dark.json", 'the "dark.json" file dark.json'), frozenset())

    assert [mention.text for mention in found] == ["dark.json"]


def test_support_is_what_still_stands() -> None:
    wanted = {Mention(Sort.NUMBER, "1500"), Mention(Sort.PATH, "src/a.py")}

    assert supported(wanted, "src/a.py") == {Mention(Sort.PATH, "src/a.py")}


def test_the_interval_draws_whole_groups() -> None:
    alone = bootstrap([0.0, 0.0, 1.0], ["a", "a", "a"])

    assert alone[0] == alone[1] == pytest.approx(1 / 3)

    low, high = bootstrap([0.0] * 5 + [1.0] * 5, [str(i) for i in range(10)])

    assert 0 < low < 0.5 < high < 1


def test_each_kind_of_transcript_has_its_own_mean() -> None:
    assert means_by(["web", "sql", "web"], [1.0, 0.25, 0.0]) == {"sql": 0.25, "web": 0.5}
