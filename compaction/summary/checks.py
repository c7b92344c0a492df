"""Check what a writer wrote before it takes the place of history.

A summary is read in place of what it stands for, so it may say less but not something else. What the
sources do not have is cut, statement by statement; if most of it has to go, or the rest is no summary of
the shape that was asked for, none of it is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from elision.compaction.pins.types import HistoryPin, PinKind
from elision.compaction.policies.telling import Summary
from elision.compaction.summary.authority import ASSISTANT_SAID, LABELS, TOOL_SAYS, Verdict, Voices
from elision.compaction.summary.citations import Citations
from elision.compaction.summary.grounding import Evidence
from elision.compaction.summary.readable import CALL_TAGS, readable
from elision.compaction.summary.sections import sections, split_sections, written
from elision.compaction.summary.statements import Line, Statement, lines, says_something
from elision.compaction.summary.types import Failure, Section, Source, SummaryReply
from elision.compaction.types import TokenCounter

_MOST_CUT = 0.5  # of all statements; if more have to go, the writer makes things up
_ROUNDS = 4  # cutting moves what stands beside; the text is looked at until nothing moves
_UNSTEADY = "it reads otherwise each time something is cut"
_NOTHING = regex.compile(
    r"\W*(?:none|nothing|n/?a|unknown|empty|tbd|not (?:applicable|available|stated|specified)|keine?s?|nichts|ninguno|ninguna|nada|aucune?"
    r"|néant|rien|nessuno|nessuna|niente|nenhum|nenhuma|нет|ничего|yok|không|không có|无|無|没有|なし|ありません|없음|لا شيء|कोई नहीं)?\W*",
    regex.IGNORECASE,
)
_OF_PEOPLE = frozenset({PinKind.GOAL, PinKind.REQUEST, PinKind.CONSTRAINT})
_LABELS = {Verdict.TOOL: TOOL_SAYS, Verdict.ASSISTANT: ASSISTANT_SAID}

Sections = tuple[tuple[Section, str], ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What is left of a reply.

    Attributes:
        text: What may be used; empty if there is a failure.
        cut: Statements, ids and calls that were taken out, in order.
        failure: Why it may not be used.
        detail: The same in a sentence.
        missing: Headings that are not there.
        invented: Names and numbers that no source has, none with a space in it.
    """

    text: str
    cut: tuple[str, ...] = ()
    failure: Failure | None = None
    detail: str = ""
    missing: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()


def check(
    reply: SummaryReply,
    sources: Sequence[Source],
    summary: Summary,
    prior: str,
    replaced_tokens: int,
    frame_tokens: int,
    counter: TokenCounter,
    pins: Sequence[HistoryPin] = (),
) -> Checked:
    """Check a reply, and cut what the sources do not bear out.

    The text that comes back passes this check again unchanged.

    Args:
        reply: What the writer wrote.
        sources: What it read, whole, with the same placeholders for secrets.
        summary: How the policy wants it; `max_tokens` is what the writer was allowed.
        prior: The earlier summary that it brings up to date; it counts as a source.
        replaced_tokens: Tokens of what the summary would take the place of.
        frame_tokens: Tokens of what is put around it.
        counter: Counts the summary.
        pins: What people want and demanded in them is theirs, though only an earlier summary told of it.
    """
    read = readable(reply, summary.max_tokens)
    if read.failure:
        return Checked("", (), read.failure, read.detail)
    found = split_sections(read.text, summary)
    failed = _shapeless(found, summary)
    if failed:
        return failed
    checked = _Cutter(sources, prior, _wanted(pins)).cut(found, summary) if summary.check else _as_written(found, summary)
    return checked if checked.failure else _smaller(checked, replaced_tokens, frame_tokens, counter)


def _shapeless(found: Sections, summary: Summary) -> Checked | None:
    if not found:
        return Checked("", (), Failure.MALFORMED, "it has none of the headings that were asked for")
    present = {section.heading for section, _ in found}
    missing = [one.heading for one in sections(summary) if not one.optional and one.heading not in present]
    if missing:
        return Checked("", (), Failure.MISSING_SECTION, "it lacks " + ", ".join(missing), tuple(missing))
    if all(_NOTHING.fullmatch(body) for _, body in found):
        return Checked("", (), Failure.EMPTY, "its sections say nothing")
    repeated = sum(bool(section.ask) and body.startswith(section.ask) for section, body in found)
    if 2 * repeated >= len(found):
        return Checked("", (), Failure.MALFORMED, "it repeats what it was asked")
    return None


def _as_written(found: Sections, summary: Summary) -> Checked:
    """The text with only the tags of calls gone, which another model might take for calls."""
    calls: list[str] = []
    for _ in range(_ROUNDS):
        calls += (call for _, body in found for call in CALL_TAGS.findall(body))
        text = written(tuple((section, CALL_TAGS.sub("", body)) for section, body in found), summary)
        found, before = split_sections(text, summary), found
        if found == before:
            break
    else:
        return Checked("", tuple(calls), Failure.MALFORMED, _UNSTEADY)
    if all(_NOTHING.fullmatch(body) for _, body in found) or not says_something(text):
        return Checked("", (), Failure.EMPTY, "it wrote no word")
    return Checked(text, tuple(calls))


def _smaller(checked: Checked, replaced: int, frame: int, counter: TokenCounter) -> Checked:
    tokens = counter.count(checked.text) + frame
    if tokens < replaced:
        return checked
    return Checked("", checked.cut, Failure.INFLATED, too_large(tokens, replaced))


def too_large(tokens: int, limit: int) -> str:
    """What is said of a summary that is no gain."""
    return f"with its frame it has {tokens} tokens, and fewer than {limit} are of use"


def _wanted(pins: Sequence[HistoryPin]) -> list[str]:
    """The words of people in pins that hold."""
    return [pin.text for pin in pins if pin.holds and pin.kind in _OF_PEOPLE]


class _Cutter:
    """Cuts what some sources do not bear out."""

    def __init__(self, sources: Sequence[Source], prior: str, wanted: Sequence[str]) -> None:
        ids = [source.id for source in sources]
        self._citations = Citations([*ids, *Citations(ids).cited(prior)])
        self._evidence = Evidence.of([*(source.text for source in sources), prior])
        self._voices = Voices(sources, prior, self._citations, wanted)
        self._cut: list[str] = []
        self._reasons: list[str] = []
        self._invented: list[str] = []

    def cut(self, found: Sections, summary: Summary) -> Checked:
        """The summary of these sections without what does not hold."""
        before = sum(len(line.statements) for _, body in found for line in lines(body, self._citations))
        for _ in range(_ROUNDS):
            gone = len(self._cut)
            text = written(tuple((section, self._body(body)) for section, body in found), summary)
            found, again = split_sections(text, summary), found
            if len(self._cut) == gone and found == again:
                return self._outcome(text, found, before)
        return Checked("", tuple(self._cut), Failure.MALFORMED, _UNSTEADY)

    def _outcome(self, text: str, found: Sections, before: int) -> Checked:
        cut = tuple(self._cut)
        if len(self._reasons) > _MOST_CUT * before:
            detail = (
                f"{len(self._reasons)} of {before} statements have what the sources do not: "
                + "; ".join(self._reasons[:8])
            )
            return Checked(
                "", cut, Failure.INVENTED_IDENTIFIER, detail, invented=tuple(dict.fromkeys(self._invented))
            )
        if all(_NOTHING.fullmatch(body) for _, body in found):
            return Checked("", cut, Failure.EMPTY, "nothing is left of its sections")
        return Checked(text, cut)

    def _body(self, body: str) -> str:
        held = list(lines(body, self._citations))
        self._voices.listen(self._said(one) for line in held for one in line.statements)
        return "".join(map(self._line, held))

    def _line(self, line: Line) -> str:
        """The line without what does not hold; of neighbours with the same label the first one bears it."""
        before = ""

        def change(statement: Statement) -> str:
            nonlocal before
            verdict = self._voices.verdict(statement, self._said(statement))
            text, wrong = self._citations.kept(statement.text)
            reason = self._wrong(self._said(statement), verdict)
            if reason:
                self._cut.append(statement.text.strip())
                self._reasons.append(reason)
                return ""
            self._cut.extend(wrong)
            own = next((label for label in LABELS if text.startswith(label)), "")
            label = own or _LABELS.get(verdict, "")
            before, missing = label, "" if own or label == before else label
            return missing + text

        return line.rewritten(change)

    def _wrong(self, said: str, verdict: Verdict) -> str:
        """What is wrong with a statement; empty if nothing."""
        if CALL_TAGS.search(said):
            return "a tool call"
        missing = self._evidence.missing(said)
        self._invented += missing
        if missing:
            return ", ".join(missing[:3])
        return f"a rule that nobody gave ({said.strip()[:60]})" if verdict is Verdict.CUT else ""

    def _said(self, statement: Statement) -> str:
        return self._citations.without(statement.text)
