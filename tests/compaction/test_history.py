"""History mode: a whole conversation under one limit, in place."""

import json

import pytest
from messages import assistant, call, calls, result, system, told, user
from remembering import COUNTER, MADE_BY, shorten

from elision.compaction.conversation import Format
from elision.compaction.errors import BadBudget
from elision.compaction.formats.read import read
from elision.compaction.history import Limit, compress_history
from elision.compaction.messages import CompressedMessages
from elision.compaction.policy import Policy
from elision.compaction.store import NoStore


def log(rows: int, name: str) -> str:
    return "\n".join(f"{name} {i}: worker {i * 7} checked, queue ready, nothing to report" for i in range(rows))


def rounds(number: int, rows: int = 20) -> list[dict[str, object]]:
    return [m for n in range(number) for m in (call(f"c{n}", "audit", {"host": n}), result(f"c{n}", log(rows, f"h{n}")))]


def done(story: list[dict[str, object]], limit: Limit, policy: Policy | None = None) -> CompressedMessages:
    body = told(story, Format.OPENAI_CHAT)
    return compress_history(
        read(body), policy or Policy(), limit, shorten=shorten, store=NoStore(), counter=COUNTER, made_by=MADE_BY
    )


def contents(answer: CompressedMessages) -> list[str]:
    return [m["content"] for m in json.loads(answer.raw)["messages"]]


def test_a_conversation_that_fits_is_returned_as_it_came() -> None:
    story = [system("s"), user("audit"), *rounds(2)]

    assert done(story, Limit(100_000)).raw == told(story, Format.OPENAI_CHAT)


@pytest.mark.parametrize("total", [400, 700, 1500])
@pytest.mark.parametrize("clip", [False, True])
def test_the_limit_is_met_and_nothing_moves(total: int, clip: bool) -> None:
    answer = done([system("s"), user("audit"), *rounds(8)], Limit(total, clip=clip))

    assert answer.after.total <= total
    assert len(contents(answer)) == 18 and contents(answer)[:2] == ["s", "audit"]


def test_the_newest_stay_whole_as_long_as_the_older_can_make_room() -> None:
    answer = done([user("audit"), *rounds(10)], Limit(1200))
    sizes = [len(text) for text in contents(answer)[2::2]]

    assert contents(answer)[-1] == log(20, "h9") and sizes[0] < sizes[-1] / 2


def test_protected_messages_at_the_end_stay_whatever_the_limit() -> None:
    answer = done([user("audit"), *rounds(4)], Limit(300, protect_recent=4, clip=True))

    assert contents(answer)[-1] == log(20, "h3") and contents(answer)[-3] == log(20, "h2")


def test_one_batch_of_results_shares_the_room() -> None:
    ids = [f"n{n}" for n in range(8)]
    story = [user("check"), calls(*((id, "probe", {}) for id in ids)), *(result(id, f"node {id} up\n{log(12, id)}") for id in ids)]
    answer = done(story, Limit(600, clip=True))

    assert answer.after.total <= 600 and all(contents(answer)[2:])


def test_of_a_repeated_output_the_newest_copy_stays() -> None:
    story = [user("x"), call("a", "make", {}), result("a", log(20, "x")), call("b", "make", {}), result("b", log(20, "x"))]
    answer = done(story, Limit(500))

    assert contents(answer)[2].startswith("[…20 lines, the same as the later result of make")
    assert contents(answer)[4] == log(20, "x")


def test_users_and_system_are_never_touched_so_a_limit_may_be_missed() -> None:
    story = [system(log(30, "s")), user(log(30, "u")), assistant("ok")]
    answer = done(story, Limit(50, clip=True), Policy(assistant_text=True))

    assert answer.after.total > 50 and contents(answer)[:2] == [log(30, "s"), log(30, "u")]


@pytest.mark.parametrize("total", [0, -5])
def test_a_limit_that_is_none_is_refused(total: int) -> None:
    with pytest.raises(BadBudget, match=str(total)):
        Limit(total)
