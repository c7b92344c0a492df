"""JSON read where it stands: every value knows the characters that spell it.

A request is edited by replacing the spelling of a few strings; all other characters of the document
are never written anew, so keys, order, spacing and the spelling of numbers cannot change.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]  # the C scanner of the standard library

import regex

from elision.compaction.errors import NotJson
from elision.model.types import Span

_SPACE = regex.compile(r"[ \t\n\r]*+")
_NUMBER = regex.compile(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][-+]?\d++)?", regex.ASCII)
_WORDS: dict[str, tuple[str, bool | None]] = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}

# A pointer repeats every key above its value, so a short document can have gigabytes of them.
LONGEST_POINTER = 1000


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is spelled: ``1.0``, ``1e3`` and ``9007199254740993`` stay what they are."""

    spelled: str


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a document.

    Attributes:
        span: Where its spelling stands; of a string with its quotes.
        value: What it is. An object keeps its members in order, repeated keys included.
    """

    span: Span
    value: "str | Number | bool | None | tuple[Node, ...] | dict[str, Node]"
    members: "tuple[tuple[str, Node], ...]" = ()

    def __getitem__(self, key: str | int) -> "Node":
        """Member or element; of a repeated key the last, as JSON readers have it.

        Raises:
            KeyError, IndexError, TypeError: As a dict or a tuple would.
        """
        found: Node = self.value[key]  # type: ignore[index,assignment]
        return found

    def get(self, key: str) -> "Node | None":
        """The member, or None if there is none or this is no object."""
        return self.value.get(key) if isinstance(self.value, dict) else None

    def text(self, key: str) -> str:
        """The member if it is a string, else the empty string."""
        found = self.get(key)
        return found.value if found is not None and isinstance(found.value, str) else ""

    @property
    def elements(self) -> "tuple[Node, ...]":
        """The elements of an array; of anything else none."""
        return self.value if isinstance(self.value, tuple) else ()

    @property
    def children(self) -> "Iterable[tuple[str | int, Node]]":
        """Members or elements under their keys or indices; of a repeated key the last, as in `get`."""
        return self.value.items() if isinstance(self.value, dict) else enumerate(self.elements)


def parse(text: str, start: int = 0) -> Node:
    """Read one JSON document, however deep; white space around it is allowed.

    Raises:
        NotJson: If it is not one; says at which character and why.
    """
    return _Reader(text).document(start)


def plain(node: Node) -> object:
    """The value without its places: dicts, lists, strings, ints and floats.

    Raises:
        RecursionError: If it is nested too deep to be useful.
        ValueError: If a number has more digits than Python reads.
    """
    value = node.value
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, tuple):
        return [plain(element) for element in value]
    return json.loads(value.spelled) if isinstance(value, Number) else value


def spell(value: str, like: str = "") -> str:
    """Spell a string in JSON, quotes included; in ASCII if ``like``, what stood there, is ASCII and escaped.

    Lone surrogates are always escaped, so that the result can be encoded.
    """
    if like.isascii() and "\\u" in like:
        return json.dumps(value)
    spelled = json.dumps(value, ensure_ascii=False)
    return regex.sub(r"[\ud800-\udfff]", lambda match: f"\\u{ord(match.group()):04x}", spelled)


def replaced(text: str, edits: Iterable[tuple[Span, str]]) -> str:
    """``text`` with each span replaced; the spans do not overlap and come in any order."""
    parts, at = [], 0
    for span, new in sorted(edits):
        parts += [text[at : span.start], new]
        at = span.stop
    return "".join([*parts, text[at:]])


def cut_out(elements: tuple[Node, ...], indexes: set[int]) -> list[tuple[int, Span]]:
    """What has to go of a list, commas included, for these of its elements to be gone; by their index.

    Up to the next element; from the last one that stays on, from the end of the one before.
    """
    last_kept = max(set(range(len(elements))) - indexes, default=-1)
    cut = list[tuple[int, Span]]()
    for index in sorted(indexes):
        span = elements[index].span
        if index < last_kept:
            cut.append((index, Span(span.start, elements[index + 1].span.start)))
        else:
            cut.append((index, Span(elements[index - 1].span.stop if index else span.start, span.stop)))
    return cut


def strings(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """Every string value of a document with its JSON pointer, in text order; keys are not values.

    Of a repeated key only the last value is one, so that no pointer comes twice. Values whose pointer
    has more than `LONGEST_POINTER` characters are left out.

    Args:
        path: The pointer of ``node`` itself, where it is part of a larger document.
    """
    waiting = [(path, node)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node.value, str):
            yield path, node
        below = [(path + step(key), child) for key, child in node.children]
        waiting += [(pointer, child) for pointer, child in reversed(below) if len(pointer) <= LONGEST_POINTER]


def find(node: Node, pointer: str) -> Node | None:
    """The value at a JSON pointer (RFC 6901), if there is one; the empty pointer is ``node`` itself."""
    head, *parts = pointer.split("/")
    found: Node | None = None if head else node
    for part in parts:
        children = found.children if found else ()
        found = next((child for key, child in children if step(key) == "/" + part), None)
    return found


def step(key: str | int) -> str:
    """One step of a JSON pointer (RFC 6901)."""
    return "/" + str(key).replace("~", "~0").replace("/", "~1")


class _Reader:
    """An iterative reader: depth costs memory, never the stack."""

    def __init__(self, text: str) -> None:
        self.text = text

    def document(self, start: int) -> Node:
        node, at = self._value(self._space(start))
        at = self._space(at)
        if at != len(self.text):
            raise self._wrong(at, "more text after the value")
        return node

    def _value(self, at: int) -> tuple[Node, int]:
        open_: list[_Open] = []
        while True:
            first = self.text[at : at + 1]
            if first in ("{", "["):
                container = _Open(at, first)
                at = self._space(at + 1)
                if self.text[at : at + 1] != container.close:
                    if first == "{":
                        at = self._key(container, at)
                    open_.append(container)
                    continue
                node, at = container.node(at + 1), at + 1
            else:
                node, at = self._scalar(at, first)
            while open_:
                container = open_[-1]
                container.add(node)
                at = self._space(at)
                mark = self.text[at : at + 1]
                if mark == ",":
                    at = self._space(at + 1)
                    if container.first == "{":
                        at = self._key(container, at)
                    break
                if mark != container.close:
                    raise self._wrong(at, f"a comma or {container.close} is missing")
                at += 1
                node = open_.pop().node(at)
            else:
                return node, at

    def _scalar(self, at: int, first: str) -> tuple[Node, int]:
        if first == '"':
            value, stop = self._string(at)
            return Node(Span(at, stop), value), stop
        if first in _WORDS and self.text.startswith(_WORDS[first][0], at):
            word, meaning = _WORDS[first]
            return Node(Span(at, at + len(word)), meaning), at + len(word)
        number = _NUMBER.match(self.text, at)
        if not number:
            raise self._wrong(at, "a value is missing")
        return Node(Span(*number.span()), Number(number.group())), number.end()

    def _string(self, at: int) -> tuple[str, int]:
        try:
            value, stop = scanstring(self.text, at + 1, True)
        except json.JSONDecodeError as error:
            raise self._wrong(error.pos, error.msg.lower()) from None
        return value, stop

    def _key(self, container: "_Open", at: int) -> int:
        if self.text[at : at + 1] != '"':
            raise self._wrong(at, "a key in double quotes is missing")
        container.key, at = self._string(at)
        at = self._space(at)
        if self.text[at : at + 1] != ":":
            raise self._wrong(at, "a colon is missing")
        return self._space(at + 1)

    def _space(self, at: int) -> int:
        if self.text[at : at + 1] > " ":  # there is none, as nearly everywhere
            return at
        return _SPACE.match(self.text, at).end()  # type: ignore[union-attr]  # matches the empty string

    def _wrong(self, at: int, why: str) -> NotJson:
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        return NotJson(f"not JSON at line {line}, column {column}: {why}", at)


class _Open:
    """A container whose end has not been read yet."""

    __slots__ = ("children", "close", "first", "key", "keys", "start")

    def __init__(self, start: int, first: str) -> None:
        self.start, self.first = start, first
        self.close = "}" if first == "{" else "]"
        self.key = ""
        self.keys: list[str] = []
        self.children: list[Node] = []

    def add(self, node: Node) -> None:
        self.children.append(node)
        if self.first == "{":
            self.keys.append(self.key)

    def node(self, stop: int) -> Node:
        span = Span(self.start, stop)
        if self.first == "[":
            return Node(span, tuple(self.children))
        members = tuple(zip(self.keys, self.children, strict=True))
        return Node(span, dict(members), members)
