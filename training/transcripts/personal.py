"""Find what must not leave a machine in a text: secrets, and data that names a person.

Secrets are found by the compaction room's own finder, which knows labels and quotes, and by the key
patterns of detect-secrets; one that was found is known wherever it stands. E-mail addresses, user names in home paths, phone numbers and public IP
addresses are personal; reserved example domains, service accounts and private addresses are nobody's.
Names of people in prose are not found: that takes a model, and would hide authors of code and text.
"""

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import phonenumbers

from elision.compaction.guard.secret_words import LABEL, looks_random, stands_for_another
from elision.compaction.guard.secrets import find_secrets

SECRET, EMAIL, USER, PHONE, ADDRESS = "secret", "e-mail address", "user name", "phone number", "IP address"


class Find(NamedTuple):
    """Where something was found in a text, and what it is.

    Attributes:
        after_separator: Whether a backslash right before it parts a path, and begins no escape.
    """

    start: int
    stop: int
    kind: str
    after_separator: bool = False


# detect-secrets has more, but those guess from entropy, know labels only, as our own finder does, or, as
# npm's and OpenAI's, take quadratic time; our own finder knows those keys.
_DETECTORS = (
    "aws.AWSKeyDetector", "azure_storage_key.AzureStorageKeyDetector", "discord.DiscordBotTokenDetector",
    "github_token.GitHubTokenDetector", "gitlab_token.GitLabTokenDetector", "mailchimp.MailchimpDetector",
    "pypi_token.PypiTokenDetector", "sendgrid.SendGridDetector",
    "slack.SlackDetector", "square_oauth.SquareOAuthDetector", "stripe.StripeDetector",
    "telegram_token.TelegramBotTokenDetector", "twilio.TwilioKeyDetector",
)  # fmt: skip
_SHORTEST_GROUP = 16  # a shorter group of a pattern is a prefix, not the key

_SHORTEST_SECRET = 8
_LONGEST_WORD = 12  # letters in one case: longer ones are several words, such as correcthorsebattery
_WORD = re.compile(r"[a-z]+|[A-Z]+|[A-Z][a-z]+")
_WORDS = frozenset(
    """authenticated authentication authorization unauthorized administrator configuration credentials production
    infrastructure environment development implementation documentation international kubernetes organization
    subscription authenticator verification certificate localhost postgresql elasticsearch username administration
    """.split()
)
_NUMBER = re.compile(r"[\d\W_]+")
_PATH = re.compile(
    r"(?:\w[\w.-]*/)+[\w-]+\.[a-z]{1,5}|[a-z][a-z_.-]*\d{0,3}(?:/[a-z][a-z_.-]*\d{0,3})+|(?:localhost|[\w-]+(?:\.[\w-]+)+):\d+"
)
_STOP = re.compile(r"change_?me|example|placeholder|dummy|" + LABEL, re.IGNORECASE)
_EDGE = re.compile(r"\A[\W_]+|[\W_]+\Z")

_LOCAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+'-")
_QUOTES = "'.+-"  # around an address rather than in it
_DOMAIN = re.compile(r"(?:[^\W_](?:[^\W_]|-){0,62}\.)+[^\W\d_]{2,24}")
_RESERVED = re.compile(r"(?:.*\.)?(?:example\.[a-z]+|example|test|invalid|localhost|local\.test)", re.IGNORECASE)
_NOBODY = frozenset({"git", "noreply", "no-reply", "donotreply", "do-not-reply", "example"})
# icon@2x.png, pkg@latest.js: what follows is a file's ending, and no country's.
_ENDINGS = frozenset("png jpg jpeg gif svg webp ico css js ts jsx tsx mjs cjs java json yaml yml toml txt html xml".split())

_NAME = r"\w(?:[\w.+-]{0,62}[\w+-])?"
# What a text must hold for a pattern to match, and the pattern. A route such as src/home/list is no home.
_HOMES = (
    ("/home/", rf"(?:(?<![\w.-])|(?<=\\[nrt])|(?<=-[A-Z])|(?<=\b[ab]))/(?:var/|export/|usr/|data/|mnt/)?home/+({_NAME})"),
    ("/Users/", rf"/Users/+({_NAME})"),
    (
        "sers",
        rf"(?<![A-Za-z])(?:[A-Za-z]:|/mnt/[a-z]|/[a-z]|\\\\[\w.-]+)[\\/]+[Uu]sers[\\/]+({_NAME}(?: {_NAME}){{0,2}}(?=[\\/])|{_NAME})",
    ),
    ("USERS", rf"[A-Za-z]:[\\/]+USERS[\\/]+({_NAME})"),
    ("and Settings", rf"[\\/]Documents and Settings[\\/]+({_NAME}(?: {_NAME}){{0,2}}(?=[\\/])|{_NAME})"),
    ("-Users-", r"(?<![^\W_])(?<!-)-Users-([^\W_]+)"),
    ("-home-", r"(?:(?<=[\"'/\\\n])|\A)-home-([^\W_]+)(?=-)"),
    ("~", r"(?<![\w/])~([A-Za-z_](?:[\w.-]*\w)?)(?=/)"),
)
_IN_DRIVE = re.compile(r"[A-Za-z]:\\(?:[^\\/:*?\"<>|\r\n]+\\)*\Z")
_LOOK = 200
_HOME_PATTERNS = tuple((needle, re.compile(pattern)) for needle, pattern in _HOMES)
# User names of machines and of examples.
_GENERIC = frozenset(
    """user users username your-username yourname yourusername you me name shared public default guest root admin administrator
    runner runneradmin ubuntu debian ec2-user vagrant circleci travis jenkins gitpod codespace coder vscode node
    app appuser docker jovyan linuxbrew nobody www-data oai agent all project workspace git test testuser example foo bar
    """.split()
)
# Parts of many paths: as user names they are replaced in home paths only.
_COMMON = frozenset(
    "api app assets bin build config data dev docs etc index lib local log logs main opt page pages src static tmp var".split()
)
_SHORTEST_KNOWN = 3
_PHONE = re.compile(
    r"(?<![\w+./=-])(?:\+\d[\d ().\-]{6,18}\d|\(?\d{3}\)?[ .-]\d{3}[.-]\d{4})(?![\w.-]|/\d)"
)
_IPV4 = re.compile(r"(?<![\w.-])(?<![A-Za-z]/)(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])[23][0-9a-f]{3}:(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{0,4}(?![\w:])", re.IGNORECASE)
_WELL_KNOWN = frozenset({"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9"})


def find_secret_values(text: str) -> Iterator[Find]:
    """Keys, tokens, passwords and private keys; what labels them is outside."""
    for span in find_secrets(text):
        yield Find(span.start, span.stop, SECRET)
    for pattern in _key_patterns():
        for match in pattern.finditer(text):
            spans = [match.span(group) for group in range(1, pattern.groups + 1)]
            longest = max(spans, key=lambda span: span[1] - span[0], default=(0, 0))
            start, stop = longest if longest[1] - longest[0] >= _SHORTEST_GROUP else match.span()
            if text.startswith("https://", start):  # a web hook: where it leads is no secret
                start = text.find("/", start + len("https://"))
            if len(set(text[start:stop])) > 4:  # xoxb-xxxxxxxxxx
                yield Find(start, stop, SECRET)


def secret_values(text: str) -> Iterator[str]:
    """The secrets found in a text that tell of themselves wherever they stand; of a key of many lines each line."""
    for find in find_secret_values(text):
        for line in re.split(r"[\r\n]+|\\[nr]", text[find.start : find.stop]):
            value = _EDGE.sub("", line)
            if not stands_for_another(line) and _tells_secret(value):
                yield value


def _tells_secret(value: str) -> bool:
    """Whether a secret is none that texts hold for other reasons: a word, a placeholder, a path, a number."""
    if len(value) < _SHORTEST_SECRET or len(set(value)) <= 4 or stands_for_another(value):
        return False
    if _NUMBER.fullmatch(value) or _PATH.fullmatch(value) or value.lower() in _WORDS:
        return False
    if sum(map(str.isalnum, _STOP.sub("", value))) < 4:  # password123
        return False
    return not (_WORD.fullmatch(value) and len(value) <= _LONGEST_WORD)


def known_secrets(values: Iterable[str]) -> dict[str, list[str]]:
    """Secrets by how they begin, longer ones first, so that looking for many takes no longer than for one."""
    known: dict[str, list[str]] = {}
    for value in sorted(set(values), key=lambda value: (-len(value), value)):
        known.setdefault(value[:_SHORTEST_SECRET], []).append(value)
    return known


def find_known_secrets(text: str, known: Mapping[str, Sequence[str]]) -> Iterator[Find]:
    """Secrets that were seen, without what told them; those of letters alone only as whole words."""
    at, last = 0, len(text) - _SHORTEST_SECRET if known else -1
    while at <= last:
        for value in known.get(text[at : at + _SHORTEST_SECRET], ()):
            if text.startswith(value, at) and (looks_random(value) or _is_whole(text, at, at + len(value))):
                yield Find(at, at + len(value), SECRET)
                at += len(value) - 1
                break
        at += 1


def _is_whole(text: str, start: int, stop: int) -> bool:
    option = start >= 2 and text[start - 2] == "-" and not text[max(0, start - 3) : start - 2].isalnum()
    return (option or not text[max(0, start - 1) : start].isalnum()) and not text[stop : stop + 1].isalnum()


@cache
def _key_patterns() -> tuple["re.Pattern[str]", ...]:
    from importlib import import_module

    found: list[re.Pattern[str]] = []
    for name in _DETECTORS:
        module, _, detector = name.partition(".")
        found += getattr(import_module(f"detect_secrets.plugins.{module}"), detector).denylist
    return tuple(found)


def find_emails(text: str) -> Iterator[Find]:
    """Addresses of people."""
    before = 0
    at = text.find("@")
    while at >= 0:
        start = at
        while start > before and (text[start - 1] in _LOCAL or (text[start - 1].isalpha() and not text[start - 1].isascii())):
            start -= 1
        while start < at and text[start] in _QUOTES:
            start += 1
        domain = _DOMAIN.match(text, at + 1)
        if domain and start < at and not _is_nobody(text[start:at].strip(".+'-").lower(), domain[0]):
            yield Find(start, domain.end(), EMAIL)
            before = domain.end()
        before = max(before, at + 1)
        at = text.find("@", at + 1)


def _is_nobody(local: str, domain: str) -> bool:
    """Whether an address is a service's, an example's, or none."""
    if local in _NOBODY or local in _GENERIC or _RESERVED.fullmatch(domain):
        return True
    return domain.count(".") == 1 and domain.rpartition(".")[2].lower() in _ENDINGS


def find_homes(text: str) -> Iterator[Find]:
    """User names where a path shows them to be ones."""
    for needle, pattern in _HOME_PATTERNS:
        for match in pattern.finditer(text) if needle in text else ():
            if match[1].lower() not in _GENERIC:
                yield Find(*match.span(1), USER, after_separator=True)


def known_names(names: Iterable[str]) -> "re.Pattern[str] | None":
    """A pattern of user names that were seen, where something shows that they are meant.

    That is: a whole part of a path, before a host, after a label, as the owner in a listing, or alone.
    """
    telling = [name for name in names if _tells(name)]
    if not telling:
        return None
    spelled = {form for name in telling for form in (name, re.sub(r"[\W_]", "-", name))}
    name = "|".join(map(re.escape, sorted(spelled, key=lambda form: (-len(form), form))))
    labels = "user|username|logname|owner|login|author|uid|chown"
    return re.compile(
        rf"""
          -(?:Users|home)-(?P<munged>{name})(?![^\W_])
        | (?<=[/\\~])(?P<part>{name})(?![\w+-]|\.\w)
        | (?<![\w.+-])(?P<before>{name})(?=@[\w-])
        | (?<!\w)(?:{labels})["']?[ ]?[=: ][ ]?["']?(?P<label>{name})(?![\w-]|\.\w)
        | (?:^|\n)[-dlbcps][rwxsStT-]{{9}}[@+.]?[ ]+\d+[ ]+(?P<owner>{name})(?=[ ])
        | \A\s*(?P<alone>{name})\s*\Z
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _tells(name: str) -> bool:
    return len(name) >= _SHORTEST_KNOWN and not name.isdigit() and name.lower() not in _COMMON


def find_names(text: str, known: "re.Pattern[str] | None") -> Iterator[Find]:
    """User names that were seen in some home path, and stand here without it."""
    if known is None:
        return
    for match in known.finditer(text):
        start, stop = match.span(match.lastgroup or 0)
        yield Find(start, stop, USER, after_separator=bool(_IN_DRIVE.search(text, max(0, start - _LOOK), start)))


def find_phones(text: str) -> Iterator[Find]:
    """Valid phone numbers, with a country code or as North Americans write them; those for films are not."""
    for match in _PHONE.finditer(text):
        spelled = match[0]
        try:
            number = phonenumbers.parse(spelled, None if spelled.startswith("+") else "US")
        except phonenumbers.NumberParseException:
            continue
        digits = str(number.national_number)
        fiction = number.country_code == 1 and (digits[3:8] == "55501" or digits.startswith("555"))
        if phonenumbers.is_valid_number(number) and not fiction:
            yield Find(*match.span(), PHONE)


def find_addresses(text: str) -> Iterator[Find]:
    """Public IP addresses. Private ones, and resolvers that everybody uses, tell nothing of anybody."""
    for pattern in (_IPV4, _IPV6):
        for match in pattern.finditer(text):
            try:
                address = ipaddress.ip_address(match[0])
            except ValueError:
                continue
            if address.is_global and not address.is_multicast and match[0] not in _WELL_KNOWN:
                yield Find(*match.span(), ADDRESS)
