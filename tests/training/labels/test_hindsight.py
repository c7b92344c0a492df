"""What an agent used later ranks above what it did not, and nothing of it is seen beforehand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessions import Message, agent, result, session, user

from elision.training.labels.evidence import Settings, of_session
from elision.training.labels.hindsight import NEVER, label_transcripts, valued
from elision.training.labels.rows import HINDSIGHT, VALUES, LabelRow
from elision.training.labels.terms import Rarity, key_set
from elision.training.transcripts.files import write_transcripts
from elision.training.transcripts.outputs import text_of
from elision.training.transcripts.types import Transcript

NAMES = ("zebra", "quartz", "walrus", "pickle", "gondola", "trumpet", "lantern", "feather", "compass", "marble")
ASKED = user("what is there?")


def line_of(name: str) -> str:
    return f"the {name} was found in it"


def listing(*names: str) -> str:
    return "\n".join(map(line_of, names or NAMES))


def listed(call: str = "c1", text: str | None = None) -> list[Message]:
    return [agent("I look.", **{call: ("list", {})}), result(call, listing() if text is None else text)]


def labelled(messages: list[Message], **others: Any) -> list[LabelRow]:
    return valued(list(of_session(session(messages, **others), Rarity([]))))


def values(messages: list[Message]) -> dict[str, float]:
    """Value of each line of the first output, by its line."""
    row = labelled(messages)[0]
    return {line.span.of(row.text): line.value or 0.0 for line in row.lines}


def ranked(messages: list[Message]) -> list[str]:
    """Names of the listing whose lines were worth more than the least, best first."""
    found = {name: value for name in NAMES if (value := values(messages)[line_of(name)])}
    least = min(found.values())
    return sorted((name for name in found if found[name] > least), key=lambda name: -found[name])


def test_a_line_whose_term_the_agent_uses_next_ranks_above_all_others() -> None:
    assert ranked([ASKED, *listed(), agent("The quartz it is.")]) == ["quartz"]


def test_a_term_that_was_known_counts_less_than_a_new_one() -> None:
    assert ranked([user("where is the zebra?"), *listed(), agent("zebra and quartz")]) == ["quartz", "zebra"]


def test_sooner_counts_more_than_later() -> None:
    assert ranked([ASKED, *listed(), agent("quartz"), agent("zebra"), agent("walrus")]) == ["quartz", "zebra", "walrus"]


def test_an_argument_counts_more_than_talk() -> None:
    assert ranked([ASKED, *listed(), agent("zebra", c2=("read", {"path": "quartz"}))]) == ["quartz", "zebra"]


def test_a_line_written_again_as_a_whole_ranks_first() -> None:
    edit = ("edit", {"old": line_of("walrus"), "new": "zebra quartz"})

    assert ranked([ASKED, *listed(), agent("", c2=edit)])[0] == "walrus"


def test_an_error_counts_once_a_file_was_changed() -> None:
    text = listing() + "\nERROR: disk unplugged\n"
    going = agent("going on")

    edited = values([ASKED, *listed(text=text), agent("", c2=("edit", {"path": "src.c"})), going])
    assert max(edited, key=lambda line: edited[line]).startswith("ERROR")
    assert set(values([ASKED, *listed(text=text), going]).values()) == {NEVER}


def test_the_answer_counts_as_near_however_long_the_session() -> None:
    talk = [agent(f"step {'abcdefgh'[n % 8] * 5}") for n in range(60)]

    assert ranked([ASKED, *listed(), *talk[:50], agent("walrus"), *talk, agent("quartz")]) == ["quartz"]


def test_of_an_output_that_was_never_touched_again_all_lines_are_worth_little() -> None:
    (row,) = labelled([ASKED, *listed(), agent("Fine.")])

    assert [(line.value, line.level, line.kept) for line in row.lines] == [(NEVER, 0, None)] * len(NAMES)


def test_nothing_is_labelled_after_which_the_agent_said_nothing() -> None:
    messages = [ASKED, *listed("c1"), agent("quartz", c2=("list", {})), result("c2", listing()), agent("")]

    assert [row.id for row in labelled(messages)] == ["t#2+0"]
    assert [row.id for row in labelled(messages, answer="zebra")] == ["t#2+0", "t#4+0"]


def test_what_the_agent_said_itself_is_labelled_without_a_query() -> None:
    (row,) = labelled([ASKED, agent(listing()), user("go on"), agent("quartz")])

    assert (row.kind, row.call, row.before, row.task) == ("assistant", "", "", "what is there?")


def test_task_call_and_before_do_not_look_ahead() -> None:
    start = [ASKED, *listed()]

    one, other = labelled([*start, agent("quartz")])[0], labelled([*start, user("zebra!"), agent("zebra", c9=("read", {}))])[0]

    assert (one.task, one.call, one.before) == (other.task, other.call, other.before) == ("what is there?", "list {}", "I look.")
    assert [line.span for line in one.lines] == [line.span for line in other.lines]


WORDS = st.lists(st.sampled_from([*NAMES, "src/Main.java:14", "FooBar", "中文", "\n", "ERROR x failed"]), max_size=40).map(" ".join)
SAID = st.one_of(WORDS.map(agent), WORDS.map(lambda text: agent(None, c=("edit", {"old": text}))))
MESSAGES = st.lists(st.one_of(SAID, WORDS.map(user), WORDS.map(lambda text: result("c", listing() + "\n" + text))), max_size=12)


@pytest.mark.law
@given(MESSAGES)
def test_rows_are_slices_with_values_on_the_scale_of_the_levels(messages: list[Message]) -> None:
    for row in labelled(messages):
        place, start = row.id.removeprefix("t#").split("+")
        assert text_of(messages[int(place)])[int(start) :].startswith(row.text)
        assert (row.origin, row.doc) == (HINDSIGHT, "t")
        for line in row.lines:
            assert line.value is not None and 0 <= line.value <= 1
            assert line.level == int(np.abs(np.array(VALUES) - line.value).argmin())
            assert all(line.start <= span.start < span.stop <= line.end for span in line.kept or ())


def many(sessions: int = 4, outputs: int = 6, lines: int = 200) -> list[Transcript]:
    """Sessions with long outputs of which something is used."""
    made = []
    for number in range(sessions):
        messages = [ASKED]
        for place in range(outputs):
            text = "\n".join(line_of(f"{NAMES[n % 10]}{number}x{place}x{n}") for n in range(lines))
            messages += [*listed(f"c{place}", text), agent(f"{NAMES[place]}{number}x{place}x{place}")]
        made.append(session(messages, f"s{number}", source=f"source{number % 2}"))
    return made


def labels_of(folder: Path, transcripts: list[Transcript], **settings: int) -> list[LabelRow]:
    """Each session in a file of its own, the files in the order given."""
    paths = []
    for transcript in transcripts:
        paths.append(folder / f"{transcript.id}.jsonl")
        write_transcripts(paths[-1], [transcript])
    return label_transcripts(paths, Settings(**settings))


def test_the_same_seed_draws_the_same_and_the_order_of_files_only_orders_rows(tmp_path: Path) -> None:
    rows = labels_of(tmp_path, many())

    assert labels_of(tmp_path, many()) == rows
    assert sorted(labels_of(tmp_path, many()[::-1]), key=lambda row: row.id) == sorted(rows, key=lambda row: row.id)
    assert {row.id for row in labels_of(tmp_path, many(), seed=1)} != {row.id for row in rows}


def test_other_sessions_change_what_lines_are_worth_and_not_which_lines_there_are(tmp_path: Path) -> None:
    alone, among = labels_of(tmp_path, many(1)), labels_of(tmp_path, many(4))

    assert [(row.id, row.text, row.task) for row in alone] == [(row.id, row.text, row.task) for row in among if row.doc == "s0"]


def test_a_long_text_session_or_source_does_not_crowd_out_others(tmp_path: Path) -> None:
    def counts(**settings: int) -> list[int]:
        rows = labels_of(tmp_path, many(), **settings)
        texts = [row.id.split("+")[0] for row in rows]
        groups = texts, [row.doc for row in rows], [row.source for row in rows]
        return [max(map(group.count, group)) for group in groups]

    assert counts() == [2, 12, 24]
    assert counts(per_text=1) == [1, 6, 12]
    assert counts(per_session=2) == [2, 4, 8]
    assert counts(per_source=5)[2] == 5


def test_a_key_of_every_text_tells_nothing_and_one_of_a_single_text_all() -> None:
    rarity = Rarity([key_set("shared alpha"), key_set("shared beta"), key_set("shared beta"), key_set("shared")])

    assert rarity("shared") == 0 < rarity("beta") < rarity("alpha") == rarity("unseen") == 1


def test_a_term_is_found_again_by_its_parts() -> None:
    assert {"foobar.run", "foo", "bar", "run"} <= key_set("FooBar.run")
    assert {"src/main_loop.py:14", "src/main_loop.py", "main", "loop", "src"} & key_set("at src/main_loop.py:14") >= {"main", "loop", "src"}
    assert not key_set("a b 7 , .")
