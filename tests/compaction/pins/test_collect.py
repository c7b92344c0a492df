import gzip
import json
from pathlib import Path

import pytest
from conversations import FORMATS, body_of, read_json, stories
from hypothesis import given
from hypothesis import strategies as st
from messages import Json, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.check import alive
from elision.compaction.pins.collect import collect, survey
from elision.compaction.pins.types import PinKind

SAID = st.sampled_from(
    [
        "Never push to main.",
        "You may now push to main.",
        "Use tabs; actually, spaces.",
        "hi",
        "",
        "不要动它。",
        "- [ ] a",
        "see $5 or ABC-12",
    ]
)


@pytest.mark.law
@given(stories(), st.lists(SAID, max_size=4), st.sampled_from(FORMATS))
def test_every_pin_stands_in_the_history_it_was_taken_from(
    story: list[Json], said: list[str], format: Format
) -> None:
    conversation = read_json(body_of([*story, *map(user, said)], format), format)
    pins = collect(conversation)

    assert all(alive(pins, conversation.raw))
    assert all(pin.source == (conversation.messages[pin.index].id or f"[{pin.index}]") for pin in pins)
    assert list(pins) == sorted(pins, key=lambda pin: list(PinKind).index(pin.kind))


@pytest.mark.law
@given(stories(), st.sampled_from(FORMATS))
def test_collecting_twice_collects_the_same(story: list[Json], format: Format) -> None:
    conversation = read_json(body_of(story, format), format)

    assert survey(conversation) == survey(conversation)


@pytest.mark.law
@given(stories(whole=True), st.lists(SAID, min_size=1, max_size=3))
def test_the_formats_agree_on_what_people_want(story: list[Json], said: list[str]) -> None:
    def wanted(format: Format) -> list[tuple[PinKind, str, bool]]:
        pins = collect(read_json(body_of([*story, *map(user, said)], format), format))
        return [(pin.kind, pin.text, pin.holds) for pin in pins if pin.hard]

    assert len({tuple(wanted(format)) for format in FORMATS}) == 1


@pytest.mark.parametrize(
    "body", ['{"messages": []}', "[]", '{"messages": [{"role": "user", "content": ""}]}']
)
def test_an_empty_history_has_no_pins(body: str) -> None:
    assert collect(read(body, Format.OPENAI_CHAT)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "do not " * 30_000,
        "不要推送。" * 20_000,
        "never" + "a" * 200_000,
        "<file>x</file>" * 10_000,
        "a1" * 100_000,
    ],
)
def test_a_huge_message_is_read_in_linear_time(text: str) -> None:
    assert isinstance(
        collect(read(json.dumps([{"role": "user", "content": text}]), Format.OPENAI_CHAT)), tuple
    )


def test_pins_of_recorded_sessions_stand_in_them(shared: Path) -> None:
    with gzip.open(shared / "data/transcripts/dev/coding-openhands.jsonl.gz") as rows:
        bodies = [json.dumps({"messages": json.loads(row)["messages"]}) for row in rows]
    for body in bodies:
        pins = collect(read(body, Format.OPENAI_CHAT))

        assert pins and all(alive(pins, body))
