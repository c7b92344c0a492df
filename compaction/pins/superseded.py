"""Which constraints still hold, after all that was said later.

A later text of the user or the system revokes one if it takes it back by name, allows just what it forbade,
says it again, or gives the same thing another value. Where it is not sure that both speak of the same thing,
or where the later text denies or sets a condition, both stay: a reader copes with two demands better than
with a lost one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix

import regex

from elision.compaction.pins.constraints import asks, forbids
from elision.compaction.pins.lexicon import Phrases, hear, phrases
from elision.compaction.pins.speech import Utterance
from elision.compaction.pins.terms import content_words, named_words, telling_words, values
from elision.compaction.pins.types import CARRIED, HistoryPin

_CLAUSE = regex.compile(r"[,;—–。，；、]\s*|\s(?:but|aber|mais|pero|mas|ma|maar|ale|но|але|ama|لكن)\s")
_QUOTED = regex.compile(r"""(?<!\w)["'“„«‘「『`][^"'”“»’」』`\n]*\s[^"'”“»’」』`\n]*["'”“»’」』`](?!\w)""")
# What a verb ends with, as one form differs from another.
_MOOD = regex.compile(
    r"|[aeioé]?(?:[srnt]|re|te|mos|is)?|i?[auo]?j(?:cie)?|i?(?:ow)?[ao]?ć?|[аеиоуюяіїєёйьт]{1,3}|m[ae]\w*|[ae]bilir\w*"
)
_TURKISH = regex.compile(r"m[ae]\w*|[ae]bilir\w*")  # where the verb comes last
_NUMBER = regex.compile(r"\d[\d.,:]*\p{L}{0,3}")
_OPENING = 4  # characters before a condition in a script that knows no words to begin with
_LOOKED_BACK = 100  # constraints that share a word, newest first


@dataclass(frozen=True, slots=True)
class _Revocation:
    source: str
    index: int
    words: tuple[str, ...]
    by_name: bool


@dataclass(frozen=True, slots=True)
class _Read:
    """A constraint with what it is about."""

    words: frozenset[str]
    telling: tuple[str, ...]
    values: tuple[str, ...]
    tongue: bool
    forbids: bool


def superseded(pins: Sequence[HistoryPin], said: Sequence[Utterance], since: int = 0) -> list[HistoryPin]:
    """The constraints in the order of the history; those that no longer hold name the source of what revokes them.

    Args:
        pins: Constraints in the order in which they were said; carried ones may stand first.
        said: What the user and the system wrote, in order.
        since: Index from which on all that is there was said after what was carried. What stands before
            was said before it.
    """

    def place(pin: HistoryPin) -> float:
        return since - 0.5 if pin.index == CARRIED else pin.index

    found = sorted(pins, key=place)
    read = [_read(pin.text) for pin in found]
    by_word: dict[str, list[int]] = {}
    for at, later in enumerate(read):
        for earlier in {other for word in later.words for other in by_word.get(word, ())[-_LOOKED_BACK:]}:
            if found[earlier].holds and _says_again(read[earlier], later):
                found[earlier] = replace(found[earlier], superseded_by=found[at].source)
        for word in later.words:
            by_word.setdefault(word, []).append(at)
    for revocation in _revocations(said):
        for at in {other for word in revocation.words for other in by_word.get(word, ())}:
            before = place(found[at]) < revocation.index
            if found[at].holds and before and _revokes(revocation, read[at]):
                found[at] = replace(found[at], superseded_by=revocation.source)
    return found


def _read(text: str) -> _Read:
    tongue = phrases("revisions.toml", "tongue").said(hear(text))
    return _Read(content_words(text), telling_words(text), values(text), tongue, forbids(text))


def _says_again(earlier: _Read, later: _Read) -> bool:
    """Whether the later one says the same, turns it round, or gives the same thing another value.

    In two prohibitions another number or name is another thing: who may not edit step 4 may not edit step 3 either.
    """
    if earlier.telling == later.telling != ():
        return True
    if earlier.forbids and later.forbids:
        return False
    if earlier.values and len(earlier.values) == len(later.values):
        return _without_values(earlier) == _without_values(later) != ()
    if not (earlier.tongue and later.tongue) or len(earlier.words) < 2:
        return False
    return len(earlier.words - later.words) == len(later.words - earlier.words) == 1


def _without_values(read: _Read) -> tuple[str, ...]:
    numbers = tuple(one.rstrip(".,:") for one in read.values)
    return tuple(word for word in read.telling if not (_NUMBER.fullmatch(word) and word.startswith(numbers)))


def _revocations(said: Sequence[Utterance]) -> Iterator[_Revocation]:
    for utterance in said:
        if not any(_revises(line.of(utterance.text)) for line in utterance.lines):
            continue
        told = list(utterance.sentences())
        for sentence, following in zip(told, [*told[1:], ""], strict=True):
            if _revises(sentence) and not _conditional(sentence, following):
                yield from _of_sentence(utterance, sentence)


def _revises(text: str) -> bool:
    heard = hear(text)
    return _rule().said(heard) or _permit().said(heard)


def _conditional(sentence: str, following: str) -> bool:
    """Whether a sentence asks, quotes or sets a condition, or the next one sets it."""
    if asks(sentence) or _QUOTED.search(sentence):
        return True
    heard = hear(following)
    at = _condition().first(heard)
    opens = 0 <= at < _OPENING or any(at == start for start, *_ in heard.starts)
    return opens or _condition().said(hear(sentence))


def _of_sentence(utterance: Utterance, sentence: str) -> Iterator[_Revocation]:
    at = _rule().first(hear(sentence))
    before = sentence if at < 0 else sentence[:at]
    if _negation().said(hear(before)) or (at < 0 and forbids(sentence)):
        return
    for clause in [sentence, *_CLAUSE.split(sentence)]:
        heard = hear(clause)
        if _rule().said(heard):
            yield _Revocation(utterance.source, utterance.index, tuple(named_words(clause)), True)
        elif _permit().said(heard):
            yield _Revocation(utterance.source, utterance.index, telling_words(clause), False)


def _revokes(revocation: _Revocation, constraint: _Read) -> bool:
    """Whether all that is taken back is the constraint's, or just what it forbids is allowed."""
    if revocation.by_name:
        return constraint.words.issuperset(revocation.words)
    missing = set(constraint.telling) - set(revocation.words)
    more = set(revocation.words) - set(constraint.telling)
    if not missing and not more:
        return True
    return len(missing) == len(more) == 1 and _one_verb(missing.pop(), more.pop(), constraint.telling[0])


def _one_verb(forbidden: str, allowed: str, first: str) -> bool:
    """Whether two words are forms of a verb: it comes first in what forbids, or its ending is known anywhere."""
    pair = (forbidden, allowed)
    one, other = (word.removeprefix("ت").replace("qu", "c").replace("gu", "g") for word in pair)
    shared = len(commonprefix([one, other]))
    rests = (one[shared:], other[shared:])
    if shared < 3 or not all(map(_MOOD.fullmatch, rests)):
        return False
    return forbidden == first or all(map(_TURKISH.fullmatch, rests))


def _rule() -> Phrases:
    return phrases("revisions.toml", "rule")


def _permit() -> Phrases:
    return phrases("revisions.toml", "permit")


def _negation() -> Phrases:
    return phrases("revisions.toml", "negation")


def _condition() -> Phrases:
    return phrases("revisions.toml", "condition")
