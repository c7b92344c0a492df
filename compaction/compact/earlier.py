"""What another agent's summary in a history said, carried from one of our summaries to the next.

Such a summary is all that is left of the demands made before it, and yet nobody's words: none of it becomes a
pin. It is quoted instead, whole if there is room, else what it says of demands, of the user's messages and of
the goal before the rest.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import regex

from elision.compaction.compact.frames import Frame
from elision.compaction.conversation import Conversation, Part, Role
from elision.compaction.guard.lines import split_lines
from elision.compaction.pins.constraints import demands, forbids
from elision.compaction.pins.lexicon import hear, phrases
from elision.compaction.pins.reread import quoted, quoting
from elision.compaction.pins.speech import LONGEST, asks_for_summary, others_summary, sentences
from elision.compaction.summary.topics import Topic, topics
from elision.compaction.summary.types import Section
from elision.compaction.types import TokenCounter
from elision.model.types import Span

_SPEAKERS = frozenset({Role.USER, Role.ASSISTANT})
_ANY_HANDLE = "0123456789abcdef" * 4
_HEADING = regex.compile(
    r"\s*(?:\#{1,6}\s+(?P<name>[^\n]+) | <(?P<name>[a-z][\w-]*)>(?P<rest>[^\n]*)"
    r" | (?:\d{1,2}[.)]\s+)?\*{0,2}(?P<name>[^\s\d>•*-][^\n:*]{2,60})\*{0,2}:\*{0,2}(?=\s|$)(?P<rest>[^\n]*))",
    regex.VERBOSE,
)
_TURNS = (
    Topic.CONSTRAINTS,
    Topic.USERS,
    Topic.GOAL,
    Topic.NEXT,
    Topic.DECISIONS,
    Topic.CURRENT,
    Topic.FAILED,
    Topic.QUESTIONS,
    Topic.FILES,
    Topic.DONE,
    Topic.KNOWLEDGE,
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or a sentence of a long one.

    Attributes:
        text: Without its line end.
        turn: When it is chosen, by what it is about.
        heading: Which line is its heading, -1 if none is.
        bare: Whether it is a heading and says nothing besides.
    """

    text: str
    turn: int
    heading: int
    bare: bool


def earlier(conversation: Conversation, indexes: Sequence[int], frame: Frame) -> list[str]:
    """What other agents' summaries in these messages said, and what our own quote of such, in order.

    Args:
        indexes: Of the messages, in order.
        frame: What stands around our own.
    """
    return list(dict.fromkeys(text for index in indexes for text in _of(conversation, index, frame)))


def told(texts: Sequence[str], room: int, counter: TokenCounter, handle: Callable[[str], str]) -> str:
    """Quote them in at most ``room`` tokens; what does not fit stands behind a counted line. Empty without room.

    Args:
        handle: Stores a text and returns the address by which it comes back.
    """
    whole = "\n\n".join(texts)
    if not whole or counter.count(quoting(whole)) <= room:
        return quoting(whole)
    lines = list(_lines(whole))
    order = sorted((lines[at].turn, at) for at in range(len(lines)) if not lines[at].bare)
    costs = [counter.count(f"\n> {line.text}") for line in lines]
    chosen: set[int] = set()
    left = room - counter.count(quoting(_counted(len(lines), _ANY_HANDLE)))
    for _, at in order:
        wanted = {at, lines[at].heading} - chosen - {-1}
        cost = sum(costs[one] for one in wanted)
        if cost <= left:
            chosen |= wanted
            left -= cost
    if left < 0 or not chosen:
        return ""
    kept = [lines[at].text for at in sorted(chosen)]
    return quoting("\n".join([*kept, _counted(len(lines) - len(kept), handle(whole))]))


def _counted(many: int, handle: str) -> str:
    return f"[…{many} more {'line' if many == 1 else 'lines'}: {handle}]"


def _of(conversation: Conversation, index: int, frame: Frame) -> Iterator[str]:
    message = conversation.messages[index]
    held = frame.held(message)
    texts = [leaf.text for block in message.blocks if block.part is Part.TEXT for leaf in block.leaves]
    if message.role not in _SPEAKERS:
        return
    if held is not None:
        yield from filter(None, [quoted(held), others_summary(frame.rest(message))])
        texts = texts[1:]
    elif message.role is Role.ASSISTANT and index and texts:
        before = conversation.messages[index - 1]
        asked = [leaf.text for block in before.blocks for leaf in block.leaves]
        if before.role is Role.USER and any(map(asks_for_summary, asked)):
            yield "\n".join(texts).strip()
            return
    yield from filter(None, map(others_summary, texts))


def _lines(text: str) -> Iterator[_Line]:
    turn, heading, at = len(_TURNS), -1, 0
    for span in split_lines(text):
        if not span.of(text).strip():
            continue
        named = _HEADING.fullmatch(span.of(text).rstrip())
        if named:
            turn, heading = _turn(named["name"]), at
        pieces = [span] if len(span) <= LONGEST else list(sentences(text, span))
        for piece in pieces:
            said = piece.of(text).rstrip()
            bare = named is not None and not (named["rest"] or "").strip()
            yield _Line(said, 0 if _matters(said) else turn, -1 if heading == at else heading, bare)
            at += 1


def _turn(heading: str) -> int:
    found = [_TURNS.index(topic) for topic in topics(Section(heading, ""))]
    return min(found, default=len(_TURNS))


def _matters(line: str) -> bool:
    """Whether a line tells a demand or the goal."""
    return any(
        forbids(text) or demands(text) or phrases("goals.toml", "goal").said(hear(text))
        for text in (one.of(line) for one in sentences(line, Span(0, len(line))))
    )
