"""Of results that say the same the newest stays; the older ones point to it."""

from elision.compaction.compact.edits import Reduction, leaf_reduction
from elision.compaction.conversation import Conversation
from elision.compaction.policies.reductions import Dedupe
from elision.compaction.reduce.results import Result, line_count, results
from elision.compaction.reduce.uses import told
from elision.compaction.types import TokenCounter

DEDUPE = "dedupe"


def dedupe(
    conversation: Conversation,
    settings: Dedupe,
    *,
    counter: TokenCounter,
) -> list[Reduction]:
    """Turn each text of a result that comes again in a later one into a pointer.

    Only texts that are equal to the last character: what merely reports on the same file says something
    else. The later copy may stand anywhere, also where nothing is touched.

    Args:
        settings: Says nothing more.
    """
    found = results(conversation)
    newest = {leaf.text: result for result in found for leaf in result.block.leaves}
    last = {text: result.block.path for text, result in newest.items()}
    made = []
    for result in found:
        for leaf in result.open_leaves:
            if last[leaf.text] == result.block.path:
                continue
            pointer = _pointer(conversation, leaf.text, newest[leaf.text])
            saved = counter.count(leaf.text) - counter.count(pointer)
            if saved > 0:
                made.append(leaf_reduction(conversation, result.index, leaf, pointer, DEDUPE, saved))
    return made


def _pointer(conversation: Conversation, text: str, later: Result) -> str:
    lines = line_count(text)
    counted = "1 line" if lines == 1 else f"{lines} lines"
    return f"[…{counted}, the same as the later result of {told(later.call, conversation.raw) or 'a call'}]"
