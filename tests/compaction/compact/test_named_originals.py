"""A placeholder that names what it stands for by a handle keeps its word: the text comes back."""

import pytest
import regex
from compactions import conversation_of, means, occasion, small
from messages import Json, assistant, call, result, user
from remembering import Remembering

from elision.compaction.compact.run import compact
from elision.compaction.compact.types import CompactedHistory, Means
from elision.compaction.conversation import Conversation, Format
from elision.compaction.formats.read import read

WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
_NAMED = regex.compile(r"\[\d+ lines? of [^\[\]]+?, ([0-9a-f]{24})\]")


def work(turns: int = 10) -> list[Json]:
    story = [user("Never touch prod.yaml. Read it all.")]
    for turn in range(turns):
        rows = "".join(f"{turn}:{row} of table_{row % 7} was read é🚀\n" for row in range(60))
        story += [
            call(f"c{turn}", "make", {"target": f"t{turn}"}),
            result(f"c{turn}", rows),
            assistant(f"Read {turn}."),
        ]
        story.append(user(f"Go on with {turn + 1}."))
    return story


def texts(conversation: Conversation) -> set[str]:
    return {place.leaf.text for place in conversation.places()}


def done_with(name: str, wire: Format, at_hand: Means, *sets: str) -> tuple[CompactedHistory, Conversation]:
    conversation = conversation_of(work(), wire)
    return compact(conversation, small(name, *sets), occasion(4000), at_hand), conversation


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", ["elision", "gemini-cli"])
def test_what_was_masked_comes_back_by_the_handle_in_its_place(name: str, wire: Format) -> None:
    at_hand = means()
    done, before = done_with(name, wire, at_hand, "select.nothing=true", "reduce.clip=none")
    named = _NAMED.findall(read(done.raw, wire).raw)

    assert named
    assert {at_hand.store.original(handle) for handle in named} <= texts(before)


@pytest.mark.parametrize("wire", WIRES)
def test_what_was_masked_after_it_was_clipped_comes_back_as_it_was_then(wire: Format) -> None:
    at_hand = means()
    done, _ = done_with("elision", wire, at_hand, "select.nothing=true", "reduce.clip.limit=300")
    named = _NAMED.findall(done.raw)

    assert named and all(at_hand.store.original(handle) for handle in named)


def test_what_the_result_does_not_name_is_kept_in_the_whole_request_alone() -> None:
    store = Remembering()
    sets = ["select.nothing=true", 'reduce.mask.placeholder="[{lines} lines elided]"']
    done, before = done_with("elision", Format.OPENAI_CHAT, means(store=store), *sets)

    assert done.changed and [*store.originals.values()] == [before.raw]
