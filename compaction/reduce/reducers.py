"""The reducers of a history by the tables that name them, in the order in which they are done."""

from collections.abc import Callable, Mapping, Sequence

from elision.compaction.compact.edits import Reduction
from elision.compaction.conversation import Conversation
from elision.compaction.policies.reductions import Compress
from elision.compaction.reduce.clip_outputs import clip_outputs
from elision.compaction.reduce.dedupe import dedupe
from elision.compaction.reduce.mask import mask
from elision.compaction.reduce.media import strip_media
from elision.compaction.reduce.results import results, turns_ago
from elision.compaction.reduce.skeletons import skeletons

REDUCERS: Mapping[str, Callable[..., Sequence[Reduction]]] = {
    "clip": clip_outputs,
    "dedupe": dedupe,
    "strip_media": strip_media,
    "mask": mask,
    "skeleton": skeletons,
}
"""Each takes the conversation, its table, and by name ``counter``."""


def eligible(conversation: Conversation, how: Compress) -> dict[int, float]:
    """The share of their tokens that messages with outputs for the classifier will keep, by index."""
    ago = turns_ago(conversation, how.turn)
    return {
        result.index: how.keep_ratio
        for result in results(conversation)
        if ago[result.index] >= how.protect_turns and result.open_leaves
    }
