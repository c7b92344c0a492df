"""What a section of a summary is about, told from its heading.

Policies name their sections as they like. The words of a heading, else those of what it asks for, say which
of a few topics it holds; a heading that says nothing gets what matters most of all that is left.
"""

from enum import StrEnum

import regex

from elision.compaction.summary.types import Section


class Topic(StrEnum):
    """What statements are about."""

    GOAL = "goal"  # what the user wants
    USERS = "users"  # everything that the user said
    CONSTRAINTS = "constraints"
    DECISIONS = "decisions"
    FILES = "files"
    FAILED = "failed"  # what was tried and did not work, and its errors
    DONE = "done"
    CURRENT = "current"  # what is being done
    NEXT = "next"
    QUESTIONS = "questions"  # asked and not answered
    KNOWLEDGE = "knowledge"  # facts, names, figures


# The beginnings of words in headings.
_WORDS = {
    Topic.QUESTIONS: "question open unclear unknown frage pregunta",
    Topic.NEXT: "next pending todo remaining plan move follow tracking step nächst siguiente",
    Topic.CURRENT: "current state status active now ongoing work stand actual",
    Topic.FILES: "file artifact artefact path code change datei archivo fichier",
    Topic.DECISIONS: "decision reject choice option chosen entscheid decisi décision",
    Topic.CONSTRAINTS: "constraint rule preference requirement limit must policy vorgabe regla",
    Topic.FAILED: "error fail tried fix problem bug attempt issue blocked test fehler",
    Topic.DONE: "done complete progress recent action history accomplish achieved talked erledigt",
    Topic.USERS: "message user",
    Topic.GOAL: "goal objective intent request purpose aim mission ask ziel objetivo objectif",
    Topic.KNOWLEDGE: "knowledge context critical detail concept technical data identifier fact name deps important wissen",
}
# Words that name the topic only where nothing else does: "next step" is about what is next.
_WEAK = frozenset(
    "step state status work stand open move active user code context plan must now name data option limit test change "
    "issue important detail critical technical ask talked message actual".split()
)
_WORD = regex.compile(r"\p{L}{2,}+")


def topics(section: Section) -> tuple[Topic, ...]:
    """What a section holds, first what it is mostly about; empty if it does not say."""
    return _named(section.heading) or _named(section.ask)


def _named(text: str) -> tuple[Topic, ...]:
    words = _WORD.findall(text.replace("_", " ").casefold().replace("to do", "todo").replace("to-do", "todo"))
    strong = _of(words, weak=False)
    return strong or _of(words, weak=True)


def _of(words: list[str], weak: bool) -> tuple[Topic, ...]:
    found = [
        topic
        for word in words
        for topic, beginnings in _WORDS.items()
        if any(word.startswith(one) for one in beginnings.split() if weak or one not in _WEAK)
    ]
    return tuple(dict.fromkeys(found))
