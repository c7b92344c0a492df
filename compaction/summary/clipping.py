"""Clip a text to its two ends by characters, and leave no half of a secret behind.

A secret is known by what stands before it. If that goes, or half of the secret does, nobody can hide the
rest any more; so what is kept of a clipped text holds a secret together with its label or not at all.
"""

from collections.abc import Iterable, Iterator

from elision.compaction.guard.secrets import find_secrets
from elision.compaction.reduce.clip import border
from elision.model.types import Span

_ROUNDS = 3


def clip_ends(text: str, chars: int) -> str:
    """At most ``chars`` characters of a text, from both its ends, with what is gone counted between them.

    A text that would not become shorter stays as it is; 0 leaves every text.
    """
    if not chars or len(text) <= chars:
        return text
    head = (chars + 1) // 2
    gone = Span(border(text, head, after=False), border(text, len(text) - (chars - head), after=True))
    gone = _with_secrets(text, gone)
    clipped = text[: gone.start] + f"[…{len(gone)} characters]" + text[gone.stop :]
    return clipped if len(clipped) < len(text) else text


def _with_secrets(text: str, gone: Span) -> Span:
    """The stretch and every secret that is not known any more without it."""
    secrets = find_secrets(text)
    for _ in range(_ROUNDS if secrets else 0):
        known = {*find_secrets(text[: gone.start]), *_moved(find_secrets(text[gone.stop :]), gone.stop)}
        lost = [
            one for one in secrets if (one.start < gone.start or one.stop > gone.stop) and one not in known
        ]
        if not lost:
            return gone
        before = [one.start for one in lost if one.start < gone.start]
        after = [one.stop for one in lost if one.stop > gone.stop]
        gone = Span(min([gone.start, *before]), max([gone.stop, *after]))
    return Span(min(gone.start, secrets[0].start), max(gone.stop, secrets[-1].stop)) if secrets else gone


def _moved(secrets: Iterable[Span], offset: int) -> Iterator[Span]:
    return (Span(one.start + offset, one.stop + offset) for one in secrets)
