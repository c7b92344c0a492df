"""Tell the host which files to read again: those of which all that was read goes."""

from collections.abc import Collection

from elision.compaction.conversation import Conversation
from elision.compaction.cuts.pairs import pair
from elision.compaction.policies.telling import Select
from elision.compaction.reduce.uses import use_of
from elision.compaction.types import TokenCounter


def files_again(
    conversation: Conversation, gone: Collection[int], how: Select, counter: TokenCounter
) -> tuple[str, ...]:
    """What the host should read again, such as ``read src/app.py``, what was read last first.

    Args:
        conversation: The request.
        gone: Indexes of the messages that go.
        how: Says how many files, and how many tokens they may have had.
        counter: Counts the reader's tokens.
    """
    found, seen, room = list[str](), set[str](), how.files_again_tokens
    for one in reversed(pair(conversation).exchanges if how.files_again and gone else ()):
        use = use_of(one.call.block, conversation.raw)
        told = [site.block for site in one.results if not site.block.is_error]
        if not use.whole or not told or seen.issuperset(use.reads):
            continue
        seen.update(use.reads)
        tokens = sum(counter.count(leaf.text) for block in told for leaf in block.leaves)
        if one.results[-1].index in gone and tokens <= room:
            found.append(use.how)
            room -= tokens
        if len(found) == how.files_again:
            break
    return tuple(found)
