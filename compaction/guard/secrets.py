"""Find secrets in a text: keys that show by their shape, and what stands behind a telling label.

Only the value is a secret; its label stays, so that a reader still sees that there is a password.
Every pattern takes up what it has looked at, or is bounded, so a text is read in linear time.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from elision.compaction.guard.secret_words import (
    LABEL,
    is_secret,
    looks_random,
    stands_for_another,
)
from elision.model.types import Span

_W = "[A-Za-z0-9_-]"
_KEY = re.compile(
    rf"""
    (?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:
      sk-(?:ant|proj|svcacct|admin|or)-{_W}{{10,}}          # Anthropic, OpenAI, OpenRouter
    | (?P<plain>sk-{_W}{{16,}} | pypi-{_W}{{32,}})          # also what is no key: sk-container-id-1
    | gh[opusr]_[A-Za-z0-9]{{30,}} | github_pat_\w{{22,}}
    | gl(?:pat|dt|rt|cbt|ptt)-{_W}{{20,}}
    | (?:AKIA|ASIA)[A-Z0-9]{{16}}(?![A-Za-z0-9])
    | xox[abeoprs]-{_W}{{10,}} | xapp-{_W}{{10,}}           # Slack
    | AIza{_W}{{35}}                                        # Google
    | [sr]k_(?:live|test)_[A-Za-z0-9]{{10,}} | whsec_[A-Za-z0-9]{{16,}}    # Stripe
    | npm_[A-Za-z0-9]{{36}} | hf_[A-Za-z0-9]{{30,}} | gsk_[A-Za-z0-9]{{30,}}
    | eyJ{_W}++(?P<jwt>\.eyJ{_W}++(?:\.{_W}*+)?)?           # what comes to nothing is taken up as well
    )""",
    re.VERBOSE | re.ASCII,
)
_PEM = re.compile(r"-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"(?:\s|\\[nr]|[A-Za-z0-9+/=]{20,}+)*+[A-Za-z0-9+/=]*+")
_LONGEST_PEM = 20_000
_EDGES = re.compile(r"(?:\s|\\[nr]|[\"'+,])*+")
_IN_URL = re.compile(r"://[^\s/?#:@\"'<>\\]{0,100}+:([^\s/?#\"'<>\\]{1,300})@")
_BEARER = re.compile(r"\b[Bb]earer[ \t]{1,4}([A-Za-z0-9._~+/-]{16,}+=*+)")

_SCHEME = r"(?:(?i:bearer|basic|token|apikey|bot)[ \t]{1,4})?+"
_LABELLED = re.compile(
    rf"""
    (?P<label>{LABEL})
    (?:\\{{0,3}}["'`])?+ [ \t]{{0,8}}+ (?:=>|:=|[:=](?![:=])) [ \t]{{0,8}}+
    (?:
      (?P<quote>\\{{1,3}}["']) {_SCHEME} (?P<escaped>[^"'\\\r\n]{{1,4000}}+) (?P=quote)
    | " {_SCHEME} (?P<double>(?:[^"\\\r\n]|\\.){{1,4000}}+) "
    | ' {_SCHEME} (?P<single>(?:[^'\\\r\n]|\\.){{1,4000}}+) '
    | {_SCHEME} (?P<bare>[^\s"'`<>,;&(){{}}\[\]|\\]{{1,4000}}+)
    )""",
    re.VERBOSE,
)
# Alone on its line a value may hold what would end it elsewhere: DB_PASSWORD=p@ss,w0rd
_ON_ITS_LINE = re.compile(
    rf"^[ \t]{{0,20}}+(?:-[ ]|export[ ]|set[ ]|ENV[ ])?+[\w.-]{{0,80}}?(?P<label>{LABEL})"
    r"(?:=|:[ \t]{1,8}+(?=\S++[ \t]*+$))(?P<line>[^\s\"'&<](?:[^\s&,;]|[,;](?=[^\s&])){0,4000}+)",
    re.MULTILINE,
)
_NAME_BEFORE = re.compile(r"[A-Za-z_-]*$")
_GOES_ON = re.compile(r"[ \t][A-Za-z]")


def find_secrets(text: str) -> list[Span]:
    """The values of secrets, in text order, not overlapping; labels and quotes are outside."""
    found = [*_keys(text), *_private_keys(text), *_sent(text), *_labelled(text, _LABELLED)]
    return list(_joined([*found, *_labelled(text, _ON_ITS_LINE)]))


def _keys(text: str) -> Iterator[Span]:
    for match in _KEY.finditer(text):
        key = match[0]
        if key.startswith("eyJ"):
            found = match["jwt"] is not None
        elif match["plain"]:
            found = any(len(run) >= 16 and looks_random(run) for run in re.split("[_-]", key))
        else:
            found = len(set(key[-10:])) > 2  # ghp_xxxxxxxxxx
        if found:
            yield Span(*match.span())


def _private_keys(text: str) -> Iterator[Span]:
    marks = list(_PEM.finditer(text))
    for mark, after in zip_longest(marks, marks[1:]):
        if mark[1] == "END":
            continue
        start = mark.end()
        if after and after[1] == "END" and after.start() - start <= _LONGEST_PEM:
            stop = after.start()
        else:
            body = _PEM_BODY.match(text, start, start + _LONGEST_PEM)
            stop = body.end() if body else start
        yield from _without_edges(text, start, stop)


def _without_edges(text: str, start: int, stop: int) -> Iterator[Span]:
    """The stretch without line ends and quotes around it, so that the marks keep their lines."""
    edge = _EDGES.match(text, start, stop)
    start = edge.end() if edge else start
    body = re.sub(r"(?:\s|\\[nr]|[\"'+,]){1,40}$", "", text[start:stop])
    if body and not stands_for_another(body):
        yield Span(start, start + len(body))


def _sent(text: str) -> Iterator[Span]:
    """Passwords in URLs, and tokens after ``Bearer``."""
    for match in _IN_URL.finditer(text):
        if not stands_for_another(match[1]):
            yield Span(*match.span(1))
    for match in _BEARER.finditer(text):
        if looks_random(match[1]):
            yield Span(*match.span(1))


def _labelled(text: str, pattern: "re.Pattern[str]") -> Iterator[Span]:
    for match in pattern.finditer(text):
        kind = match.lastgroup or ""
        span = Span(*match.span(kind))
        value, label_at = span.of(text), match.start("label")
        quoted = kind not in ("bare", "line")
        if not quoted and _is_code_or_prose(text, span):
            continue
        before = _NAME_BEFORE.search(text, max(0, label_at - 40), label_at)
        if value and is_secret(before[0] if before else "", match["label"], value, quoted):
            yield span


def _is_code_or_prose(text: str, span: Span) -> bool:
    """Whether an unquoted value is a call, or the first word of a sentence."""
    called = text[span.stop : span.stop + 1] in ("(", "[") or "(" in span.of(text)
    return called or (span.of(text).isalpha() and bool(_GOES_ON.match(text, span.stop)))


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans in order, those that touch or overlap as one."""
    start = stop = -1
    for span in sorted(spans):
        if span.start > stop:
            if stop > start:
                yield Span(start, stop)
            start = span.start
        stop = max(stop, span.stop)
    if stop > start:
        yield Span(start, stop)
