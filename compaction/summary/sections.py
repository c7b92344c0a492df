"""The sections of a summary: found in what a writer wrote, and written the way a policy wants them.

Writers drift. They set a heading deeper, bold or with a number, wrap the whole in a fence, or think
aloud before they begin. The headings are looked for in one form after the other, and the form that
finds most of them is taken; what stands inside a section stays as it was written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import regex

from elision.compaction.policies.telling import Summary
from elision.compaction.summary.types import Section

# What a section holds that has nothing to say.
EMPTY = "(none)"

_THOUGHTS = r"(?:analysis|think|thinking|thought|thoughts|scratchpad|reasoning|reflection)"
_THOUGHT_EDGE = regex.compile(
    rf"^[ \t]*+<(?P<close>/)?{_THOUGHTS}>[ \t]*+|</{_THOUGHTS}>[ \t]*+$", regex.I | regex.M
)
_BEGUN = regex.compile(r"^[ \t]*+(?:#|\*\*|</?\w)", regex.M)
_FENCE = regex.compile(
    r"(?P<mark>`{3,}|~{3,})[ \t]*+\w*+[ \t]*+\n(?P<body>.*)\n[ \t]*+(?P=mark)[ \t]*+", regex.S
)

_NUMBER = r"(?:\(?\d{1,2}[.)][ \t]++)?+"
_FORMS = (
    regex.compile(rf"^[ \t]{{0,3}}+\#{{1,6}}+[ \t]*+{_NUMBER}(?P<name>[^\n]*+)$", regex.M),
    regex.compile(
        rf"^[ \t]{{0,3}}+{_NUMBER}(?:\*\*|__)(?P<name>[^\n*_]{{1,120}}+)(?:\*\*|__)[ \t]*+:?+(?P<rest>[^\n]*+)$",
        regex.M,
    ),
    regex.compile(rf"^[ \t]{{0,3}}+{_NUMBER}(?P<name>[^\n:：<]{{1,120}}+)[:：](?P<rest>[^\n]*+)$", regex.M),
    regex.compile(rf"^[ \t]{{0,3}}+{_NUMBER}(?P<name>[^\n]{{1,120}}+)$", regex.M),
)
_HASHES = _FORMS[0]
_TAG = regex.compile(
    r"^[ \t]*+<(?P<close>/)?(?P<name>[\p{L}_][\w. -]{0,100}+)>|</(?P<end>[\p{L}_][\w. -]{0,100}+)>[ \t]*+$",
    regex.M,
)
_LETTERS = regex.compile(r"[\p{L}\p{N}]+")
_TOO_HIGH = regex.compile(r"^(?P<space>[ \t]{0,3})\#{1,2}(?=[ \t])", regex.M)


@dataclass(frozen=True, slots=True)
class _Heading:
    """Where a section begins: its heading from `start` to `stop`, behind which its text stands."""

    start: int
    stop: int
    section: Section | None  # None ends a section without beginning one


def sections(summary: Summary) -> tuple[Section, ...]:
    """What the one who writes is asked for; one section without a heading where it is running text.

    A section that code fills with pins is not asked for.
    """
    asked = [table for table in summary.sections if not (summary.pins and table.by_code)]
    if summary.style == "prose" or not asked:
        return (Section("", "; ".join(table.heading for table in asked)),)
    return tuple(Section(table.heading, table.ask, table.optional) for table in asked)


def split_sections(text: str, summary: Summary) -> tuple[tuple[Section, str], ...]:
    """The sections that a reply has, in the policy's order, each with its text.

    What stands before the first heading is left out. A heading that comes again goes on with its section;
    one that is not asked for belongs to the section it stands in. Of running text all of it is one section.

    Returns:
        None of them for a reply that has no heading at all, or no text.
    """
    body, wanted = bare(text), sections(summary)
    if not wanted[0].heading:
        return ((wanted[0], body),) if body else ()
    found: dict[str, list[str]] = {}
    headings = _headings(body, wanted, summary.style)
    for heading, after in zip_longest(headings, headings[1:]):
        if heading.section:
            stop = after.start if after else len(body)
            found.setdefault(heading.section.heading, []).append(body[heading.stop : stop].strip())
    return tuple(
        (section, "\n".join(filter(None, found[section.heading])))
        for section in wanted
        if section.heading in found
    )


def written(sections: Sequence[tuple[Section, str]], summary: Summary) -> str:
    """The text of a summary that has these sections; one that is empty says so.

    Inside a section nothing can be taken for one of the headings: a line that could is set deeper or defused.
    """
    tags = {tag(section.heading) for section, _ in sections}
    return "\n\n".join(_written(section, body.strip() or EMPTY, summary, tags) for section, body in sections)


def bare(text: str) -> str:
    """A reply without what its writer thought aloud, and without a fence around the whole."""
    text = _without_thoughts(text).strip()
    while fenced := _FENCE.fullmatch(text):
        text = fenced["body"].strip()
    return text


def tag(heading: str) -> str:
    """The tag of a heading where headings are written as tags."""
    return "_".join(_LETTERS.findall(heading.lower())) or "section"


def _written(section: Section, body: str, summary: Summary, tags: set[str]) -> str:
    if not section.heading:
        return body
    if summary.style == "xml":
        name = tag(section.heading)
        return f"<{name}>\n{_TAG.sub(lambda found: _defused(found, tags), body)}\n</{name}>"
    return f"## {section.heading}\n" + _TOO_HIGH.sub(r"\g<space>###", body)


def _defused(found: "regex.Match[str]", tags: set[str]) -> str:
    """A tag inside a section as text, if it is one of the sections' own."""
    return (
        found[0].replace("<", "‹").replace(">", "›")
        if tag(found["name"] or found["end"]) in tags
        else found[0]
    )


def _without_thoughts(text: str) -> str:
    """What is not inside a scratchpad: of one that is never closed, nothing; of one never opened, what follows."""
    kept: list[str] = []
    at, depth = 0, 0
    for edge in _THOUGHT_EDGE.finditer(text):
        closes = edge["close"] is not None or edge[0].lstrip().startswith("</")
        if not closes:
            kept += [text[at : edge.start()]] if depth == 0 else []
            depth += 1
        elif depth:
            depth -= 1
        elif not _BEGUN.search(text, 0, edge.start()):
            kept = []
        else:
            continue
        at = edge.end()
    return "".join([*kept, text[at:] if depth == 0 else ""])


def _headings(text: str, wanted: Sequence[Section], style: str) -> list[_Heading]:
    """The headings, in the form that finds most sections; one with marks goes before one without."""
    hashes, bold, labels, alone = (list(_in_lines(text, form, wanted)) for form in _FORMS)
    tagged = list(_in_tags(text, wanted))
    marked = max([tagged, hashes, bold] if style == "xml" else [hashes, tagged, bold], key=_count)
    return marked or max([labels, alone], key=_count) or _translated(text, wanted)


def _count(headings: Sequence[_Heading]) -> int:
    return len({heading.section.heading for heading in headings if heading.section})


def _in_lines(text: str, form: "regex.Pattern[str]", wanted: Sequence[Section]) -> Iterator[_Heading]:
    names = {_key(section.heading): section for section in wanted}
    for line in form.finditer(text):
        whole, (name, colon, _) = line["name"], line["name"].partition(":")
        if section := names.get(_key(whole)):
            rest = line.start("rest") if "rest" in form.groupindex else line.end()
            yield _Heading(line.start(), rest, section)
        elif colon and (section := names.get(_key(name))):  # ## Goal: what it is
            yield _Heading(line.start(), line.start("name") + len(name) + 1, section)


def _in_tags(text: str, wanted: Sequence[Section]) -> Iterator[_Heading]:
    names = {_key(section.heading): section for section in wanted}
    for edge in _TAG.finditer(text):
        section = names.get(_key(edge["name"] or edge["end"]))
        if section:
            yield _Heading(edge.start(), edge.end(), None if edge["close"] or edge["end"] else section)


def _translated(text: str, wanted: Sequence[Section]) -> list[_Heading]:
    """Headings none of which is known, but as many as there should be: taken in their order."""
    lines = list(_HASHES.finditer(text))
    if len(lines) != len(wanted) or len(wanted) < 2:
        return []
    return [_Heading(line.start(), line.end(), section) for line, section in zip(lines, wanted, strict=True)]


def _key(name: str) -> str:
    """A heading without case, marks, numbers before it and the ways to spell "and"."""
    words = _LETTERS.findall(name.replace("&", " and ").replace("_", " ").casefold())
    while len(words) > 1 and words[0].isdigit():
        words = words[1:]
    return " ".join(word for word in words if word not in ("and", "the"))
