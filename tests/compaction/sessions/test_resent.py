"""What is new of a history that is sent whole."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_logs import PlainLogs

from elision.compaction.conversation import Format
from elision.compaction.errors import BadConversation, NotJson
from elision.compaction.sessions.bodies import split
from elision.compaction.sessions.errors import HistoryDiffers
from elision.compaction.sessions.resent import Resent, alike, resent, rest
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import (
    Appended,
    Compacted,
    CompactionStarted,
    Entry,
    Event,
    Inserted,
    Item,
    Kept,
    RolledBack,
)

TEXTS = st.lists(st.sampled_from("abc"), max_size=6)


def raw(text: str) -> str:
    return json.dumps({"role": "user", "content": text})


def entries(*texts: str) -> tuple[Entry, ...]:
    return tuple(Entry("", raw(text)) for text in texts)


def timeline(*events: Event) -> Timeline:
    logs = PlainLogs()
    for event in events:
        logs.append("t", "s", [event])
    return Timeline(logs.read("t", "s"))


def compacted(name: str, base: int, *items: Item) -> tuple[Event, Event]:
    return CompactionStarted(name, base, at=base), Compacted(name, base, items, at=base)


def texts(found: tuple[Entry, ...]) -> list[str]:
    return [json.loads(entry.raw)["content"] for entry in found]


@pytest.mark.law
@given(TEXTS, TEXTS)
def test_whoever_sends_everything_again_appends_the_end_alone(old: list[str], new: list[str]) -> None:
    known = timeline(Appended(entries(*old))) if old else Timeline()

    assert texts(rest(known, entries(*old, *new))) == new


@pytest.mark.law
@given(TEXTS, TEXTS)
def test_two_that_send_the_same_at_once_append_it_once(old: list[str], new: list[str]) -> None:
    logs = PlainLogs()
    logs.append("t", "s", [Appended(entries(*old))])
    seen = Timeline(logs.read("t", "s"))
    for _ in range(2):
        logs.append("t", "s", [Appended(rest(seen, entries(*old, *new)))])

    assert texts(Timeline(logs.read("t", "s")).state.appended()) == [*old, *new]


IDS = st.lists(st.sampled_from(["", "", "x", "y", "m0", "m2", "m4"]), max_size=6)


@pytest.mark.law
@given(IDS, IDS, st.booleans())
def test_an_id_that_the_wire_gives_twice_neither_loses_nor_holds_up_a_message(
    old: list[str], new: list[str], other: bool
) -> None:
    """A reference has the id of its item, and some callers count their messages anew."""
    sent = [Entry(id, raw(f"{place} of {id}" if other else "")) for place, id in enumerate([*old, *new])]
    logs = PlainLogs()
    for stop in (len(old), len(sent)):
        seen = Timeline(logs.read("t", "s"))
        for _ in range(2):  # two that send the same at once
            logs.append("t", "s", [Appended(rest(seen, sent[:stop]))])
    there = Timeline(logs.read("t", "s")).state.appended()

    assert [entry.raw for entry in there] == [entry.raw for entry in sent]
    assert {id for id in [*old, *new] if id} <= {entry.id for entry in there}


def test_a_history_goes_on_from_the_view_from_an_earlier_one_or_from_what_came() -> None:
    first = compacted("x", 1, Inserted(raw("S"), ("m0", "m1")), Kept("m2"))
    second = compacted("y", 4, Inserted(raw("T"), ("x/0", "m2")), Kept("m3"))
    known = timeline(Appended(entries(*"abc")), *first, Appended(entries("d")), *second)

    for before in ("Td", "Scd", "abcd"):
        assert texts(rest(known, entries(*before, "e"))) == ["e"]
    with pytest.raises(HistoryDiffers) as differs:
        rest(known, entries(*"Sbcd"))
    assert differs.value.at == 1


def test_of_two_beginnings_the_longer_counts() -> None:
    known = timeline(Appended(entries(*"abc")), *compacted("x", 1, Kept("m0")))

    assert texts(rest(known, entries(*"abcd"))) == ["d"]


def test_what_was_rolled_back_is_no_beginning() -> None:
    known = timeline(Appended(entries(*"ab")), Appended(entries("c")), RolledBack(1))

    assert texts(rest(known, entries(*"abd"))) == ["d"]
    assert [entry.id for entry in rest(known, entries(*"abd"))] == ["m3"]


def named(ids: str) -> tuple[Entry, ...]:
    return tuple(Entry(id, raw(id)) for id in ids)


def session_of_ids() -> Timeline:
    """The messages a to d, of which S stands for a and b."""
    return timeline(
        Appended(named("abcd")), *compacted("x", 1, Inserted(raw("S"), ("a", "b"), "S"), Kept("c"), Kept("d"))
    )


@pytest.mark.parametrize("sent", ["abcdef", "bcdef", "defg", "de", "cd", "d", "Scde", "Scd"])
def test_where_all_have_ids_a_history_may_begin_later(sent: str) -> None:
    known = session_of_ids()
    new = [entry.id for entry in rest(known, named(sent)) if not known.digests(entry.id)]

    assert new == [id for id in sent if id in "efg"]


@pytest.mark.parametrize(
    "sent",
    ["abce", "ade", "dce", "dcba", "bde", "ebcd", "cedf", "efg", "bScde", "aScde"],
    ids="regenerated dropped swapped reversed gap ahead between other mixed both".split(),
)
def test_ids_that_end_no_beginning_are_another_history(sent: str) -> None:
    known = session_of_ids()
    with pytest.raises(HistoryDiffers):
        rest(known, named(sent))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"role": "user", "content": "é"}, {"content": "é", "role": "user"}, True),
        ({"content": "a"}, {"content": [{"type": "text", "text": "a", "cache_control": {}}]}, True),
        ({"content": "a"}, {"content": "b"}, False),
        ({"n": 1}, {"n": True}, False),
        ({"input": {"cache_control": 1}}, {"input": {"cache_control": 2}}, False),
    ],
)
def test_two_messages_are_alike_if_they_say_the_same(one: Any, other: Any, same: bool) -> None:
    assert alike(json.dumps(one), json.dumps(other, indent=2, ensure_ascii=False)) is same


def test_a_message_too_deep_to_be_read_is_alike_to_itself() -> None:
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000

    assert alike(deep, deep) and not alike(deep, deep.replace("1", "2"))


REQUESTS = [
    '{{"model": "m", "messages": [{}], "n": 1e400}}',
    '[{}]',
    ' {{"messages" :[\n{}\n ] ,"tools": [{{"name": "]"}}]}} ',
    '{{"mess\\u0061ges": [ {}], "messages2": []}}',
]


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("between", [", ", ",\n "])
@pytest.mark.parametrize("sent", ["", "a", "abc", "abcd", "abcde", "Scd", "Scde", "Sc"])
def test_what_is_told_from_its_bounds_is_what_reading_it_tells(request_: str, between: str, sent: str) -> None:
    known = timeline(Appended(entries(*"abc")), *compacted("x", 1, Inserted(raw("S"), ("m0", "m1")), Kept("m2")))
    body = request_.format(between.join(map(raw, sent)))
    configured, listed = split(body, Format.OPENAI_CHAT)

    found = resent(known, body, Format.OPENAI_CHAT)
    assert found == Resent(configured, len(listed), rest(known, listed))


@pytest.mark.parametrize(
    "body",
    [
        '{"messages": [A, ]}',
        '{"messages": [A, B, ]}',
        '{"messages": [A, NaN]}',
        '{"messages": [A], "n": NaN}',
        '{"messages": [A], }',
        '{"messages": [A]} x',
        '{"messages": [A}',
        '{"messages": [A, "text"]}',
        '{"messages": [A B]}',
    ],
)
def test_what_is_no_request_is_refused_though_its_beginning_is_known(body: str) -> None:
    known = timeline(Appended(entries(*"ab")))
    body = body.replace("A", raw("a")).replace("B", raw("b"))
    with pytest.raises((NotJson, BadConversation)):
        resent(known, body, Format.OPENAI_CHAT)
