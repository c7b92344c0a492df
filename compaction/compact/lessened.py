"""A history with less in it: everything done that needs no model and that drops no message."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from elision.compaction.compact.edits import Reduction, reduced
from elision.compaction.conversation import Conversation
from elision.compaction.counting import count
from elision.compaction.policies.reductions import Mask, Reduce
from elision.compaction.reduce.reducers import REDUCERS
from elision.compaction.types import TokenCounter


@dataclass(frozen=True, slots=True)
class Lessened:
    """A history after its reducers.

    Attributes:
        conversation: As it is then.
        reductions: What was done, in order.
        shorter: Share that the classifier will leave of a message's outputs, by index.
    """

    conversation: Conversation
    reductions: tuple[Reduction, ...]
    shorter: Mapping[int, float] = field(default_factory=dict)

    def tokens(self, counter: TokenCounter) -> int:
        """Tokens of system and messages, once the classifier has done its share."""
        counted = count(self.conversation, counter)
        return counted.system + sum(
            self.shortened(index, cost) for index, cost in enumerate(counted.messages)
        )

    def shortened(self, index: int, cost: int) -> int:
        """What the classifier will leave of a message that costs so many tokens."""
        return max(1, int(cost * self.shorter.get(index, 1.0)))


def lessened(
    conversation: Conversation, how: Reduce, counter: TokenCounter, need: int | None = None
) -> Lessened:
    """Do it, one reducer after the other.

    Args:
        conversation: The request.
        how: The policy's table.
        counter: Counts the reader's tokens.
        need: Tokens that have to go. What is masked by what it would take to have it again is only so much.
    """
    done: list[Reduction] = []
    for name, reduce in REDUCERS.items():
        settings = getattr(how, name)
        if settings is None:
            continue
        if isinstance(settings, Mask) and settings.again_first and need is not None:
            reduce = partial(reduce, need=max(0, need - sum(one.tokens_saved for one in done)))
        step = reduce(conversation, settings, counter=counter)
        conversation = reduced(conversation, step)
        done += step
    return Lessened(conversation, tuple(done))
