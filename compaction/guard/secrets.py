"""Find secrets in a text: keys that show by their shape, and what a label or a command tells to be one.

Only the value is a secret; its label stays, so that a reader still sees that there is a password.
Every pattern takes up what it has looked at, or is bounded, so a text is read in linear time.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from elision.compaction.guard.secret_words import (
    LABEL,
    PASSWORD_WORDS,
    is_chosen,
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
    | do[opr]_v1_[A-Za-z0-9]{{16,}} | lin_api_[A-Za-z0-9]{{16,}}           # DigitalOcean, Linear
    | ya29\.{_W}{{16,}} | AGE-SECRET-KEY-1[A-Za-z0-9]{{16,}}
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

_SIGNED = re.compile(r"(?:[?&;]|\\u0026)(?i:sig|signature|x-(?:amz|goog)-signature)=([A-Za-z0-9%+/=_~-]{20,}+)")

_LABEL = rf"(?:{LABEL}|PGPASS)"
_QUOTE = r"\\{0,3}[\"'`]"
_COLOURS = r"(?:(?:\x1b|\\{1,2}(?:u001[bB]|x1[bB]|033|e))\[[0-9;:]{0,30}m){0,4}+"
_SCHEME = r"(?:(?i:bearer|basic|token|apikey|bot)[ \t]{1,4})?+"
_QUOTED = rf"""
      (?P<quote>\\{{1,3}}["']) {_SCHEME} (?P<escaped>[^"'\\\r\n]{{1,4000}}+) (?P=quote)
    | " {_SCHEME} (?P<double>(?:[^"\\\r\n]|\\.){{1,4000}}+) "
    | ' {_SCHEME} (?P<single>(?:[^'\\\r\n]|\\.){{1,4000}}+) '
"""
_BARE = rf"""{_SCHEME} (?P<bare>[^\s"'`<>,;&(){{}}\[\]|\\\x1b]{{1,4000}}+)"""
# A word of a command. An unquoted dollar begins a variable, and a hyphen the next option.
_ARGUMENT = r"""(?![-$]) (?P<argument>(?:[^\s"'`<>,;&(){}\[\]|\\\x1b]|,(?=[^\s,"'])){1,4000}+)"""
_ALONE = r"""(?P<line>(?:[^\s"'&<,;(){}\[\]\x1b]|[,;](?=[^\s&])){1,4000}+) (?=[ \t]*+\r?$)"""
_LABELLED = re.compile(
    rf"""
    (?P<label>{_LABEL})
    {_COLOURS} (?:{_QUOTE})?+ {_COLOURS} [ \t]{{0,8}}+ (?:=>|:=|[:=](?![:=])) {_COLOURS} [ \t]{{0,8}}+ {_COLOURS}
    (?:{_QUOTED} | {_BARE})""",
    re.VERBOSE,
)
# Alone on its line a value may hold what would end it elsewhere: DB_PASSWORD=p@ss,w0rd
_ON_ITS_LINE = re.compile(
    rf"^[ \t]{{0,20}}+(?:-[ ]|export[ ]|set[ ]|ENV[ ])?+[\w.-]{{0,80}}?(?P<label>{_LABEL})"
    r"(?:=|:[ \t]{1,8}+(?=\S++[ \t]*+$))(?P<line>[^\s\"'&<\x1b](?:[^\s&,;\x1b]|[,;](?=[^\s&])){0,4000}+)",
    re.MULTILINE,
)
_ON_THE_NEXT_LINE = re.compile(
    rf"""
    ^[+-]?+ [ \t]{{0,80}}+ (?:-[ ])?+ ["']?+ [\w.-]{{0,80}}? (?P<label>{_LABEL}) ["']?+ :
    [ \t]{{0,8}}+ (?:[|>][+-]?)?+ [ \t]{{0,8}}+ \r?\n [+-]?+ [ \t]{{1,80}}+
    (?:(?:{_QUOTED}) (?=[ \t,]*+\r?$) | (?![-\#{{\[&*!|>]) (?P<argument>[^\s"']{{2,4000}}+) (?<![:,}}\]]) (?=[ \t]*+\r?$))""",
    re.VERBOSE | re.MULTILINE,
)
# {"name": "DB_PASSWORD", "value": ...}, the same in YAML and in XML.
_NAMED = re.compile(
    rf"""
    \b(?i:name|key) (?:{_QUOTE})?+ [ \t]{{0,8}}+ [:=] [ \t]{{0,8}}+ (?:{_QUOTE})?+
    [\w.-]{{0,80}}? (?P<label>{_LABEL}) (?:{_QUOTE})?+ (?=[,\s\\]) [ \t]{{0,8}}+ ,?+ (?:\s|\\[nr]){{0,200}}+
    (?:{_QUOTE})?+ (?i:value) (?:{_QUOTE})?+ [ \t]{{0,8}}+ [:=] [ \t]{{0,8}}+
    (?:{_QUOTED} | {_ALONE} | {_BARE})""",
    re.VERBOSE | re.MULTILINE,
)
_NAMED_AFTER = re.compile(
    rf"""
    "(?i:value)" [ \t]{{0,8}}+ : [ \t]{{0,8}}+ "
    (?=(?:[^"\\\r\n]|\\.){{1,4000}}+ " \s{{0,8}}+ , \s{{0,200}}+ "(?i:name|key)" [ \t]{{0,8}}+ : [ \t]{{0,8}}+ "[\w.-]{{0,80}}? (?P<label>{_LABEL})")
    (?P<double>(?:[^"\\\r\n]|\\.){{1,4000}}+)""",
    re.VERBOSE,
)
_ELEMENT = re.compile(
    rf"""
    <[\w.:-]{{0,80}}? (?P<label>{_LABEL}) (?:\s[^<>]{{0,200}}+)?+ > \s{{0,40}}+ (?:<!\[CDATA\[)?+
    (?P<element>(?:[^<>"\r\n]|(?<=\\)"){{1,4000}}?) (?:\]\]>)?+ \s{{0,40}}+ <\\{{0,3}}/""",
    re.VERBOSE,
)
# In the midst of words, or in another language: my password for the db is X, contraseña: X.
_OTHER_LABELS = tuple(
    spelled
    for word in PASSWORD_WORDS
    for one in dict.fromkeys([word, word.capitalize(), word.upper()])
    for spelled in dict.fromkeys([one, json.dumps(one)[1:-1]])
)
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff"
_LETTER = rf"[^\W_{_NO_SPACES}]"
_SAID_VALUE = rf"""\**+ (?:
      ["'`“”„«「『‘’] (?P<quoted>[^\s"'`“”„«»「」『』‘’<>\\]{{3,200}}+) (?=["'`“”»」』’])
    | (?P<said>(?:{_LETTER}|[\#$%+@^_~=-]|[*.,:;!?/](?={_LETTER})|&(?={_LETTER})(?!\w{{1,40}}+=)){{4,200}}+))"""
_FOR = r"(?:for|of|on|at|für|von|zu|para|de|del|da|do|pour|du|per|til|för|для|от|к)"


def _said_after(label: str) -> "re.Pattern[str]":
    """What finds a label and the value it is said to have; the words between are few and in one sentence."""
    return re.compile(
        rf"""
        (?P<label>{label}) (?:
            (?:[ \t]{{1,4}}+{_FOR}[ \t][^\n.:;,=()<>"'`\\]{{1,60}}?)? [ \t]{{1,4}}+
            (?P<verb>is|was|to|(?:(?:has[ ]been|was|is)[ ])?(?:set|changed|reset)[ ]to|ist|war|lautet|es|era|est|était|è|é
              |jest|это|är|er|-|–|—|->|→) [ \t]{{1,4}}+ (?:now[ ])?+
          | (?:{_QUOTE})?+ \*{{0,2}}+ [ \t]{{0,8}}+ (?:=>|:=|[:=：＝](?![:=])) \*{{0,2}}+ [ \t]{{0,8}}+
          | [ \t]{{0,4}}+ (?:是|为|為|は|が|은|는|이|가|हो|है|คือ|هي|هو) [ \t]{{0,4}}+
        ) {_SAID_VALUE}""",
        re.VERBOSE,
    )


_SAID = _said_after(LABEL)
_SAID_OTHERWISE = _said_after(rf"(?<!{_LETTER})(?:{'|'.join(map(re.escape, _OTHER_LABELS))})")
_SETS = re.compile(r"\b(?i:set|chang|reset|updat)\w{0,4}[^\n]{0,40}$")
_GAP = rf"""(?:[ \t]{{1,8}}+(?:\\\r?\n[ \t]{{0,40}}+)?+ | {_QUOTE}\s{{0,40}}+,\s{{0,40}}+(?=\\{{0,3}}["']))"""
_FLAG = re.compile(
    rf"(?<![\w-])--?[A-Za-z-]{{0,40}}?(?P<label>{_LABEL}|(?<=-)pass){_GAP} (?:{_QUOTED} | {_ARGUMENT})", re.VERBOSE
)
_OPENS = r"""(?!\\{0,3}["'](?:[\s,:;.)\]}]|\\n|\Z))"""  # a quote that follows ends what is around the command

# What follows a command, up to its end: an escaped line end is none.
_UP_TO = r"(?:[^\\\n]|\\\r?\n|\\(?!n)){0,200}?"
_ASKS = r"sudo\b[^\n|]{0,80}?[ \t]-[A-Za-z]{0,6}S\b | [^\n|]{0,200}?--(?:password-stdin|with-token)\b | passwd\b[^\n|]{0,80}?--stdin\b"
# What cannot be but a password where it stands; labels do not tell of it.
_TOLD = tuple(
    re.compile(pattern, re.VERBOSE)
    for pattern in (
        rf"""\bcurl\b {_UP_TO} (?<![\w-]) (?: -[A-Za-z]{{0,6}}u(?:{_GAP})?+ | --(?:proxy-)?user(?:=|{_GAP}) )
             (?:{_QUOTE})?+ [^\s:"'`\\/]{{1,100}}+ : (?!//) (?P<argument>[^\s"'`\\<>|;&]{{1,4000}}+)""",
        rf"""\b(?:mysql|mariadb)[\w-]{{0,20}}+ (?=[ \t"']) {_UP_TO} [ \t"'] -p(?!(?:ort|rotocol|rompt|ipe|ager|lugin)) {_OPENS}
             (?:{_QUOTED} | {_ARGUMENT})""",
        rf"\bsshpass (?:[ \t]{{1,8}}+-v)?+ (?:{_GAP}) \\{{0,3}}[\"']?+ -p(?:{_GAP})?+ {_OPENS} (?:{_QUOTED} | {_ARGUMENT})",
        rf"\bredis-cli\b {_UP_TO} [ \t\"'] (?:-a|--pass){_GAP} (?:{_QUOTED} | {_ARGUMENT})",
        rf"\b(?:docker|podman|nerdctl|buildah|skopeo|registry|oras|az|acr)[ \t\"',]{{1,8}}+ login\b {_UP_TO} [ \t\"'] -p{_GAP} (?:{_QUOTED} | {_ARGUMENT})",
        rf"\b(?:echo|printf)[ \t]{{1,4}}+ (?:-[neE]{{1,3}}[ \t]{{1,4}}+)?+ (?:{_QUOTED} | {_ARGUMENT}) [ \t]{{0,8}}+ \| [ \t]{{0,8}}+ (?:{_ASKS})",
        rf"\bsudo\b [^\n|]{{0,40}}? [ \t]-[A-Za-z]{{0,6}}S\b [^\n|]{{0,80}}? <<< [ \t]{{0,4}}+ (?:{_QUOTED} | {_ARGUMENT})",
        rf"""(?<!is[ ])(?<!are[ ])(?<!be[ ])(?i:\bidentified\s{{1,8}}+ (?:with\s{{1,8}}+ ["'`]?\w{{1,60}}+["'`]?\s{{1,8}}+)?+ (?:by|as)\s{{1,8}}+ (?:password\s{{1,8}}+)?+)
             (?:{_QUOTED})""",
        rf"""(?i:\b(?:with|encrypted|login|superuser|createdb|(?:user|role)\s{{1,8}}+["\w.-]{{1,80}}+) \s{{1,8}}+ password\s{{1,8}}+)
             (?:{_QUOTED})""",
        r"""\bmachine[ \t]{1,8}+\S{1,200}+ (?:\s{1,40}+(?:login|account)[ \t]{1,8}+\S{1,200}+){0,2}+
            \s{1,40}+ password[ \t]{1,8}+ (?P<argument>[^\s"'`<>\\]{1,4000}+)
            (?![ \t]{1,8}+(?!machine|login|account|macdef|default)[A-Za-z])""",
        rf"""(?:\b[Bb]asic_?[Aa]uth|\bauth|BasicAuth) (?:[ ]?=[ ]?[(\[]|\() \s{{0,40}}+
             (?:{_QUOTE}[^"'\\\n]{{0,100}}+{_QUOTE}|[\w.]{{1,80}}+) \s{{0,8}}+ , \s{{0,40}}+ (?:{_QUOTED})""",
    )
)
_COOKIES = re.compile(r"(?i:\bcookie)(?:\\{0,3}[\"'])?+[ \t]{0,8}+(?:[:=]|,|(?=\\{0,3}[\"']))[ \t]{0,8}+(?:\\{0,3}[\"'])?+([^\r\n\"'\\]{1,8000}+)")
_COOKIE = re.compile(r"(?<![\w.$-])([\w.$-]{1,100}+)=([^\s;,<>]++)")
_SESSION = re.compile(r"sess|sid$|auth|token|jwt|csrf|xsrf|remember|login", re.IGNORECASE)
# --password string, --secret db-creds-2: what manuals and names of secrets look like.
_NAME = re.compile(r"(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)(?:[._-](?:[A-Za-z]+|\d{1,3}))*[.:!?]*|[A-Za-z_-]+=[^=].*")
_LABELS = (_LABELLED, _ON_ITS_LINE, _ON_THE_NEXT_LINE, _NAMED, _NAMED_AFTER, _ELEMENT, _FLAG)
_NAME_BEFORE = re.compile(r"[A-Za-z_-]*$")
_ASSIGNED = re.compile(r"\w=$")
_PASSWORD = re.compile(r"pass|pwd|pw", re.IGNORECASE)
_GOES_ON = re.compile(r"[ \t][A-Za-z]")


def find_secrets(text: str) -> list[Span]:
    """The values of secrets, in text order, not overlapping; labels and quotes are outside."""
    found = [*_keys(text), *_private_keys(text), *_sent(text), *_told(text), *_cookies(text), *_said(text)]
    return list(_joined([*found, *(span for pattern in _LABELS for span in _labelled(text, pattern))]))


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
    """Passwords and signatures in URLs, and tokens after ``Bearer``."""
    for match in _IN_URL.finditer(text):
        if not stands_for_another(match[1]):
            yield Span(*match.span(1))
    for pattern in (_BEARER, _SIGNED):
        for match in pattern.finditer(text):
            if looks_random(match[1]):
                yield Span(*match.span(1))


def _told(text: str) -> Iterator[Span]:
    """Passwords that a command, a statement or a call is given."""
    for pattern in _TOLD:
        for match in pattern.finditer(text):
            kind = match.lastgroup or ""
            if is_secret("", "password", match[kind], quoted=True):
                yield Span(*match.span(kind))


def _said(text: str) -> Iterator[Span]:
    """Passwords told in words."""
    for match in _SAID.finditer(text):
        yield from _told_by(text, match, match["label"])
    if any(label in text for label in _OTHER_LABELS):
        for match in _SAID_OTHERWISE.finditer(text):
            yield from _told_by(text, match, "password")


def _told_by(text: str, match: "re.Match[str]", label: str) -> Iterator[Span]:
    """The value, if it is no word; in quotes behind a verb any word may be a password."""
    span, quoted = Span(*match.span(match.lastgroup or "")), match.lastgroup == "quoted"
    value, verb = span.of(text), match["verb"]
    if verb == "to" and not _SETS.search(text, max(0, match.start() - 60), match.start()):
        return
    if not quoted and _is_code_or_prose(text, span):
        return
    sure = is_chosen(value) or (quoted and verb and _PASSWORD.match(label))
    if sure and is_secret(_before(text, match), label, value, quoted):
        yield span


def _cookies(text: str) -> Iterator[Span]:
    for header in _COOKIES.finditer(text):
        for match in _COOKIE.finditer(text, *header.span(1)):
            name, value = match.groups()
            known = bool(_SESSION.search(name)) and is_secret("", "secret", value, quoted=True)
            if (known and len(value) >= 6) or (len(value) >= 20 and looks_random(value)):
                yield Span(*match.span(2))


def _labelled(text: str, pattern: "re.Pattern[str]") -> Iterator[Span]:
    for match in pattern.finditer(text):
        kind = match.lastgroup or ""
        span = Span(*match.span(kind))
        value = span.of(text)
        quoted = kind not in ("bare", "line", "argument")
        if not quoted and _is_code_or_prose(text, span):
            continue
        if kind == "argument" and not _is_argument(match["label"], value):
            continue
        if value and is_secret(_before(text, match), match["label"], value, quoted):
            yield span


def _before(text: str, match: "re.Match[str]") -> str:
    """The rest of the name that a label ends."""
    start = match.start("label")
    found = _NAME_BEFORE.search(text, max(0, start - 40), start)
    return found[0] if found else ""


def _is_code_or_prose(text: str, span: Span) -> bool:
    """Whether an unquoted value is a call, or the first word of a sentence."""
    called = text[span.stop : span.stop + 1] in ("(", "[") or "(" in span.of(text)
    assigned = _ASSIGNED.search(text, max(0, span.start - 2), span.start)
    return called or (not assigned and span.of(text).isalpha() and bool(_GOES_ON.match(text, span.stop)))


def _is_argument(label: str, value: str) -> bool:
    """Whether an unquoted word may be a secret; behind ``--private-key`` mostly the name of a file is."""
    if label[-3:].lower() == "key":
        return len(value) >= 16 and looks_random(value)
    return not _NAME.fullmatch(value)


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
