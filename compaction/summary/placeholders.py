"""Put placeholders in the place of secrets before texts leave, and the secrets back into what returns.

A secret is found by its shape or its label; once it is known it is hidden wherever it stands, labelled or
not. Every spelling of a secret has one placeholder, which none of the texts held before. It is put back
only where it would be found again by whoever knows nothing but the new text; one that its label alone had
told of takes a label along.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import regex

from elision.compaction.guard.secret_words import PLACEHOLDER
from elision.compaction.raw_json import replaced, spell
from elision.compaction.summary.secret_spots import HERE, Spot, spots
from elision.model.types import Span

# A placeholder can show that what stands next to it is a secret.
_ROUNDS = 3
# A secret that is a word, or as short as one, is hidden only where a label tells of it: postgres, 123456.
_SHORT, _WORD = 8, 14
_BORDERLESS = 16  # from here on it is hidden inside a longer word too
# How a secret is spelled where it is put back, the first that is found again.
_FORMS = ("{}", "secret={}", 'secret="{}"')
# Where a secret takes a label, which it cannot in the midst of a word.
_BEGINS, _ENDS = regex.compile(r"(?<![\w/@:=.\]-])"), regex.compile(r"(?![\w/@=\[-]|\.\w)")


@dataclass(frozen=True, slots=True)
class _Secret:
    """One spelling of a secret.

    Attributes:
        spelling: As it stands in a text.
        shown: What stands there instead; around the `placeholder` the quotes that a bare JSON value needs.
        round: In which round it was found; what was found later is put back first.
    """

    spelling: str
    shown: str
    placeholder: str
    round: int


@dataclass(frozen=True)
class Veil:
    """What hides the secrets of some texts, and puts them back."""

    _secrets: tuple[_Secret, ...] = ()
    _values: tuple[str, ...] = field(default=(), repr=False)
    _known: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"Veil({len(self._secrets)} secrets)"

    @classmethod
    def of(cls, texts: Iterable[str], others: Iterable[str] = ()) -> "Veil":
        """Learn the secrets of these texts, and what others tell of them."""
        originals = list(dict.fromkeys(texts))
        shown, changed, learned = list(originals), set(range(len(originals))), _Learned(_stem(originals))
        known = set(originals)
        besides = [text for text in dict.fromkeys(others) if text not in known]
        learned.values |= dict.fromkeys(spot.value for text in besides for spot in spots(text))
        for number in range(_ROUNDS):
            told = {at: [spot.value for spot in spots(shown[at])] for at in sorted(changed)}
            learned.values |= dict.fromkeys(value for values in told.values() for value in values)
            finder = _finder(learned.values)
            holding = (at for at in told if told[at] or (finder and finder.search(shown[at])))
            hidden = {at: learned.hidden(shown[at], finder, number) for at in holding}
            changed = {at for at, text in hidden.items() if text != shown[at]}
            for at in changed:
                shown[at] = hidden[at]
        return cls(
            tuple(learned.secrets.values()), tuple(learned.values), dict(zip(originals, shown, strict=True))
        )

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The placeholders, in the order in which their secrets were found."""
        return tuple(secret.placeholder for secret in self._secrets)

    def hidden(self, text: str) -> str:
        """The text with placeholders for its secrets.

        In a text that the veil was not made of, a secret that it does not know becomes ``[redacted]``, for good.
        """
        if text in self._known:
            return self._known[text]
        known = {(one.spelling, one.shown.replace(one.placeholder, HERE)): one.shown for one in self._secrets}
        for _ in range(_ROUNDS):
            places = spots(text, self._finder)
            text = replaced(text, [(one.span, _shown(one, text, known)) for one in places])
            if not places:
                break
        return text

    def restored(self, text: str) -> str:
        """The text with the secrets in place of their placeholders, wherever they are found again.

        A placeholder that stands apart gets its secret with a label if it is not found without. In the midst
        of a word it stays, and so does any other whose secret would not be found.
        """
        pattern = regex.compile(r"\L<shown>", shown=list(self._spelled), ignore_unused=True)
        places = list(pattern.finditer(text)) if self._spelled else []
        forms = [0] * len(places)
        while True:
            back, secrets = _put(text, places, self._spelled, forms)
            found = [spot.span for spot in spots(back)] if secrets else []
            lost = [at for at, secret in secrets.items() if not _is_found(secret, found, back)]
            if not lost:
                return back
            for at in lost:
                start, stop = places[at].span()
                apart = _BEGINS.match(text, start) and _ENDS.match(text, stop)
                forms[at] += 1 if apart else len(_FORMS)

    @cached_property
    def _spelled(self) -> Mapping[str, str]:
        """The spelling of each secret by what may stand for it."""
        whole: dict[str, str] = {}
        for number in range(_ROUNDS):  # what was found later may hold placeholders of what was found before
            of_round = [one for one in self._secrets if one.round == number]
            spelled = {one: _replaced(one.spelling, whole) for one in of_round}
            whole |= {shown: spelled[one] for one in of_round for shown in (one.shown, one.placeholder)}
        return whole

    @cached_property
    def _finder(self) -> "regex.Pattern[str] | None":
        return _finder(self._values)


class _Learned:
    """The secrets so far, by their spelling and by what has to stand around a placeholder."""

    def __init__(self, stem: str) -> None:
        self._stem = stem
        self.secrets: dict[tuple[str, str, int], _Secret] = {}
        self.values: dict[str, None] = {}

    def hidden(self, text: str, finder: "regex.Pattern[str] | None", number: int) -> str:
        """The text with what is known hidden; every new spelling gets its placeholder."""
        places = spots(text, finder)
        return replaced(text, [(place.span, self._shown(place, text, number)) for place in places])

    def _shown(self, place: Spot, text: str, number: int) -> str:
        key = place.span.of(text), place.around, number
        if key not in self.secrets:
            placeholder = f"[{self._stem}-{len(self.secrets) + 1}]"
            self.secrets[key] = _Secret(key[0], place.around.replace(HERE, placeholder), placeholder, number)
        return self.secrets[key].shown


def _shown(place: Spot, text: str, known: Mapping[tuple[str, str], str]) -> str:
    return known.get((place.span.of(text), place.around)) or place.around.replace(HERE, PLACEHOLDER)


def _stem(texts: Sequence[str]) -> str:
    """What placeholders begin with: nothing like it stands in the texts."""
    stem, number = "secret", 1
    while any(f"[{stem}-" in text for text in texts):
        number += 1
        stem = f"secret{number}x"
    return stem


def _finder(values: Iterable[str]) -> "regex.Pattern[str] | None":
    """What finds known secrets without their labels, as they are and as JSON spells them."""
    spellings = {spelling for value in values if _tells(value) for spelling in _spellings(value)}
    if not spellings:
        return None
    long = sorted(one for one in spellings if len(one) >= _BORDERLESS)
    short = sorted(one for one in spellings if len(one) < _BORDERLESS)
    lists = [r"\L<long>"] * bool(long)  # an empty list would find the empty text
    lists += [r"(?<![\p{L}\p{N}])\L<short>(?![\p{L}\p{N}])"] * bool(short)
    return regex.compile("|".join(lists), ignore_unused=True, long=long, short=short)


def _tells(value: str) -> bool:
    """Whether a secret is one wherever it stands, not just a word that is used as one."""
    return len(value) >= _WORD or (len(value) >= _SHORT and not (value.isalpha() or value.isdigit()))


def _spellings(value: str) -> Iterator[str]:
    yield value
    once = spell(value)[1:-1]
    yield once
    yield spell(once)[1:-1]


def _replaced(text: str, spelled: Mapping[str, str]) -> str:
    pattern = regex.compile(r"\L<shown>", shown=list(spelled), ignore_unused=True)
    return pattern.sub(lambda found: spelled[found[0]], text) if spelled else text


def _put(
    text: str, places: "Sequence[regex.Match[str]]", spelled: Mapping[str, str], forms: Sequence[int]
) -> tuple[str, dict[int, Span]]:
    """The text with each place in its form, and where the secrets of those stand that have one."""
    pieces, secrets, stop, length = [], {}, 0, 0
    for at, (place, form) in enumerate(zip(places, forms, strict=True)):
        secret = spelled[place[0]]
        before, behind = _FORMS[form].split("{}") if form < len(_FORMS) else ("", "")
        piece = f"{before}{secret}{behind}" if form < len(_FORMS) else place[0]
        length += place.start() - stop
        if form < len(_FORMS):
            secrets[at] = Span(length + len(before), length + len(before) + len(secret))
        pieces += [text[stop : place.start()], piece]
        stop, length = place.end(), length + len(piece)
    return "".join([*pieces, text[stop:]]), secrets


def _is_found(secret: Span, found: Sequence[Span], text: str) -> bool:
    """Whether one of the spans, which are in order, holds the secret and no word besides."""
    at = bisect_right(found, secret.start, key=lambda one: one.start) - 1
    if at < 0 or found[at].stop < secret.stop:
        return False
    besides = text[found[at].start : secret.start] + text[secret.stop : found[at].stop]
    return not any(map(str.isalnum, besides))
