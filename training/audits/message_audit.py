"""Check what the message path promises of one request, from the outside.

Only bodies are looked at, as text and as JSON; which strings are tool results is told here anew, so
that a reader that takes the wrong string for one is found out.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from elision.compaction.conversation import Format
from elision.compaction.errors import NotJson
from elision.compaction.raw_json import Node, parse, replaced
from elision.model.types import Span
from elision.training.audits.convert import Request

LISTS = {
    Format.OPENAI_CHAT: "messages",
    Format.OPENAI_RESPONSES: "input",
    Format.ANTHROPIC: "messages",
    Format.GEMINI: "contents",
}


class Check(StrEnum):
    """What a request can fail."""

    JSON = "output is not JSON"
    IDENTITY = "keep ratio 1 changed bytes"
    SHAPE = "keys, types, numbers or lengths changed"
    BYTES = "bytes outside changed strings changed"
    TOUCHED = "something else than a tool result changed"
    VALID = "a provider would refuse the output"
    GROWN = "tokens grown"
    COLD = "prefix broken, cold store"
    WARM = "prefix broken, warm store"


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise.

    Attributes:
        end: How many messages the request had; 0 for all.
    """

    check: Check
    end: int
    detail: str


@dataclass(frozen=True, slots=True)
class Passed:
    """What came back for one body: the body, its tokens, and problems it has that it did not have before."""

    raw: str
    before: int
    after: int
    new_problems: tuple[str, ...] = ()


Pass = Callable[[str], Passed]
"""Compresses a body, with a store of its own."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the audit of one request saw.

    Attributes:
        messages: Elements of its list of messages.
        results: Texts of tool results in it.
        touched: Strings that changed.
        before: Tokens of it as it came.
        after: Tokens of what it became.
        ends: Shorter requests that it was compared with.
        bound: Whether signatures bind it, so that nothing was asked of a cold store.
        findings: Broken promises.
        repairs: What the converter had to change of the recording.
    """

    messages: int
    results: int
    touched: int
    before: int
    after: int
    ends: int
    bound: bool
    findings: tuple[Finding, ...] = ()
    repairs: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Changed:
    """One string that differs between two bodies.

    Attributes:
        pointer: JSON pointer of it.
        before: Where it stood.
        after: How it is spelled now.
    """

    pointer: str
    before: Span
    after: str


class Misshapen(Exception):
    """Two documents differ in more than the words of their strings."""


def audit_request(
    request: Request, ends: Sequence[int], *, fresh: Callable[[], Pass], untouched: Pass, bound: bool = False
) -> Outcome:
    """Compress a request whole and cut short, and list every promise broken.

    Args:
        request: The request.
        ends: Numbers of messages to cut it to.
        fresh: Gives a pass at the ratio under audit whose store is empty, and is kept from call to call.
        untouched: A pass at keep ratio 1.
        bound: Whether signatures or cache marks tie the messages to what was sent before: then they come
            out alike only where that is remembered.
    """
    raw = request.body()
    cold, warm = fresh(), fresh()
    shorts = [(end, warm(request.body(end)).raw) for end in sorted(ends)]  # as an agent sends them
    last = warm(raw)
    found = [*_accounts(raw, last, request.format), *_identity(raw, untouched(raw).raw)]
    found += [finding for end, short in shorts for finding in _prefix(Check.WARM, request, end, short, last.raw)]
    if not bound:
        whole = cold(raw).raw
        found += [Finding(Check.WARM, 0, "the whole differs from what a cold store gives")] * (whole != last.raw)
        for end in ends:
            found += _prefix(Check.COLD, request, end, fresh()(request.body(end)).raw, whole)
    return Outcome(
        messages=len(request.messages),
        results=len(result_pointers(parse(raw), request.format)),
        touched=len(_changed(raw, last.raw)),
        before=last.before,
        after=last.after,
        ends=len(ends),
        bound=bound,
        findings=tuple(found),
        repairs=Counter(request.repairs),
    )


def changes(before: str, after: str) -> list[Changed]:
    """The strings that differ between two JSON documents that are otherwise alike.

    Raises:
        NotJson: If one of them is none.
        Misshapen: If keys, their order, types, numbers or lengths differ; says where.
    """
    return list(_changes(parse(before), parse(after), before, after, ""))


def result_pointers(body: Node, format: Format) -> set[str]:
    """JSON pointers of every string that is the text of a tool result."""
    key = LISTS[format]
    return {
        pointer
        for index, message in enumerate(body[key].elements)
        for pointer in _result_texts(message, f"/{key}/{index}", format)
    }


def _result_texts(message: Node, at: str, format: Format) -> Iterator[str]:
    match format:
        case Format.OPENAI_CHAT if message.text("role") == "tool":
            yield from _strings(message["content"], f"{at}/content")
        case Format.OPENAI_RESPONSES if message.text("type") == "function_call_output":
            yield from _strings(message["output"], f"{at}/output")
        case Format.ANTHROPIC:
            for index, block in enumerate(message["content"].elements):
                if block.text("type") == "tool_result":
                    yield from _strings(block["content"], f"{at}/content/{index}/content")
        case Format.GEMINI:
            for index, part in enumerate(message["parts"].elements):
                response = part.get("functionResponse")
                if response is not None:
                    yield from _strings(response["response"], f"{at}/parts/{index}/functionResponse/response")


def _strings(node: Node, at: str) -> Iterator[str]:
    if isinstance(node.value, str):
        yield at
    for index, element in enumerate(node.elements):
        yield from _strings(element, f"{at}/{index}")
    for key, member in node.members:
        if key != "type":
            yield from _strings(member, f"{at}/{key}")


def _accounts(raw: str, done: Passed, format: Format) -> Iterator[Finding]:
    if done.after > done.before:
        yield Finding(Check.GROWN, 0, f"{done.before} to {done.after} tokens")
    for problem in done.new_problems:
        yield Finding(Check.VALID, 0, problem)
    try:
        changed = changes(raw, done.raw)
    except NotJson as error:
        yield Finding(Check.JSON, 0, str(error))
        return
    except Misshapen as error:
        yield Finding(Check.SHAPE, 0, str(error))
        return
    if replaced(raw, [(change.before, change.after) for change in changed]) != done.raw:
        yield Finding(Check.BYTES, 0, f"{len(changed)} strings changed, and more than they")
    results = result_pointers(parse(raw), format)
    for change in changed:
        if change.pointer not in results:
            yield Finding(Check.TOUCHED, 0, change.pointer)


def _identity(raw: str, same: str) -> Iterator[Finding]:
    if same != raw:
        at = next((i for i, (a, b) in enumerate(zip(raw, same, strict=False)) if a != b), min(len(raw), len(same)))
        yield Finding(Check.IDENTITY, 0, f"character {at}: {raw[at : at + 60]!r} became {same[at : at + 60]!r}")


def _prefix(check: Check, request: Request, end: int, short: str, whole: str) -> Iterator[Finding]:
    try:
        beginning = request.beginning(short)
        request.beginning(whole)
    except ValueError as error:
        yield Finding(check, end, str(error))
        return
    if not whole.startswith(beginning):
        at = next(i for i, (a, b) in enumerate(zip(beginning, whole, strict=False)) if a != b)
        yield Finding(check, end, f"character {at}: {short[at : at + 60]!r} became {whole[at : at + 60]!r}")


def _changed(before: str, after: str) -> list[Changed]:
    try:
        return changes(before, after)
    except (NotJson, Misshapen):
        return []


def _changes(one: Node, other: Node, before: str, after: str, at: str) -> Iterator[Changed]:
    if type(one.value) is not type(other.value) or len(one.elements) != len(other.elements):
        raise Misshapen(f"{at or 'the body'}: another type or length")
    if [key for key, _ in one.members] != [key for key, _ in other.members]:
        raise Misshapen(f"{at or 'the body'}: other keys, or another order")
    for index, (element, new) in enumerate(zip(one.elements, other.elements, strict=True)):
        yield from _changes(element, new, before, after, f"{at}/{index}")
    for (key, member), (_, new) in zip(one.members, other.members, strict=True):
        yield from _changes(member, new, before, after, f"{at}/{key}")
    if one.elements or one.members or one.span.of(before) == other.span.of(after):
        return
    if not isinstance(one.value, str):
        raise Misshapen(f"{at}: {one.span.of(before)} became {other.span.of(after)}")
    yield Changed(at, one.span, other.span.of(after))
