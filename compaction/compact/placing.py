"""The new list of messages: what stays as it came or with less in it, and the summary in its place."""

from collections.abc import Sequence
from dataclasses import dataclass

from elision.compaction.compact.alternate import alternating, speaker
from elision.compaction.compact.compose import Inserted, Kept, Piece, message_of, unthinking
from elision.compaction.compact.estimators import ruler
from elision.compaction.compact.frames import Frame
from elision.compaction.compact.select import Selection
from elision.compaction.compact.types import CompactionPlan, Fate
from elision.compaction.compact.writing import Written
from elision.compaction.conversation import Conversation, Part, Role
from elision.compaction.cuts import cut_points
from elision.compaction.cuts.roles import may_follow
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.types import TokenCounter


@dataclass(frozen=True, slots=True)
class Placing:
    """Where everything goes in the new list of messages.

    Attributes:
        conversation, policy, plan: What was planned.
        counter: Counts the reader's tokens.
        written: What stands for the messages that go; None if nothing does.
        alternate: Whether two messages of one speaker may not follow each other.
    """

    conversation: Conversation
    policy: CompactionPolicy
    plan: CompactionPlan
    counter: TokenCounter
    written: Written | None
    alternate: bool

    def pieces(self) -> list[Piece]:
        """The new list of messages."""
        spelled = {row.index: row.raw for row in self.plan.messages if row.raw and row.fate is not Fate.COVER}
        selection = self.plan.selection
        if selection is None:
            stays = [row.index for row in self.plan.messages]
            return [*self._kept(stays, spelled, min(spelled, default=len(stays)))]
        spelled |= self._cut_user(selection)
        before = [*range(selection.lead), *sorted([*selection.head, *selection.users])]
        tail = list(range(selection.tail, len(self.conversation.messages)))
        first = min([*spelled, *selection.covered])
        kept = {piece.index: piece for piece in self._kept([*before, *tail], spelled, first)}
        return self._placed(selection, [kept[i] for i in before], [kept[i] for i in tail])

    def _kept(self, indexes: Sequence[int], spelled: dict[int, str], first: int) -> list[Kept]:
        """Messages that stay; those with a change in front of them lose the thoughts it has voided."""
        behind = [index for index in indexes if index > first]
        spelled = spelled | unthinking(self.conversation, behind, spelled)
        return [Kept(index, spelled.get(index, "")) for index in indexes]

    def _cut_user(self, selection: Selection) -> dict[int, str]:
        index = selection.cut_user
        if index < 0:
            return {}
        message = self.conversation.messages[index]
        text = "\n\n".join(leaf.text for block in message.blocks for leaf in block.leaves)
        short = middle_cut(text, selection.cut_tokens, ruler(self.policy.measure, self.counter))
        return {index: message_of(self.conversation.format, Role.USER, short)}

    def _placed(self, selection: Selection, before: list[Kept], tail: list[Kept]) -> list[Piece]:
        kept, compose = [*before, *tail], self.policy.compose
        at = self._place(selection, before, tail)
        notes = self._notes(selection, kept[at : at + 1], opens=not at)
        placed: list[Piece] = [*kept[:at], *notes, *kept[at:]]
        goes_on = compose.continue_ and not _awaits(self.conversation)
        if goes_on and placed and speaker(self.conversation, placed[-1]) is Role.ASSISTANT:
            placed.append(self._said(Role.USER, compose.continue_))
        return alternating(self.conversation, placed) if self.alternate else placed

    def _place(self, selection: Selection, before: list[Kept], tail: list[Kept]) -> int:
        """Where among the messages that stay the summary goes: where the policy says, else at the cut."""
        at = self._wanted_place(selection, before, tail)
        return at if at == len(before) or self._may_join(before, tail) else len(before)

    def _wanted_place(self, selection: Selection, before: list[Kept], tail: list[Kept]) -> int:
        match self.policy.compose.place:
            case "first":
                return sum(piece.index < selection.lead for piece in before)
            case "last" if not _awaits(self.conversation):
                return len(before) + sum(piece.index < selection.pending for piece in tail)
            case "before_last_user":
                return self._last_user([*before, *tail], len(before))
            case _:
                return len(before)

    def _may_join(self, before: list[Kept], tail: list[Kept]) -> bool:
        """Whether the tail may stand directly behind what stays in front of the cut."""
        front = before[-1].index if before else None
        return not tail or may_follow(self.conversation, tail[0].index, front)

    def _last_user(self, kept: list[Kept], otherwise: int) -> int:
        """The place of the user's last message, if a history may be cut in front of it."""
        messages = self.conversation.messages
        asked = [at for at, piece in enumerate(kept) if messages[piece.index].role is Role.USER]
        legal = cut_points(self.conversation)
        return asked[-1] if asked and kept[asked[-1]].index in legal else otherwise

    def _notes(self, selection: Selection, following: Sequence[Kept], opens: bool) -> list[Piece]:
        """The message of the summary, and what its policy puts around it.

        It is the assistant's only where the user has spoken before and speaks next.
        """
        compose = self.policy.compose
        if self.written is None:
            return []
        text = Frame.of(compose).around(self.written.text)
        covers = selection.covered
        asked = all(self.conversation.messages[piece.index].role is Role.USER for piece in following)
        heard = compose.lead or not opens
        if compose.role == "assistant" and heard and (asked or compose.continue_):
            lead = [self._said(Role.USER, compose.lead)] if compose.lead else []
            # Between the summary and the assistant's own words the user speaks.
            go_on = [] if asked else [self._said(Role.USER, compose.continue_)]
            return [*lead, self._said(Role.ASSISTANT, text, covers), *go_on]
        ack = compose.ack and following and asked
        answer = [self._said(Role.ASSISTANT, compose.ack)] if ack else []
        return [self._said(Role.USER, text, covers), *answer]

    def _said(self, role: Role, text: str, covers: tuple[int, ...] = ()) -> Inserted:
        return Inserted(message_of(self.conversation.format, role, text), covers)


def middle_cut(text: str, tokens: int, counter: TokenCounter) -> str:
    """A text that is too long, with what went from its middle counted."""
    total = counter.count(text)
    if total <= tokens:
        return text
    prefix = counter.prefix(text)
    mark = f"\n[…{total - tokens} tokens]\n"
    room = max(2, tokens - counter.count(mark))
    head = int((prefix <= room // 2).sum()) - 1
    tail = int((prefix < total - room // 2).sum())
    return text[: max(0, head)].rstrip() + mark + text[min(len(text), tail) :].lstrip()


def _awaits(conversation: Conversation) -> bool:
    """Whether the last message calls a tool, so that only its result may follow."""
    last = conversation.messages[-1:]
    return any(block.part is Part.CALL for message in last for block in message.blocks)
