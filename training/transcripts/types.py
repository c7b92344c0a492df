"""The one form in which every recorded session is read, written and learnt from."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Transcript:
    """One recorded session of an agent.

    Attributes:
        id: Unique over all files.
        source: Where it came from: a repository, or the format it was imported from.
        task: What must not be split between what is learnt from and what is measured: a project,
            a test case, a question.
        messages: OpenAI chat messages in order. Every tool message follows the assistant message
            with its call directly, in the order of the calls; ``content`` is text or None.
        kind: What the agent does, such as ``coding-agent``.
        licence: Of the text; empty where nobody said.
        split: ``train`` or ``dev`` where it was decided, else empty.
        tools: Tool definitions as chat completions have them.
        answer: What the right answer holds, where it is known.
    """

    id: str
    source: str
    task: str
    messages: tuple[Json, ...]
    kind: str = ""
    licence: str = ""
    split: str = ""
    tools: tuple[Json, ...] = ()
    answer: str = ""
