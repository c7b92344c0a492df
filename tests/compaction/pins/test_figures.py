import pytest
from messages import assistant, call, result, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect, survey
from elision.compaction.pins.figures import MOST
from elision.compaction.pins.types import HistoryPin, PinKind

Story = dict[str, object]


def figures(*story: Story, carried: tuple[HistoryPin, ...] = ()) -> list[str]:
    pins = collect(read(told(list(story), Format.OPENAI_CHAT)), carried=carried)
    return [pin.text for pin in pins if pin.kind is PinKind.FIGURE]


@pytest.mark.parametrize(
    "said",
    [
        "A cold start takes 812 ms on this machine.",
        "Yesterday the worker stood at 3,411 MiB when it was killed.",
        "The orders table holds 48,213 rows.",
        "The hit rate fell from 91.5% to 37 %.",
        "It costs $1.20, and 14 tokens/s is 40 kB/s.",
        "Der Import dauerte 95 Minuten.",
        "L'import a pris 95 minutes.",
        "Импорт занял 95 минут.",
        "导入耗时95秒。",
        "インポートに95秒かかりました。",
        "가져오는 데 95초 걸렸습니다.",
    ],
)
def test_a_sentence_with_a_measure_is_pinned_word_for_word(said: str) -> None:
    assert figures(user("Go."), assistant(said)) == [said] == figures(user(said))[-1:]


@pytest.mark.parametrize(
    "said",
    [
        "Look at lines 120-140 of app.py.",
        "I read 3 files and 2 tests.",
        "We are on v2.14.1, released on 2026-11-30, and port 8080 is open.",
        "Does it take 40 ms?",
        "The server answered 503.",
        "```\ntook 40 ms\n```",
        "2026-11-30 10:00:01 INFO took 40 ms",
        "x" * 300 + " took 40 ms.",
        "src/12ms/a.py and #40ms are names.",
    ],
)
def test_what_measures_nothing_is_no_figure(said: str) -> None:
    assert figures(user("Go."), assistant(said)) == []


def test_tools_state_no_figures() -> None:
    assert (
        figures(user("Go."), call("c1", "bash", {"command": "time x"}), result("c1", "It took 40 ms.")) == []
    )


def test_a_figure_taken_again_takes_the_place_of_the_first() -> None:
    story = [user("Go."), assistant("A start takes 40 ms."), assistant("A start takes 35 ms.")]

    assert figures(*story) == ["A start takes 35 ms."]


def test_what_is_pinned_as_something_else_is_not_said_twice() -> None:
    said = "Never wait for more than 40 seconds."

    assert figures(user(said)) == []


def test_a_carried_figure_stays_until_it_is_taken_again() -> None:
    first = tuple(collect(read(told([user("Go."), assistant("A start takes 40 ms.")], Format.OPENAI_CHAT))))

    assert figures(user("And?"), carried=first) == ["A start takes 40 ms."]
    assert figures(user("And?"), assistant("A start takes 35 ms."), carried=first) == ["A start takes 35 ms."]


def test_the_newest_stay_and_the_rest_is_counted() -> None:
    names = [f"{chr(97 + at // 26)}{chr(97 + at % 26)}bench" for at in range(MOST + 5)]
    said = "\n".join(f"{name} took 40 ms." for name in names)
    found = survey(read(told([user("Go."), assistant(said)], Format.OPENAI_CHAT)))

    assert [pin.text for pin in found.pins if pin.kind is PinKind.FIGURE][0] == f"{names[5]} took 40 ms."
    assert [len(one.texts) for one in found.left_out] == [5]


@pytest.mark.parametrize(
    "said",
    [
        "Phase 0's names are done.",
        "The colour is r=0, g=215, b=255.",
        "This is 100% a bug of the terminal.",
        "The button starts at `12px`, that is 0.75rem.",
        "Each node lists 32-byte ids.",
        "It is a 10-second check.",
    ],
)
def test_a_number_of_another_word_a_layout_or_a_name_is_no_figure(said: str) -> None:
    assert figures(user("Go."), assistant(said)) == []
