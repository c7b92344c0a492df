"""Read numbers as what they are worth, however they are written.

``1,200``, ``1 200``, ``1.200``, ``1200`` and ``1.2k`` may be the same number, ``１２`` is 12, and 1.5 s are
1500 ms. What a spelling may mean is a set of readings; two spellings agree if they have one in common. A
unit or a sign may be left out, or put to a number that has none; neither may be changed for another.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from elision.compaction.summary.units import (
    CURRENCY,
    HYPHENED_UNIT,
    SPACE,
    SPACED_UNIT,
    UNIT,
    is_scale,
    meanings,
)

_FOREIGN_DIGIT = regex.compile(r"(?![0-9])\p{Nd}")
_SPACES = "\u00a0\u202f\u2009"
NUMBER = rf"[0-9]++(?:[.,'’_{_SPACES}][0-9]++)*+"
BEHIND = rf"(?=[{SPACE}\-‐]?[^\W\p{{N}}_]|[%％‰°{CURRENCY}])({UNIT}|[{SPACE}]{SPACED_UNIT}|[\-‐]{HYPHENED_UNIT})"
_SIGN = r"(?<![\p{L}\p{N}_)\]}])[+\-−]"
_IN_TEXT = regex.compile(
    rf"(?=[+\-−0-9{CURRENCY}])(?:({_SIGN})?+([{CURRENCY}])|({_SIGN})|(?<![A-Za-wyz_]|(?<![0-9])[xX]|[0-9]\.))"
    rf"({NUMBER}(?!(?!x[0-9])[A-Za-z]{{1,4}}[0-9])|[0-9]++(?:\.[0-9]++|,[0-9]{{3}}(?![0-9]))*+(?=,))(?:{BEHIND})?+"
)
_SPACED = regex.compile(rf"(?<![0-9])([0-9]{{1,3}}(?: [0-9]{{3}})++)(?![0-9])(?:{BEHIND})?+")
SPAN = regex.compile(rf"({NUMBER})(?:({UNIT})?+(?:\.\.|[-–—/])|[×x])({NUMBER})({UNIT})?+")
_PAIR = regex.compile(r",(?![0-9]{3}(?![0-9]))")
_LONGEST = 40  # a longer run of digits is an id: its spelling is its only reading
_ALIKE = {"": ("", "+", "-"), "+": ("", "+"), "-": ("", "-")}  # signs of a source that bear a sign out
_WORDS = (
    "zero one two three four five six seven eight nine ten",
    "null eins zwei drei vier fünf sechs sieben acht neun zehn",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez",
    "zéro un deux trois quatre cinq six sept huit neuf dix",
    "ноль один два три четыре пять шесть семь восемь девять десять",
)
_WORTH = {word: str(worth) for words in _WORDS for worth, word in enumerate(words.split())}
_WORD = regex.compile(
    r"(?<!\p{L})(?:" + "|".join(map(regex.escape, _WORTH)) + r")(?!\p{L})", regex.IGNORECASE
)
_IDEOGRAPHS = {character: str(worth) for worth, character in enumerate("零一二三四五六七八九十")} | {
    "两": "2"
}
_IDEOGRAPH = regex.compile("[" + "".join(_IDEOGRAPHS) + "]")


@dataclass(frozen=True, slots=True)
class Figure:
    """What a number with its sign and unit may mean.

    Attributes:
        sign: ``+``, ``-`` or empty.
        plain: What it may be worth without its unit; a scale such as ``k`` is no unit.
        measures: Kinds of measure, each with the worth in its smallest unit; without a unit the kind is empty.
    """

    sign: str
    plain: frozenset[str]
    measures: frozenset[tuple[str, str]]


class Figures:
    """The figures of a text."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self._plain: set[str] = set()
        self._measures: set[tuple[str, str, str]] = set()
        for figure in figures:
            self._plain.update(figure.sign + worth for worth in figure.plain)
            self._measures.update((figure.sign, *measure) for measure in figure.measures)

    def bear_out(self, figure: Figure) -> bool:
        """Whether one of them may be meant by a figure."""
        bare = {worth for kind, worth in figure.measures if not kind}
        return any(
            not self._plain.isdisjoint(sign + worth for worth in bare)
            or not self._measures.isdisjoint((sign, *measure) for measure in figure.measures)
            or not self._measures.isdisjoint((sign, "", worth) for worth in figure.plain)
            for sign in _ALIKE[figure.sign]
        )


def ascii_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9; character for character."""
    if text.isascii():
        return text
    return str(_FOREIGN_DIGIT.sub(lambda digit: _decimal(digit[0]), text))


def readings(number: str) -> frozenset[str]:
    """What a number may be worth, as plain decimals; empty if it is a version or an address, such as ``1.2.3``.

    Args:
        number: Digits 0 to 9 with separators, neither sign nor unit.
    """
    return frozenset(_plain_readings(number))


def figure(number: str, unit: str = "", sign: str = "", currency: str = "") -> Figure:
    """What a number means with what stands around it; with a currency only a scale may stand behind it."""
    worth = readings(number)
    unit = unit.lstrip(f"{SPACE}-‐")
    scale = is_scale(unit)
    means = meanings(unit) if unit and (scale or not currency) else (("", 1),)
    measures = {(kind, _times(one, factor)) for one in worth for kind, factor in means}
    plain = {one for kind, one in measures if not kind}
    if currency:
        measures = {(kind, one) for kind, _ in meanings(currency) for one in plain}
    return Figure(sign.replace("−", "-"), frozenset(plain if scale else plain | worth), frozenset(measures))


def figures(text: str) -> Figures:
    """Every figure of a text, small numbers in words too; the text in ASCII digits."""
    return Figures(_figures(text))


def _figures(text: str) -> Iterator[Figure]:
    for first, currency, sign, number, unit in {match.groups("") for match in _IN_TEXT.finditer(text)}:
        yield figure(number, unit, first or sign, currency)
        if _PAIR.search(number):  # app.ts(223,23): two numbers, which a writer may tell one by one
            for part in {*number.split(","), *_PAIR.split(number)}:
                yield from (figure(part), figure(part, unit))
    for number, unit in {match.groups("") for match in _SPACED.finditer(text)}:
        yield figure(number.replace(" ", ""), unit)
    words = {match[0].lower() for match in _WORD.finditer(text)}
    yield from (figure(_WORTH[word]) for word in words if word in _WORTH)
    yield from (figure(_IDEOGRAPHS[one]) for one in {match[0] for match in _IDEOGRAPH.finditer(text)})


def _plain_readings(number: str) -> Iterator[str]:
    marks = [character for character in number if not character.isdigit()]
    digits = "".join(character for character in number if character.isdigit())
    groups = regex.split(r"[^0-9]", number)
    whole = len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    if not marks or len(digits) > _LONGEST:
        yield _trimmed(digits)
        return
    same = len(set(marks)) == 1
    if same and (whole or marks[0] not in ".,"):
        yield _trimmed(digits)
    if marks[-1] in ".," and (len(marks) == 1 or marks.count(marks[-1]) == 1):
        fraction = groups[-1].rstrip("0")
        yield _trimmed(digits[: len(digits) - len(groups[-1])]) + (f".{fraction}" if fraction else "")


def _decimal(character: str) -> str:
    """The digit, or the character where this Python's tables are older than the pattern's."""
    worth = unicodedata.decimal(character, None)
    return character if worth is None else str(worth)


def _times(reading: str, factor: int) -> str:
    if factor == 1 or len(reading) > _LONGEST:
        return reading
    whole, _, fraction = reading.partition(".")
    product = str(int(whole + fraction) * factor).rjust(len(fraction) + 1, "0")
    point = len(product) - len(fraction)
    rest = product[point:].rstrip("0")
    return _trimmed(product[:point]) + (f".{rest}" if rest else "")


def _trimmed(digits: str) -> str:
    return digits.lstrip("0") or "0"
