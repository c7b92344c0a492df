"""Ids, hashes, addresses, versions and sums of money that the session goes on using.

Those that stand in the user's words, or in two messages of which one is no output of a tool; the most used
first. Secrets are none, nor are colours, numbers of a list (``#1``), arguments of a script (``$1``) and the names
of standards.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import regex

from elision.compaction.conversation import Conversation, Part, Role
from elision.compaction.guard.secrets import find_secrets
from elision.compaction.pins.speech import source_of, spoken
from elision.compaction.pins.types import HistoryPin, PinKind
from elision.model.types import Span

MOST = 60
_LONGEST_TEXT = 200_000  # characters of one text that are read
_IDENTIFIER = regex.compile(
    r"""(?<![\w./@-])(?:
      https?://[^\s<>"'`)\]}，。]{4,300}+
    | [0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b
    | (?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}+(?![\w-])
    | \d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?+(?![\w.])
    | (?:localhost|[a-z][\w-]{0,60}(?:\.[\w-]{1,60}){0,6}\.(?!(?:go|py|tsx?|jsx?|rs|java|rb|c|h|cc|cpp|cs|md|json|ya?ml|toml|sh|php|kt|swift|sql|html|css|txt|log|mjs|vue):)[a-z]{2,20}):\d{2,5}+\b
    | (?i:port|pid|build|job|run|order|invoice|ticket|issue|case|account|pr|flight|reservation)\s{0,2}[#:=]?\s?\#?\d{2,12}+(?![\w.])
    | (?!(?:UTF|UCS|ISO|IEC|IEEE|ECMA|RFC|PEP|SHA|MD|AES|RSA|TLS|HTTP|GPT)-)[A-Z][A-Z0-9]{1,9}-\d{1,8}+\b | \#\d{2,8}+\b | arn:aws[\w:/.*-]{5,200}+
    | v?\d{1,5}\.\d{1,5}\.\d{1,6}(?:[-+.][\w.]{1,40})?+(?![\w.]) | v\d{1,4}\.\d{1,4}+(?![\w.])
    | [$€£¥₹]\s?(?!\d(?![.,]?\d|\s?[kKmMbB]\b))\d[\d.,]{0,15}+(?:\s?[kKmMbB]\b)? | \d[\d.,]{0,15}\s?(?:€|£|¥|₹|USD|EUR|GBP|JPY|CHF|PLN|руб)(?!\w)
    | (?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{6,20}+\b | (?=[a-z]+[_-])[a-z]{2,12}[_-](?=[A-Za-z]*\d)[A-Za-z0-9]{6,40}+\b
    | \d{6,20}+(?![\w.,:])
    )""",
    regex.VERBOSE,
)
_TRAILING = ".,;:!?"
# One colour that cannot be a number tells that other sixes of digits are colours too.
_COLOUR = regex.compile(r"#(?=\d{0,5}+[a-f])[0-9a-f]{6}\b", regex.IGNORECASE)
_LIKE_A_COLOUR = regex.compile(r"#?[0-9A-F]{6}|#\d{3}")


@dataclass(slots=True)
class _Use:
    """Where an identifier stands: the first message that is no output, and how many are what."""

    source: str
    index: int
    user: bool = False
    messages: set[int] = field(default_factory=set)


def identifiers(conversation: Conversation) -> list[HistoryPin]:
    """At most `MOST`, the most used first; of equally used ones the newest."""
    used = _in_words(conversation)
    _in_outputs(conversation, used)
    named = {text: use for text, use in used.items() if use.user or len(use.messages) >= 2}
    if any(map(_LIKE_A_COLOUR.fullmatch, named)) and _COLOUR.search(conversation.raw):
        named = {text: use for text, use in named.items() if not _LIKE_A_COLOUR.fullmatch(text)}
    ranked = sorted(
        named,
        key=lambda text: (-len(named[text].messages) - 2 * named[text].user, -max(named[text].messages)),
    )
    return [
        HistoryPin(PinKind.IDENTIFIER, text, named[text].source, named[text].index) for text in ranked[:MOST]
    ]


def _in_words(conversation: Conversation) -> dict[str, _Use]:
    """What stands in texts and arguments."""
    used: dict[str, _Use] = {}
    for index, message in enumerate(conversation.messages):
        for block in message.blocks:
            if block.part not in (Part.TEXT, Part.CALL):
                continue
            texts = [leaf.text for leaf in block.leaves] or [block.arguments.of(conversation.raw)]
            mine = message.role is Role.USER and block.part is Part.TEXT
            for text in texts:
                stretches = [part.of(text) for part in spoken(text)] if mine else [text]
                for found in (one for stretch in stretches for one in _found(stretch[:_LONGEST_TEXT])):
                    use = used.setdefault(found, _Use(source_of(message, index), index))
                    use.user = use.user or mine
                    use.messages.add(index)
    return used


def _in_outputs(conversation: Conversation, used: Mapping[str, _Use]) -> None:
    for index, message in enumerate(conversation.messages):
        for block in message.blocks:
            for leaf in block.leaves if block.part is Part.RESULT and used else ():
                for found in set(_IDENTIFIER.findall(leaf.text[:_LONGEST_TEXT])):
                    if use := used.get(found.rstrip(_TRAILING)):
                        use.messages.add(index)


def _found(text: str) -> Sequence[str]:
    matches = [(match.start(), match.group().rstrip(_TRAILING)) for match in _IDENTIFIER.finditer(text)]
    if not matches:
        return ()
    secrets = find_secrets(text)
    starts = [one.start for one in secrets]
    return [found for start, found in matches if not _inside(secrets, bisect_right(starts, start) - 1, start)]


def _inside(spans: Sequence[Span], nearest: int, at: int) -> bool:
    return nearest >= 0 and at < spans[nearest].stop
