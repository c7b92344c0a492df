"""What the user wants: the first request with any substance, what was called the goal, and the latest request."""

from collections.abc import Sequence

import regex

from elision.compaction.conversation import Role
from elision.compaction.pins.lexicon import hear, only, phrases
from elision.compaction.pins.speech import Utterance, sentences
from elision.compaction.pins.types import HistoryPin, PinKind
from elision.model.types import Span

LONGEST_GOAL = 600  # characters
MOST_GOALS = 12  # said later; the first request is one besides
_FIRST_GOALS = 4  # of these, the first ones: what a task began with outlives its latest turns
LONGEST_REQUEST = 1500
_SHORT = 80  # longer is no greeting
_MARKUP = regex.compile(r"</?[a-z][\w-]{0,40}>")  # clients put what follows a command into tags
_COMMAND = regex.compile(r"/[\w:-]{1,60}")  # of a client: it says nothing of what is wanted
_PARAGRAPH = regex.compile(r"\n[ \t]*\n")
_SENTENCE = regex.compile(r"[.!?…]\s|[。！？]|\n")


def requests(said: Sequence[Utterance], begun: bool = False) -> list[HistoryPin]:
    """The goal, and the latest request where that is another one.

    Of a request that is too long its first paragraphs or sentences are taken; of the latest one also its
    last, for people paste first and ask then.

    Args:
        begun: Whether the work began before the first of these: then that is no goal by its place.
    """
    asked = [(one, span) for one in said if one.role is Role.USER and (span := _substance(one)) is not None]
    if not asked:
        return []
    first, span = asked[0]
    if begun:
        pins = _goals(said, -1)
    else:
        pins = [_pin(PinKind.GOAL, first, _beginning(first.text, span, LONGEST_GOAL))]
        pins += _goals(said, first.index)
    latest, span = asked[-1]
    if latest.index == first.index and len(span) <= LONGEST_GOAL and not begun:
        return pins
    if len(span) <= LONGEST_REQUEST:
        return [*pins, _pin(PinKind.REQUEST, latest, span)]
    head = _beginning(latest.text, span, LONGEST_REQUEST * 2 // 3)
    tail = _end(latest.text, Span(head.stop, span.stop), LONGEST_REQUEST // 3)
    return [*pins, _pin(PinKind.REQUEST, latest, head), _pin(PinKind.REQUEST, latest, tail)]


def _goals(said: Sequence[Utterance], first: int) -> list[HistoryPin]:
    """What the user later called the goal; of many the first few and the newest."""
    found: dict[str, HistoryPin] = {}
    for utterance in said:
        if utterance.role is not Role.USER or utterance.index == first:
            continue
        for line in utterance.lines:
            for sentence in sentences(utterance.text, line):
                text = sentence.of(utterance.text)
                if not text.endswith("?") and phrases("goals.toml", "goal").said(hear(text)):
                    found.pop(text, None)
                    found[text] = _pin(PinKind.GOAL, utterance, sentence)
    return first_and_newest(list(found.values()))


def first_and_newest(goals: list[HistoryPin]) -> list[HistoryPin]:
    """Of too many goals the first few and the newest."""
    return goals if len(goals) <= MOST_GOALS else [*goals[:_FIRST_GOALS], *goals[_FIRST_GOALS - MOST_GOALS :]]


def is_filler(text: str) -> bool:
    """Whether a whole message asks for nothing new: a greeting, thanks, "go on", a client's bare command."""
    short = _MARKUP.sub(" ", text).strip()
    return not any(map(str.isalpha, short)) or _COMMAND.fullmatch(short) is not None or (
        len(short) <= _SHORT and only("waiting.toml", "filler").fullmatch(short) is not None
    )


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence of the agent is politeness: "Good catch!", "Feel free to ask"."""
    return is_filler(sentence) or phrases("waiting.toml", "courtesy").said(hear(sentence))


def _substance(utterance: Utterance) -> Span | None:
    """The longest stretch that says something, without the white space around it."""
    stretches = [part for part in utterance.parts if not is_filler(part.of(utterance.text))]
    return _stripped(utterance.text, max(stretches, key=len)) if stretches else None


def _pin(kind: PinKind, utterance: Utterance, span: Span) -> HistoryPin:
    return HistoryPin(kind, span.of(utterance.text), utterance.source, utterance.index)


def _beginning(text: str, span: Span, most: int) -> Span:
    if len(span) <= most:
        return span
    least = span.start + most // 3
    for border in (_PARAGRAPH, _SENTENCE):
        ends = [match.end() for match in border.finditer(text, least, span.start + most)]
        if ends:
            return _stripped(text, Span(span.start, ends[-1]))
    white = text.rfind(" ", least, span.start + most)
    return _stripped(text, Span(span.start, white if white > 0 else span.start + most))


def _end(text: str, span: Span, most: int) -> Span:
    if len(span) <= most:
        return _stripped(text, span)
    start = span.stop - most
    for border in (_PARAGRAPH, _SENTENCE):
        found = border.search(text, start, span.stop - most // 3)
        if found:
            return _stripped(text, Span(found.end(), span.stop))
    white = text.find(" ", start, span.stop)
    return _stripped(text, Span(white if white > 0 else start, span.stop))


def _stripped(text: str, span: Span) -> Span:
    body = span.of(text)
    return Span(span.start + len(body) - len(body.lstrip()), span.stop - len(body) + len(body.rstrip()))
