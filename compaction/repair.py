"""Make a list of messages valid again with the fewest edits, and say what was done.

Only for callers who ask: a history is theirs. Each fix looks at one kind of damage and answers with edits
of the raw text, so what it does not name stays character for character. What would take a guess is left
to the rules to report: results out of place, roles, ids, cache marks.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from elision.compaction.conversation import Block, Conversation, Format, Message, Part
from elision.compaction.cuts import (
    answered_calls,
    compaction_items,
    known_results,
    non_empty,
    reasoning_followers,
    surrogates,
)
from elision.compaction.cuts.pairs import Site, sites
from elision.compaction.cuts.stand_ins import answerable, as_messages, stand_in
from elision.compaction.cuts.turns import step_end
from elision.compaction.formats.read import read
from elision.compaction.raw_json import Node, cut_out, parse, replaced
from elision.model.types import Span

NOTHING = "(no output)"
_LISTS = ("/messages", "/input", "/contents")


@dataclass(frozen=True, slots=True)
class Edit:
    """One stretch of the raw text to be spelled anew, and why; an empty reason belongs to its neighbour."""

    span: Span
    text: str
    done: str = ""


def repaired(conversation: Conversation) -> tuple[str, list[str]]:
    """The body with its damage mended, and one sentence for each thing done.

    A valid body comes back as it is, with one exception: of Anthropic, results without any content are
    given one, for some endpoints refuse what Anthropic takes.

    Returns:
        The raw text, and what was done in the order it was done; empty if there was nothing to do.
    """
    if not conversation.messages:
        return conversation.raw, []
    root, done = _root(conversation), list[str]()
    for formats, fix in _FIXES:
        edits = fix(conversation) if conversation.format in formats else []
        if edits:
            raw = replaced(conversation.raw, _merged(edits))
            done += [edit.done for edit in edits if edit.done]
            conversation = read(raw, conversation.format, root)
    return conversation.raw, done


def _root(conversation: Conversation) -> str:
    """Where the body stands in the raw text."""
    listed = conversation.messages[0].path.rpartition("/")[0]
    return next((listed.removesuffix(name) for name in _LISTS if listed.endswith(name)), listed)


def _merged(edits: Iterable[Edit]) -> list[tuple[Span, str]]:
    """Insertions at one place become one, in their order."""
    texts: dict[Span, str] = defaultdict(str)
    for edit in edits:
        texts[edit.span] += edit.text
    return list(texts.items())


def _whole_characters(conversation: Conversation) -> list[Edit]:
    return [
        Edit(span, "\\ufffd" if len(span) > 1 else "\ufffd", "Replaced half of a surrogate pair by U+FFFD.")
        for span in surrogates.halves(conversation.raw)
    ]


def _without_outdated(conversation: Conversation) -> list[Edit]:
    gone = compaction_items.outdated(conversation)
    why = f"the compaction item at {len(gone)} stands for it"
    return _removed(conversation, {conversation.messages[i].path: f"Removed item {i}: {why}." for i in gone})


def _without_empty_messages(conversation: Conversation) -> list[Edit]:
    empty = non_empty.empty_messages(conversation)
    return _removed(
        conversation, {conversation.messages[i].path: f"Removed message {i}: it held nothing to answer to." for i in empty}
    )


def _without_empty_texts(conversation: Conversation) -> list[Edit]:
    """Empty text blocks go; where nothing else would be left, one of them says so instead."""
    empty = list(non_empty.empty_texts(conversation))
    blocks = {id(block) for _, block, _ in empty}
    edits, gone, told = list[Edit](), dict[str, str](), set[int]()
    for index, block, leaf in empty:
        message = conversation.messages[index]
        inside = block if block.part is Part.RESULT else message
        more = _says_more(block) if block.part is Part.RESULT else _holds_more(message, blocks)
        if more or id(inside) in told:
            gone[leaf.path.removesuffix("/text")] = f"Removed an empty text of message {index}."
        else:
            told.add(id(inside))
            edits.append(Edit(leaf.span, json.dumps(NOTHING), f"Filled the only text of message {index}, which was empty."))
    return edits + _removed(conversation, gone)


def _says_more(result: Block) -> bool:
    return bool(result.media) or any(leaf.text for leaf in result.leaves)


def _holds_more(message: Message, empty: set[int]) -> bool:
    """Whether something is left that a provider takes for content when the empty blocks go."""
    return any(id(block) not in empty and block.part is not Part.THINKING for block in message.blocks)


def _filled_results(conversation: Conversation) -> list[Edit]:
    """Results whose content is absent, null, an empty string or an empty list."""
    results = [site for site in sites(conversation) if site.block.part is Part.RESULT]
    blank = [site for site in results if not _says_more(site.block)]
    if not blank:
        return []
    root, edits = parse(conversation.raw), list[Edit]()
    for site in blank:
        content = _found(root, site.block.path).get("content")
        done = f"Filled result {site.called!r} of message {site.index}, which was empty."
        if content is None:
            end = Span(site.block.span.stop - 1, site.block.span.stop - 1)
            edits.append(Edit(end, f',"content":{json.dumps(NOTHING)}', done))
        elif not content.value:
            edits.append(Edit(content.span, json.dumps(NOTHING), done))
    return edits


def _without_unanswerable(conversation: Conversation) -> list[Edit]:
    calls = [exchange.call for exchange in answered_calls.unanswered(conversation)]
    return _removed(
        conversation,
        {
            call.block.path: f"Removed call {call.called!r} of message {call.index}, which had no result."
            for call in calls
            if not answerable(conversation.format, call.block)
        },
    )


def _answered(conversation: Conversation) -> list[Edit]:
    """Calls left behind get a result that says so."""
    due: dict[int, list[Site]] = defaultdict(list)
    for exchange in answered_calls.unanswered(conversation):
        index = exchange.call.index
        anywhere = conversation.format is Format.OPENAI_RESPONSES
        due[index + 1 if anywhere else step_end(conversation, index)].append(exchange.call)
    root = parse(conversation.raw)
    return [edit for index, calls in due.items() for edit in _standing_in(conversation, root, index, calls)]


def _standing_in(conversation: Conversation, root: Node, due: int, calls: list[Site]) -> list[Edit]:
    """Results for these calls: in message ``due`` if it can hold them, else in front of it."""
    results = [stand_in(conversation.format, call.block) for call in calls]
    key = _content_for_results(conversation, due)
    if key:
        home = conversation.messages[due]
        edits = _in_front(_found(root, home.path)[key], results)
    else:
        end = conversation.messages[due - 1].span.stop
        texts = [f",{message}" for message in as_messages(conversation.format, results)]
        edits = [Edit(Span(end, end), "".join(texts))]
    done = [f"Answered call {call.called!r} of message {call.index}, which had no result." for call in calls]
    return [*edits, *(Edit(edits[0].span, "", sentence) for sentence in done)]


def _content_for_results(conversation: Conversation, due: int) -> str:
    """The member of message ``due`` that may hold the results; empty if there is none."""
    for message in conversation.messages[due : due + 1]:
        if conversation.format is Format.ANTHROPIC and message.wire_role == "user":
            return "content"
        if conversation.format is Format.GEMINI and any(block.part is Part.RESULT for block in message.blocks):
            return "parts"
    return ""


def _in_front(content: Node, results: list[str]) -> list[Edit]:
    """Results before all else in a content, which becomes a list if it was a string."""
    start, stop, joined = content.span.start, content.span.stop, ",".join(results)
    if isinstance(content.value, str):
        opening = f'[{joined},{{"type":"text","text":'
        return [Edit(Span(start, start), opening), Edit(Span(stop, stop), "}]")]
    return [Edit(Span(start + 1, start + 1), joined + ("," if content.elements else ""))]


def _without_strays(conversation: Conversation) -> list[Edit]:
    """Results without a call go, and all results of a call but the first; a message that held no more goes too."""
    strays = [(site, "has no call before it") for site in known_results.unknown(conversation)]
    strays += [(site, "was there already") for site in known_results.doubled(conversation)]
    counts = Counter(site.index for site, _ in strays)
    gone: dict[str, str] = {}
    for site, why in strays:
        message = conversation.messages[site.index]
        path = message.path if counts[site.index] == len(message.blocks) else site.block.path
        sentence = f"Removed result {site.called!r} of message {site.index}: it {why}."
        gone[path] = f"{gone[path]} {sentence}" if path in gone else sentence
    return _removed(conversation, gone)


def _without_idle_reasoning(conversation: Conversation) -> list[Edit]:
    idle = reasoning_followers.without_follower(conversation)
    return _removed(
        conversation, {conversation.messages[i].path: f"Removed reasoning item {i}: nothing follows from it." for i in idle}
    )


def _removed(conversation: Conversation, done: Mapping[str, str]) -> list[Edit]:
    """Elements of lists removed, each with one comma.

    Args:
        done: What to say of each, by its pointer.
    """
    by_list: dict[str, set[int]] = defaultdict(set)
    for path in done:
        listed, _, index = path.rpartition("/")
        by_list[listed].add(int(index))
    root = parse(conversation.raw) if done else None
    return [
        Edit(span, "", done[f"{listed}/{index}"])
        for listed, indexes in by_list.items()
        if root
        for index, span in cut_out(_found(root, listed).elements, indexes)
    ]


def _found(root: Node, pointer: str) -> Node:
    """The value at a pointer that came from the same raw text; lists are not walked, only indexed."""
    node = root
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        node = node[int(key)] if isinstance(node.value, tuple) else node[key]
    return node


# Calls are answered before strays go, for these may hold the place of the answer; reasoning goes last,
# for what followed it may have gone.
_FIXES: tuple[tuple[frozenset[Format], Callable[[Conversation], list[Edit]]], ...] = (
    (surrogates.formats, _whole_characters),
    (compaction_items.formats, _without_outdated),
    (non_empty.formats, _without_empty_messages),
    (non_empty.formats, _without_empty_texts),
    (frozenset({Format.ANTHROPIC}), _filled_results),
    (answered_calls.formats, _without_unanswerable),
    (answered_calls.formats, _answered),
    (known_results.formats, _without_strays),
    (reasoning_followers.formats, _without_idle_reasoning),
)
