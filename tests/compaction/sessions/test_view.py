"""Small stories of a session, and what is read of it after each."""

import pytest
from session_logs import HEAD, PlainLogs, appended, said, texts

from elision.compaction.conversation import Format
from elision.compaction.sessions.errors import BadEvent, CompactionRunning, DoubledId, StaleLog
from elision.compaction.sessions.types import (
    Appended,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Configured,
    Edited,
    Entry,
    Event,
    Inserted,
    Item,
    Kept,
    RolledBack,
    Undone,
)
from elision.compaction.sessions.view import SessionView, behind, originals, view


class Story:
    """A session told event by event."""

    def __init__(self, *events: Event) -> None:
        self.logs = PlainLogs()
        self.then(*events)

    def then(self, *events: Event) -> "Story":
        self.logs.append("t", "s", events)
        return self

    def compacted(self, id: str, *items: Item) -> "Story":
        base = len(self.events)
        return self.then(CompactionStarted(id, base, at=base), Compacted(id, base, items))

    @property
    def events(self) -> tuple[Event, ...]:
        return self.logs.read("t", "s")

    @property
    def view(self) -> SessionView:
        return view(self.events)


def test_an_empty_log_is_an_empty_list() -> None:
    assert view([]).body() == "[]"
    assert originals([]) == ()


def test_the_view_of_a_session_is_what_was_appended_in_its_head() -> None:
    story = Story(
        HEAD, Appended((Entry("", '{"n": 1e0}'), Entry("x", '{"n":2}'))), Appended((Entry("", "{}"),))
    )

    assert story.view.body() == '{"model": "m", "messages": [{"n": 1e0}, {"n":2}, {}], "temperature": 1e0}'
    assert story.view.ids == ("m0", "x", "m2")


def test_a_start_without_an_end_changes_nothing() -> None:
    story = Story(HEAD, appended("a"))
    before = story.view

    assert story.then(CompactionStarted("c", 2)).view == before


def test_messages_appended_while_a_compaction_runs_stand_behind_its_result() -> None:
    story = Story(appended("a", "b"), CompactionStarted("c", 1), appended("late"))
    story.then(Compacted("c", 1, (said("sum", "m0"), Edited("m1", '{"b": 1}'))))

    assert story.view.messages[1] == '{"b": 1}'
    assert [texts(story.view)[n] for n in (0, 2)] == ["sum", "late"]
    assert story.view.ids == ("c/0", "m1", "m2")


def test_undoing_brings_back_what_was_covered_and_keeps_what_came_later() -> None:
    story = Story(HEAD, appended("a", "b"))
    before = story.view.body()
    story.compacted("c", said("sum", "m0", "m1"))

    assert story.then(Undone("c")).view.body() == before

    story.compacted("d", said("sum", "m0"), Kept("m1")).then(appended("late")).then(Undone("d"))
    assert texts(story.view) == ["a", "b", "late"]


def test_undoing_takes_later_compactions_with_it() -> None:
    story = Story(appended("a", "b")).compacted("c", said("one", "m0"), Kept("m1")).then(appended("d"))
    story.compacted("e", said("two", "c/0", "m1"), Kept("m2"))

    assert texts(story.view) == ["two", "d"]
    assert texts(Story(*story.events).then(Undone("e")).view) == ["one", "b", "d"]
    assert texts(Story(*story.events).then(Undone("c")).view) == ["a", "b", "d"]
    assert texts(Story(*story.events).then(Undone("c"), RolledBack(len(story.events))).view) == ["two", "d"]


def test_a_rollback_over_a_compaction_restores_the_summary_before_it() -> None:
    story = Story(appended("a")).compacted("c", said("one", "m0")).then(appended("b", "d"))
    story.compacted("e", said("two", "c/0", "m1", "m2")).then(appended("f"))

    assert texts(story.then(RolledBack("m1")).view) == ["one", "b"]
    assert texts(story.then(appended("other")).view) == ["one", "b", "other"]
    assert [entry.id for entry in originals(story.events)] == ["m0", "m1", "m4"]
    assert texts(story.then(RolledBack(0)).view) == []


def test_a_message_that_was_rolled_back_can_be_sent_again_and_its_id_is_free() -> None:
    story = Story(Appended((Entry("x", "{}"), Entry("y", '{"n": 1}')))).then(RolledBack("x"))

    story.then(Appended((Entry("y", '{"n": 2}'),)))

    assert story.view.messages == ("{}", '{"n": 2}')


def test_what_is_sent_again_is_there_once() -> None:
    first = Appended((Entry("x", "{}"), Entry("y", "{}")))
    story = Story(first).then(first, Appended((Entry("y", "{}"), Entry("z", "{}"), Entry("z", "{}"))))

    assert story.view.ids == ("x", "y", "z")
    with pytest.raises(DoubledId, match="'x'"):
        story.then(Appended((Entry("x", "{ }"),)))
    with pytest.raises(DoubledId, match="'v'"):
        story.then(Appended((Entry("v", "{}"), Entry("v", "{ }"))))


def test_what_a_compaction_edited_or_inserted_is_known_when_a_client_sends_it_back() -> None:
    story = Story(appended("a", "b")).compacted("c", said("sum", "m0"), Edited("m1", '{"b": 1}'))
    seen = story.view

    story.then(Appended(tuple(Entry(shown.id, shown.raw) for shown in seen.items)))

    assert story.view == seen


def test_an_id_that_was_given_by_position_avoids_the_callers() -> None:
    assert Story(Appended((Entry("m1", "{}"), Entry("", "{}")))).view.ids == ("m1", "m2")


def test_two_compactions_of_one_view_do_not_both_count() -> None:
    story = Story(appended("a", "b"), CompactionStarted("c", 1, 10, at=0))
    with pytest.raises(CompactionRunning, match="compaction c is under way"):
        story.then(CompactionStarted("d", 1, at=9))
    story.then(CompactionStarted("d", 1, at=10))
    story.then(Compacted("d", 1, (said("first", "m0"), Kept("m1"))))

    with pytest.raises(StaleLog, match="event 1"):
        story.then(Compacted("c", 1, (said("second", "m0"), Kept("m1"))))

    assert texts(story.view) == ["first", "b"]


@pytest.mark.parametrize("between", [RolledBack("m0"), Undone("c")])
def test_a_compaction_of_a_view_that_is_no_more_is_stale(between: Event) -> None:
    story = Story(appended("a", "b")).compacted("c", said("one", "m0"), Kept("m1"))
    story.then(CompactionStarted("d", 3), between)

    with pytest.raises(StaleLog):
        story.then(Compacted("d", 3, (said("two", "c/0", "m1"),)))
    with pytest.raises(StaleLog):
        story.then(CompactionStarted("e", 3, at=1e9))
    assert story.then(CompactionFailed("d", "stale")).view == story.view


def test_a_new_head_does_not_make_a_compaction_stale() -> None:
    story = Story(HEAD, appended("a", "b"), CompactionStarted("c", 2))
    other = Configured(Format.OPENAI_CHAT, '{"messages": [], "model": "n"}')

    story.then(other, Compacted("c", 2, (said("sum", "m0", "m1"),)))

    assert story.view.body() == '{"messages": [{"role": "user", "content": "sum"}], "model": "n"}'


def test_one_that_is_not_valid_is_on_record_and_changes_nothing() -> None:
    story = Story(appended("a"), CompactionStarted("c", 1))

    story.then(Compacted("c", 1, (said("a much longer one", "m0"),), invalid="inflated"))

    assert texts(story.view) == ["a"]
    assert story.view.compactions == ()


def test_what_stands_behind_a_summary_of_a_summary_is_found() -> None:
    story = Story(appended("a", "b", "d")).compacted("c", said("one", "m0"), Kept("m1"), Kept("m2"))
    story.compacted("e", said("two", "c/0", "m1"), Edited("m2", "{}"))

    assert [entry.id for entry in behind(story.events, ["e/0"])] == ["m0", "m1"]
    assert [entry.raw for entry in behind(story.events, ["m2"])] == ['{"role": "user", "content": "d"}']
    with pytest.raises(BadEvent, match="no message 'c/0'"):
        behind(story.events, ["c/0"])


BAD: list[tuple[Event, str]] = [
    (Compacted("c", 1, (Kept("m9"),)), "no message 'm9'"),
    (Compacted("c", 1, (Kept("m1"), Kept("m0"))), "no message 'm0', or not in this place"),
    (Compacted("c", 1, (Kept("m0"), Kept("m0"))), "no message 'm0', or not in this place"),
    (Compacted("c", 1, ()), "must leave something"),
    (Compacted("c", 1, (said("sum", "m9"),)), "no message 'm9' to be covered"),
    (Compacted("c", 1, (Inserted("{}", (), "m0"),)), "'m0' is taken"),
    (Compacted("c", 1, (Inserted("{}", (), "i"), Inserted("{}", (), "i"))), "'i' is taken"),
    (Compacted("c", 1, (Inserted("{}", (), "m2"),)), "'m2' is taken"),
    (Compacted("c", 1, (Inserted("{", ()),)), "not JSON"),
    (Compacted("c", 1, (Edited("m0", "[]"),)), "no JSON object"),
    (Compacted("c", 0, (Kept("m0"),)), "was started on event 1, not 0"),
    (Compacted("d", 1, (Kept("m0"),)), "'d' is not under way"),
    (CompactionFailed("d", "x"), "'d' is not under way"),
    (CompactionStarted("c", 1, at=1e9), "a compaction 'c' before"),
    (CompactionStarted("e", 99, at=1e9), "no event 99"),
    (Undone("c"), "'c' is not in effect"),
    (RolledBack("m9"), "no message 'm9'"),
    (RolledBack(99), "no event 99, its last is 3"),
    (RolledBack(-1), "no event -1"),
    (Appended((Entry("", "not json"),)), "not JSON"),
    (Appended((Entry("", '"text"'),)), "no JSON object"),
    (Configured(Format.ANTHROPIC, '{"messages": []}'), "cannot become anthropic"),
    (Configured(Format.OPENAI_CHAT, '{"messages": [{}]}'), "not empty"),
    (Configured(Format.OPENAI_CHAT, '{"model": "m"}'), "has no messages"),
    (Configured(Format.OPENAI_RESPONSES, '{"input": "x"}'), "has no list input"),
    (Configured(Format.OPENAI_CHAT, "{"), "not JSON"),
    (Configured(Format.TEXT, "x"), "a text has no messages"),
]


@pytest.mark.parametrize(("event", "why"), BAD, ids=[why for _, why in BAD])
def test_what_contradicts_the_log_is_refused_and_changes_nothing(event: Event, why: str) -> None:
    story = Story(appended("a", "b"), CompactionStarted("c", 1), appended("d"))
    if isinstance(event, Configured):
        story = Story(HEAD, appended("a"))
    before = story.events

    with pytest.raises(BadEvent, match=why):
        story.then(event)

    assert story.events == before


def test_a_log_with_a_hole_is_no_log() -> None:
    events = Story(appended("a"), appended("b")).events

    with pytest.raises(BadEvent, match="event 2 cannot follow event 0"):
        view(events[1:])
    with pytest.raises(BadEvent, match="is there already"):
        view([events[0], Appended(events[0].messages, seq=2)])  # type: ignore[union-attr]
    with pytest.raises(BadEvent, match="two messages have one id"):
        view([Appended((Entry("x", "{}"), Entry("x", "{}")), seq=1)])


def test_a_rollback_to_before_a_change_of_format_is_refused() -> None:
    story = Story(HEAD, Configured(Format.GEMINI, '{"contents": []}'), appended("a"))

    with pytest.raises(BadEvent, match="at 1 the format was openai_chat"):
        story.then(RolledBack(1))


def test_a_fork_begins_with_the_view_of_its_parent_and_can_undo_what_that_did() -> None:
    story = Story(appended("a", "b")).compacted("c", said("one", "m0"), Kept("m1"))
    story.then(CompactionStarted("d", 3), appended("later"))

    story.logs.fork("t", "s", "child", 5.0, 4)
    del story.logs.logs["t", "s"]

    assert texts(view(story.logs.read("t", "child"))) == ["one", "b"]
    with pytest.raises(BadEvent, match="'d' is not under way"):
        story.logs.append("t", "child", [Compacted("d", 3, (Kept("c/0"),))])
    story.logs.append("t", "child", [Undone("c")])
    assert texts(view(story.logs.read("t", "child"))) == ["a", "b"]


def test_a_long_log_is_played() -> None:
    story: list[Event] = []
    shown: tuple[str, ...] = ()
    for n in range(1000):
        base = len(story)
        story.append(Appended((Entry(f"x{n}", '{"content": "' + "y" * 1000 + '"}'),), seq=base + 1))
        shown += (f"x{n}",)
        if n % 10 == 9:
            story.append(CompactionStarted(f"c{n}", base + 1, at=n, seq=base + 2))
            story.append(Compacted(f"c{n}", base + 1, (Inserted("{}", shown, f"c{n}/0"),), seq=base + 3))
            shown = (f"c{n}/0",)

    assert view(story).ids == ("c999/0",)
    assert len(behind(story, ["c999/0"])) == 1000
