"""What stands around a summary in its message, and so how an earlier one is known again.

Only a message of the user or the assistant can be a summary, and only one whose first block begins as the
policy's summaries begin. What a tool says is never one, however it looks; nor is any further block, or what
stands behind its end, where the summary was joined with what a person said.
"""

from dataclasses import dataclass

from elision.compaction.conversation import Conversation, Message, Part, Role
from elision.compaction.policies.telling import Compose


@dataclass(frozen=True, slots=True)
class Frame:
    """The words before and behind a summary, and whose message it is."""

    role: Role
    prefix: str
    suffix: str

    @classmethod
    def of(cls, compose: Compose) -> "Frame":
        """The frame that a policy puts around its summaries."""
        role = Role.ASSISTANT if compose.role == "assistant" else Role.USER
        return cls(role, compose.prefix, compose.suffix)

    def around(self, text: str) -> str:
        """The text of the message."""
        return f"{self.prefix}{text}{self.suffix}"

    def found(self, conversation: Conversation) -> list[int]:
        """Indexes of the messages that are summaries of this kind."""
        known = self.prefix.strip()
        if not known:
            return []
        return [
            index for index, message in enumerate(conversation.messages) if self.held(message) is not None
        ]

    def held(self, message: Message) -> str | None:
        """The summary that a message holds, without its frame; None if it holds none."""
        split = self._split(message)
        return split[0] if split else None

    def rest(self, message: Message) -> str:
        """What stands behind the summary in its block. Further blocks are not the summary's."""
        split = self._split(message)
        return split[1] if split else ""

    def _split(self, message: Message) -> tuple[str, str] | None:
        first = message.blocks[0] if message.blocks else None
        if message.role not in (self.role, Role.USER) or first is None or first.part is not Part.TEXT or not first.leaves:
            return None
        text = first.leaves[0].text.lstrip()
        known = self.prefix.strip()
        if not known or not text.startswith(known):
            return None
        body = text[len(known) :]
        at, stop = self._end(body)
        return body[:at].strip(), body[stop:].strip()

    def _end(self, body: str) -> tuple[int, int]:
        """Where the last line that begins with the end of summaries has it; the end of all where none does.

        The last, for what a writer wrote may look like it; pins never do, for their lines are indented.
        """
        end = self.suffix.strip()
        at = f"\n{body}".rfind(f"\n{end}") if end else -1
        return (at, at + len(end)) if at >= 0 else (len(body), len(body))
