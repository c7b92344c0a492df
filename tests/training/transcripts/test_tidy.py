"""Whatever a file says, what comes out is a history that providers accept."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from elision.training.transcripts.drafts import answer, call, say
from elision.training.transcripts.tidy import sound, tidy


def calls(*keys: str) -> list[dict[str, Any]]:
    return [call(key, "bash", "{}") for key in keys]


def test_results_are_put_behind_their_calls_in_order() -> None:
    talk = [say("assistant", "a", *calls("1", "2")), say("user", "b"), answer("2", "two"), answer("1", "one")]

    messages, repairs = tidy(talk)

    assert [message["content"] for message in messages] == ["a", "one", "two", "b"]
    assert not +repairs


def test_what_is_left_alone_is_taken_out_and_counted() -> None:
    talk = [answer("0", "whose?"), say("assistant", "a", *calls("1")), say("assistant", None, *calls("2")), say("user", " ")]

    messages, repairs = tidy(talk)

    assert [message["content"] for message in messages] == ["a"] and "tool_calls" not in messages[0]
    assert +repairs == {"result without a call": 1, "call without a result": 2, "empty message": 1}


def test_an_id_that_comes_again_is_made_different() -> None:
    talk = [
        say("assistant", None, *calls("c")),
        answer("c", "one"),
        say("assistant", None, *calls("c", "c_2")),
        answer("c", "two"),
        answer("c_2", "three"),
        answer("c", "four"),
    ]

    messages, repairs = tidy(talk)

    results = [(m["tool_call_id"], m["content"]) for m in messages if m["role"] == "tool"]
    assert results == [("c", "one"), ("c_2", "two"), ("c_2_2", "three")]
    assert repairs["second result of a call"] == 1


def test_lone_surrogates_are_replaced_and_pairs_are_not() -> None:
    assert sound(({"a": ["a \ud800 b 😀 \udc00"]}, 1)) == ({"a": ["a \ufffd b 😀 \ufffd"]}, 1)


KEYS = st.sampled_from(["a", "b", "a_2", ""])
MESSAGES = st.lists(
    st.one_of(
        st.builds(answer, KEYS, st.sampled_from(["", "x", "y"])),
        st.builds(lambda text, keys: say("assistant", text, *calls(*keys)), st.sampled_from([None, "", "t"]), st.lists(KEYS, max_size=3)),
        st.builds(say, st.sampled_from(["user", "system"]), st.sampled_from(["", "u"])),
    ),
    max_size=12,
)


@given(MESSAGES)
def test_every_result_stands_directly_behind_its_call_and_tidying_again_changes_nothing(talk: list[dict[str, Any]]) -> None:
    messages, repairs = tidy(talk)

    waiting: list[str] = []
    seen: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert waiting.pop(0) == message["tool_call_id"]
            continue
        assert not waiting and (message["content"] or message.get("tool_calls"))
        waiting = [made["id"] for made in message.get("tool_calls", ())]
        seen += waiting
    assert not waiting and len(set(seen)) == len(seen)
    assert tidy(messages)[0] == messages
    assert len([m for m in talk if m["role"] == "tool"]) == len(seen) + sum(repairs[k] for k in repairs if "result of" in k or k.startswith("result"))
