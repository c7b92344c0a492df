"""Choose what of a history stays as it is, and what goes and is told by a summary.

A history is cut once: in front of a tail that stays. Before the tail stay the system messages at the
beginning, a head if the policy has one, and the user's own messages if it keeps those. Where the tail may
begin is the business of `elision.compaction.cuts`; what is asked of it here only narrows that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from elision.compaction.compact.measure import items
from elision.compaction.conversation import INSTRUCTIONS, Conversation, Message, Part, Role
from elision.compaction.cuts import cut_points
from elision.compaction.cuts.roles import may_follow
from elision.compaction.policies.telling import Select


@dataclass(frozen=True, slots=True)
class Selection:
    """What stays and what goes.

    Attributes:
        lead: So many instructions at the beginning stay.
        head: Indexes behind them that stay as they are.
        users: Indexes of the user's messages that stay, though what is around them goes.
        cut_user: Index of the one of them that is too long, -1 if none is; and the tokens it may have.
        cut_tokens: Tokens of that one that stay.
        covered: Indexes that go.
        tail: Index at which the tail begins.
        pending: Index at which begins what the user said and nobody answered; the number of messages if nothing.
        splits_turn: Whether the tail begins inside a turn of the user.
    """

    lead: int
    head: tuple[int, ...]
    users: tuple[int, ...]
    cut_user: int
    cut_tokens: int
    covered: tuple[int, ...]
    tail: int
    pending: int
    splits_turn: bool

    @property
    def read(self) -> tuple[int, ...]:
        """What a summary tells of: what goes, and the user's messages between it."""
        return tuple(sorted({*self.covered, *self.users}))

    @property
    def gone(self) -> tuple[int, ...]:
        """What is not there any more, or only some of its words."""
        return (*self.covered, self.cut_user) if self.cut_user >= 0 else self.covered


def select(
    conversation: Conversation,
    how: Select,
    costs: Sequence[int],
    *,
    window: int,
    usable: int,
    beside: int = 0,
    at_most: int | None = None,
    summaries: frozenset[int] = frozenset(),
    told: bool = True,
) -> Selection:
    """Choose by a policy.

    What the user said last and nobody answered stays, whatever the policy says.

    Args:
        conversation: The request.
        how: The policy's table.
        costs: Tokens of each message.
        window: Tokens of the reader's window.
        usable: Of these, tokens left for input.
        beside: Tokens of the request that are no message's.
        at_most: Tokens that everything that stays may have, instructions included; none is no limit.
        summaries: Indexes of earlier summaries: never among the user's messages.
        told: Whether a message of the user will stand for what goes. Where none does, what stays has to be a
            conversation by itself.
    """
    messages, total = conversation.messages, len(conversation.messages)
    lead = _lead(messages)
    pending = _pending(messages)
    stop = min(pending, _last_user(messages)) if how.last_user else pending
    if how.nothing or lead >= stop:
        return Selection(lead, (), (), -1, 0, (), lead, pending, False)
    legal = [at for at in cut_points(conversation) if at >= lead]
    head_stop = _head_stop(lead, how, legal, costs)
    kept = sum(costs[:head_stop])
    counted = stop if how.last_user else total
    starts = _starts(messages[:counted], how, costs[:counted], window, usable)
    starts += _by_target(conversation, how, costs, head_stop, window, beside)
    if at_most is not None:
        starts.append(_by_tokens(costs, at_most - kept, False))
    wanted = min(max(starts, default=counted), stop)
    unread = sum(costs[_unread(messages, legal) :])
    fits = unread <= (usable - beside if at_most is None else at_most) - kept
    last = stop - 1 if how.start != "any" and 0 < unread and fits else stop
    allowed = [at for at in legal if head_stop < at <= last and _may_start(messages, at, how)]
    if not told:
        allowed = [at for at in allowed if _stands_alone(conversation, how, costs, head_stop, at, summaries)]
    tail = _snapped(wanted, [head_stop, *allowed], how.snap)
    if stop - lead <= how.all_up_to or (wanted > head_stop and tail - lead <= how.all_up_to):
        tail = _snapped(stop, [head_stop, *allowed], "back")
    gone = range(head_stop, tail)
    users, cut_user, cut_tokens = _users(messages, gone, costs, how, summaries)
    return Selection(
        lead=lead,
        head=tuple(range(lead, head_stop)),
        users=users,
        cut_user=cut_user,
        cut_tokens=cut_tokens,
        covered=tuple(index for index in gone if index not in users),
        tail=tail,
        pending=pending,
        splits_turn=head_stop < tail < total and messages[tail].role is not Role.USER,
    )


def _lead(messages: Sequence[Message]) -> int:
    """How many instructions stand at the beginning, opaque items of the provider included."""
    lead = 0
    for message in messages:
        if message.role not in INSTRUCTIONS and not any(b.part is Part.COMPACTION for b in message.blocks):
            break
        lead += 1
    return lead


def _pending(messages: Sequence[Message]) -> int:
    start = len(messages)
    while start and messages[start - 1].role is Role.USER:
        start -= 1
    return start


def _unread(messages: Sequence[Message], legal: Sequence[int]) -> int:
    """Where the tail begins that has the results which the model is to read next, and no more than it must."""
    start = len(messages)
    while start and messages[start - 1].role is Role.TOOL:
        start -= 1
    if start == len(messages):
        return start
    return max((at for at in legal if at <= start), default=0)


def _last_user(messages: Sequence[Message]) -> int:
    users = [index for index, message in enumerate(messages) if message.role is Role.USER]
    return users[-1] if users else len(messages)


def _head_stop(lead: int, how: Select, legal: Sequence[int], costs: Sequence[int]) -> int:
    """Where the head ends: so many messages on, and on to where a history may be cut; or within its tokens."""
    wanted = lead + how.head_messages
    stops = [next((at for at in legal if at >= wanted), lead)] if how.head_messages else [lead]
    room = max(how.head_tokens or 0, int((how.head_share or 0) * sum(costs[lead:])))
    before = [0, *accumulate(costs)]
    return max([*stops, *(at for at in legal if room and before[at] - before[lead] <= room)])


def _starts(
    messages: Sequence[Message], how: Select, costs: Sequence[int], window: int, usable: int
) -> list[int]:
    """For each limit the first index at which a tail keeps it."""
    total, starts = len(messages), list[int]()
    if how.tail_tokens is not None:
        starts.append(_by_tokens(costs, how.tail_tokens, how.first_fits))
    if how.tail_share is not None and how.tail_share_of == "history":
        starts.append(_by_share(messages, how.tail_share))
    elif how.tail_share is not None:
        room = how.tail_share * (window if how.tail_share_of == "window" else usable)
        room = max(how.tail_min, min(room, how.tail_max or room))
        starts.append(_by_tokens(costs, int(room), how.first_fits))
    if how.tail_messages is not None:
        starts.append(total - how.tail_messages)
    if how.tail_turns is not None:
        users = [index for index, message in enumerate(messages) if message.role is Role.USER]
        turns = min(how.tail_turns, len(users))
        starts.append(users[-turns] if turns else total)
    return [max(0, start) for start in starts]


def _by_target(
    conversation: Conversation, how: Select, costs: Sequence[int], head_stop: int, window: int, beside: int
) -> list[int]:
    """For each limit of all that stays the first index at which a tail keeps it."""
    if how.target is None and how.target_events is None:
        return []
    events = [items(replace(conversation, messages=(message,))) for message in conversation.messages]
    most = [] if how.target_events is None else [how.target_events]
    starts = list[int]()
    if how.target is not None:
        most.append(int(how.target * sum(events)))
        room = int(how.target * window) - beside - sum(costs[:head_stop])
        starts.append(_by_tokens(costs, room, False))
    return [*starts, _by_tokens(events, min(most) - sum(events[:head_stop]) - 1, False)]


def _by_tokens(costs: Sequence[int], room: int, first_fits: bool) -> int:
    """Where the longest tail of at most ``room`` tokens begins; or the shortest of more, if the first fits."""
    tails = [0, *accumulate(reversed(costs))]
    fitting = sum(tokens <= room for tokens in tails) - 1
    start = len(costs) - max(0, fitting)
    return start - 1 if first_fits and start and tails[-1] > room else start


def _by_share(messages: Sequence[Message], share: float) -> int:
    """Where the last ``share`` of the characters begins."""
    before = [0, *accumulate(len(message.span) for message in messages)]
    return next(index for index, chars in enumerate(before) if chars >= (1 - share) * before[-1])


def _may_start(messages: Sequence[Message], at: int, how: Select) -> bool:
    if how.head_ends_with == "assistant" and at and messages[at - 1].role is not Role.ASSISTANT:
        return False
    if at == len(messages):
        return True
    role = messages[at].role
    if how.start == "user":
        return role is Role.USER
    return how.start == "any" or role in (Role.USER, Role.ASSISTANT)


def _stands_alone(
    conversation: Conversation,
    how: Select,
    costs: Sequence[int],
    head_stop: int,
    at: int,
    summaries: frozenset[int],
) -> bool:
    """Whether a tail that begins there can stand directly behind the head and the user's messages that stay."""
    messages = conversation.messages
    users, _, _ = _users(messages, range(head_stop, at), costs, how, summaries)
    front = users[-1] if users else head_stop - 1
    if at == len(messages):
        return front >= 0 and messages[front].role not in INSTRUCTIONS
    return may_follow(conversation, at, front if front >= 0 else None)


def _snapped(wanted: int, allowed: Sequence[int], snap: str) -> int:
    """The allowed place nearest to the wanted one, first on the side that the policy looks to.

    Args:
        allowed: At least one, ascending.
    """
    later = [at for at in allowed if at >= wanted]
    earlier = [at for at in allowed if at <= wanted]
    return (later[:1] or earlier[-1:])[0] if snap == "forward" else (earlier[-1:] or later[:1])[0]


def _users(
    messages: Sequence[Message], gone: range, costs: Sequence[int], how: Select, summaries: frozenset[int]
) -> tuple[tuple[int, ...], int, int]:
    """The user's messages that stay, newest first within their budget; the one that crosses it is cut."""
    said = [index for index in gone if messages[index].role is Role.USER and index not in summaries]
    if not how.keep_users or not said:
        return (), -1, 0
    first, room = said[0], how.keep_users
    held = min(costs[first], how.keep_users_reserve)
    room -= held
    kept = list[int]()
    for index in reversed(said):
        cost, mine = costs[index], room + (held if index == first else 0)
        if cost > mine:
            cut = how.keep_users_cut and mine > 0
            kept += [index] if cut else []
            kept += [first] if held and index != first and costs[first] <= held else []
            return tuple(sorted(kept)), index if cut else -1, mine
        kept.append(index)
        room = mine - cost
    return tuple(sorted(kept)), -1, 0
