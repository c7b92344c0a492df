"""A writer with no model in it, who stands for a middling LLM wherever all policies must have the same one.

It sees what any LLM sees, the prompt, and reads it as one would: headings, the notes so far, the record.
It never invents; it leaves out. Of the statements it read it quotes those that draw it most, as many as
there is room for. What draws it is half luck, drawn from the statement and the call, so what stands in
notes is lost bit by bit from one update to the next, as with real ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import regex

from elision.compaction.summary.sections import EMPTY
from elision.compaction.summary.types import SummaryCall, SummaryReply
from elision.compaction.types import TokenCounter

_FENCED = regex.compile(r"<<<(?P<fence>\w++) (?P<name>[^\n]++)\n(?P<body>.*?)\n(?P=fence)>>>", regex.S)
_MARKDOWN = regex.compile(r"^## (?P<name>[^\n]++)\n(?P<ask>[^\n]++)$", regex.M)
_XML = regex.compile(r"^<(?P<name>\w++)>\n(?P<ask>[^\n]++)\n</(?P=name)>$", regex.M)
_TURN = regex.compile(r"\[(?P<id>[^\]\n]++)\] (?P<speaker>user|assistant|system|tool)\b[^\n]*:")
_HEADING = regex.compile(r"(?:## |<)(?P<name>[^>\n]++)>?+")
_CITES = regex.compile(r"(?:\s*+\[[^\]\n]++\])++$")
_SENTENCE = regex.compile(r"(?<=[.!?])\s++|(?<=[。！？])")
_WORD = regex.compile(r"\w{4,}+")
_LONGEST = 40  # words of a statement
_SHORTEST = 12  # characters
_MISSES = 5  # statements that are too long: then the room counts as full
# What draws besides luck, which is at most 1: words that tell, notes under the same heading, the speaker, words
# of the question.
_TELLING = regex.compile(
    r"\b(?:never|always|must|do not|don't|goal|want|because|decided|decision|ruled out|rejected|not an option|failed|error|fatal)\b",
    regex.I,
)
_TOLD = 0.5
_NOTED, _SPEAKERS, _ASKED, _MOST_ASKED = 0.5, {"user": 0.4, "assistant": 0.2}, 0.1, 0.4


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    cites: str
    speaker: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class LeadWriter:
    """Quotes what it was given, up to a number of tokens; the same call has the same answer.

    Attributes:
        counter: Counts what it reads and writes.
        tokens: It never writes more than so many, whatever it is allowed.
        window: Tokens it takes.
        name: How it is called.
    """

    counter: TokenCounter
    tokens: int = 300
    window: int = 128_000
    name: str = "stand-in"

    def __call__(self, call: SummaryCall) -> SummaryReply:
        """Write; see `elision.compaction.summary.types.Summariser`."""
        text = self._text(call)
        read = self.counter.count(call.system) + self.counter.count(call.prompt)
        return SummaryReply(text, input_tokens=read, output_tokens=self.counter.count(text))

    def _text(self, call: SummaryCall) -> str:
        statements = list(_read(call.prompt))
        task = _FENCED.sub("", call.prompt)
        form = _MARKDOWN if _MARKDOWN.search(task) else _XML
        sections = [(found["name"], found["ask"]) for found in form.finditer(task)]
        room = min(self.tokens, call.max_tokens) - self.counter.count(
            form.sub("", "\n".join(n for n, _ in sections))
        )
        if not sections:
            return " ".join(self._chosen(statements, "", "", room, set()))
        taken = set[str]()
        parts = []
        for left, (name, ask) in zip(range(len(sections), 0, -1), sections, strict=True):
            lines = [f"- {line}" for line in self._chosen(statements, name, ask, room // left, taken)]
            body = "\n".join(lines) or EMPTY
            parts.append(f"## {name}\n{body}" if form is _MARKDOWN else f"<{name}>\n{body}\n</{name}>")
            room -= self.counter.count(parts[-1])
        return "\n\n".join(parts)

    def _chosen(
        self, statements: Sequence[_Statement], heading: str, ask: str, room: int, taken: set[str]
    ) -> list[str]:
        """What draws most to a section and was not said in another one, in the order of what was read."""
        asked = set(_WORD.findall(f"{heading} {ask}".lower()))
        drawn = sorted(enumerate(statements), key=lambda one: -_draw(one[1], heading, asked))
        lines, missed = dict[int, str](), 0
        for at, one in drawn:
            line = f"{one.text}{one.cites}"
            cost = self.counter.count(line) + 2
            if room < cost:
                missed += 1
                if missed > _MISSES:
                    break
            elif one.text not in taken:
                taken.add(one.text)
                lines[at] = line
                room -= cost
        return [lines[at] for at in sorted(lines)]


def _draw(one: _Statement, heading: str, asked: set[str]) -> float:
    key = f"{heading}\n{one.text}\n{one.cites}".encode("utf-8", "surrogatepass")
    luck = int.from_bytes(blake2b(key, digest_size=4).digest()) / 2**32
    words = len(asked.intersection(_WORD.findall(one.text.lower())))
    noted = _NOTED * (bool(one.heading) and one.heading == heading)
    told = _TOLD * bool(_TELLING.search(one.text))
    return luck + told + noted + _SPEAKERS.get(one.speaker, 0.0) + min(_MOST_ASKED, _ASKED * words)


def _read(prompt: str) -> Iterator[_Statement]:
    """The statements in the fences of a prompt; without a fence, in all of it behind its first line."""
    fenced = list(_FENCED.finditer(prompt))
    if not fenced:
        yield from _of_record(prompt.partition("\n")[2])
    # Notes first: they stand behind the record in the prompt, and tell what came before it.
    for part in sorted(fenced, key=lambda found: found["name"] == "record"):
        lines = (
            part["body"] if part["name"] == "record" else regex.sub(r"^\| ?", "", part["body"], flags=regex.M)
        )
        yield from (_of_record if part["name"] == "record" else _of_notes)(lines)


def _of_record(text: str) -> Iterator[_Statement]:
    id = speaker = ""
    for line in text.split("\n"):
        if turn := _TURN.fullmatch(line):
            id, speaker = turn["id"], turn["speaker"]
        else:
            cites = f" [{id}]" if id else ""
            yield from (_Statement(said, cites, speaker) for said in _sentences(line.removeprefix("| ")))


def _of_notes(text: str) -> Iterator[_Statement]:
    heading = ""
    for line in text.split("\n"):
        if found := _HEADING.fullmatch(line):
            heading = found["name"]
            continue
        cites = _CITES.search(line)
        said = line[: cites.start()] if cites else line
        for sentence in _sentences(said.removeprefix("- ")):
            yield _Statement(sentence, cites[0] if cites else "", heading=heading)


def _sentences(line: str) -> Iterator[str]:
    for sentence in _SENTENCE.split(line.strip()):
        words = sentence.split()
        if len(sentence) >= _SHORTEST and len(words) <= _LONGEST:
            yield " ".join(words)
