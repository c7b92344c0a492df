"""A list of messages over the provider's raw JSON.

Reading keeps where everything stands; nothing is ever written from these objects except the
leaves that changed (see `with_texts`). What a block is for is told by `Part`, so that rules and
policies speak of calls and results, never of wire formats.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from elision.compaction.raw_json import replaced, spell
from elision.model.types import Span


class Format(StrEnum):
    """Wire formats; the values are what callers name them by."""

    OPENAI_CHAT = "openai_chat"
    OPENAI_RESPONSES = "openai_responses"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    TEXT = "text"


class Role(StrEnum):
    """Whose words a message holds. A message of results has the role ``tool``, whatever the wire says."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    OTHER = "other"  # items without a speaker: configuration, references


INSTRUCTIONS = frozenset({Role.SYSTEM, Role.DEVELOPER})
"""Who tells the model what it is for."""


class Part(StrEnum):
    """What a block of a message is."""

    TEXT = "text"
    CALL = "call"
    RESULT = "result"
    THINKING = "thinking"  # also redacted thinking and reasoning items
    IMAGE = "image"
    DOCUMENT = "document"
    AUDIO = "audio"
    FILE = "file"
    SERVER_CALL = "server_call"  # run by the provider; never ours to answer or to touch
    SERVER_RESULT = "server_result"
    COMPACTION = "compaction"
    REFERENCE = "reference"  # stands for an item we cannot see
    OTHER = "other"  # a type we do not know: carried through


@dataclass(frozen=True, slots=True)
class Leaf:
    """One text inside the raw JSON.

    Attributes:
        path: JSON pointer of the string in the body, such as ``/messages/3/content``; empty for plain text.
        span: Where the string's spelling stands in `Conversation.raw`, quotes included; of plain text all of it.
        text: The string.
    """

    path: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """One content block, call, result or item.

    Attributes:
        part: What it is.
        path: JSON pointer of the block; of a message whose content is one string, of that string.
        span: Where it stands in the body.
        leaves: Its texts. Of a call its arguments, if they are one string; of a result every text in it;
            of a document its text, where it holds it as such. Of other media, of references and of what the
            provider ran none.
        call_id: Of calls and results, what pairs them; empty where the format has none.
        arguments: Of a call where its arguments stand in the body, an object or a string of JSON.
        name: Of calls, and of results whose call was read, the tool.
        signed: Whether it carries a signature or encrypted content that its neighbours are bound to.
        cache_mark: Whether a cache boundary stands on it or inside it.
        media: What a result holds beside text: images, documents, files, parts of unknown type.
        is_error: Whether a result says that the call failed.
        type: What the wire calls it.
    """

    part: Part
    path: str
    span: Span
    leaves: tuple[Leaf, ...] = ()
    call_id: str = ""
    arguments: Span = Span(0, 0)
    name: str = ""
    signed: bool = False
    cache_mark: bool = False
    media: tuple[Part, ...] = ()
    is_error: bool = False
    type: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn, or one item where the format has items.

    Attributes:
        role: Whose it is.
        wire_role: What the wire says, empty where it says nothing.
        path: JSON pointer of the message.
        span: Where it stands in the body.
        blocks: What it holds, in order.
        id: The caller's id of it, if it has one.
        cache_mark: Whether a cache boundary stands on the message itself.
    """

    role: Role
    wire_role: str
    path: str
    span: Span
    blocks: tuple[Block, ...]
    id: str = ""
    cache_mark: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool definition; its leaves are the description texts in it, the tool's own first.

    Only values of ``description`` keys that annotate are leaves: a property that is called
    ``description`` is none.
    """

    name: str
    path: str
    span: Span
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request's messages, over its raw text.

    Attributes:
        format: The wire format it was read as.
        raw: The body, as it came; or the larger document that it is part of, which all paths and spans
            then refer to.
        messages: The turns or items, in order.
        system: System texts that stand outside the messages (Anthropic ``system``, Responses
            ``instructions``, Gemini ``systemInstruction``).
        tools: Tool definitions.
        model: The reading model, empty if not named.
        list_span: Where the list of messages stands in the body, brackets included; of a body that is the
            text itself, all of it; empty if the body has none.
    """

    format: Format
    raw: str
    messages: tuple[Message, ...]
    system: tuple[Block, ...] = ()
    tools: tuple[Tool, ...] = ()
    model: str = ""
    list_span: Span = Span(0, 0)

    def places(self) -> Iterator["Place"]:
        """Every leaf of the messages, in order, with where it stands."""
        for index, message in enumerate(self.messages):
            for block in message.blocks:
                for leaf in block.leaves:
                    yield Place(index, message, block, leaf)

    def with_texts(self, texts: Mapping[str, str]) -> str:
        """The body with the leaves at these paths replaced; every other character is as it was.

        Args:
            texts: New text by `Leaf.path`. A leaf whose new text equals the old keeps its spelling.
        """
        owned = [place.leaf for place in self.places()]
        owned += [leaf for block in self.system for leaf in block.leaves]
        owned += [leaf for tool in self.tools for leaf in tool.leaves]
        changed = [leaf for leaf in owned if texts.get(leaf.path, leaf.text) != leaf.text]
        return replaced(self.raw, [(leaf.span, self._spelled(leaf, texts[leaf.path])) for leaf in changed])

    def _spelled(self, leaf: Leaf, text: str) -> str:
        plain = len(leaf.span) == len(leaf.text)  # a JSON string is longer, by its quotes
        return text if plain else spell(text, leaf.span.of(self.raw))


@dataclass(frozen=True, slots=True)
class Place:
    """A leaf and what it stands in.

    Attributes:
        index: Index of the message.
    """

    index: int
    message: Message
    block: Block
    leaf: Leaf
