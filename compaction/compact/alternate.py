"""Make one message of the user's messages that a compaction has brought next to each other.

Some models take no two messages of one speaker in a row. What is joined stays apart inside: each keeps a
block of content of its own, so that a summary is known again by its block, and what a person said beside it
is never taken for a part of it.
"""

from collections.abc import Sequence
from functools import partial, reduce

from elision.compaction.compact.compose import Inserted, Kept, Piece, joined_content
from elision.compaction.conversation import Conversation, Role
from elision.compaction.formats.read import read


def alternating(conversation: Conversation, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with the user's neighbours joined; those that were neighbours before stay as they came.

    A summary goes in front of what it is joined with.
    """
    runs: list[list[Piece]] = []
    for piece in pieces:
        before = runs[-1][-1] if runs else None
        if (
            before
            and speaker(conversation, before) is speaker(conversation, piece) is Role.USER
            and not _stood_so(before, piece)
        ):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return [run[0] if len(run) == 1 else _joined(conversation, run) for run in runs]


def speaker(conversation: Conversation, piece: Piece) -> Role:
    """Whose message it is."""
    if isinstance(piece, Kept):
        return conversation.messages[piece.index].role
    return read(f"[{piece.raw}]", conversation.format).messages[0].role


def _stood_so(before: Piece, piece: Piece) -> bool:
    return isinstance(before, Kept) and isinstance(piece, Kept) and piece.index == before.index + 1


def _joined(conversation: Conversation, run: Sequence[Piece]) -> Inserted:
    ordered = sorted(run, key=lambda piece: not _is_summary(piece))
    raws = [_raw(conversation, piece) for piece in ordered]
    covers = sorted({index for piece in run for index in _covers(piece)})
    return Inserted(reduce(partial(joined_content, conversation.format), raws), tuple(covers))


def _is_summary(piece: Piece) -> bool:
    return isinstance(piece, Inserted) and bool(piece.covers)


def _raw(conversation: Conversation, piece: Piece) -> str:
    if isinstance(piece, Inserted) or piece.raw:
        return piece.raw
    return conversation.messages[piece.index].span.of(conversation.raw)


def _covers(piece: Piece) -> tuple[int, ...]:
    return (piece.index,) if isinstance(piece, Kept) else piece.covers
