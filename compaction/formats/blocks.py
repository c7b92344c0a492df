"""What the wire formats have in common: content that is a string or a list, results, cache marks, names."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from elision.compaction.conversation import Block, Leaf, Message, Part, Role
from elision.compaction.errors import BadConversation
from elision.compaction.formats.at import At

_CALLS = frozenset({Part.CALL, Part.SERVER_CALL})
_RESULTS = frozenset({Part.RESULT, Part.SERVER_RESULT})


def marked(at: At) -> bool:
    """Whether a cache boundary stands on this object itself; gateways carry either mark in any format."""
    return at.get("cache_control", "prompt_cache_breakpoint") is not None


def bearing(at: At, *keys: str) -> bool:
    """Whether one of these members, signatures or encrypted contents, is a string that is not empty."""
    return any(at.text(key) for key in keys)


def block(at: At, part: Part, kind: str, leaves: tuple[Leaf, ...] = (), signed: bool = False) -> Block:
    """A block that is this whole value; its cache mark, if it has one, is found."""
    return Block(part, at.path, at.span, leaves, signed=signed, cache_mark=marked(at), type=kind)


def text_block(at: At) -> Block:
    """The block of a string that stands where a list of blocks could stand."""
    return block(at, Part.TEXT, "text", at.leaves())


def content_blocks(content: At | None, read: Callable[[At], Block]) -> tuple[Block, ...]:
    """The blocks of a content, which is a string, a list or absent; strings in the list are text.

    Args:
        read: Reads one block from an object.

    Raises:
        BadConversation: If it is something else.
    """
    if content is None:
        return ()
    if content.is_string:
        return (text_block(content),)
    if not content.is_list:
        raise BadConversation(content.path, "must be a string or a list")
    return tuple(text_block(at) if at.is_string else read(at.object()) for at in content.elements())


def holding(outer: Block, inner: tuple[Block, ...]) -> Block:
    """The block with what it holds: the texts of the inner blocks, and what they are if not text."""
    return replace(
        outer,
        leaves=tuple(leaf for held in inner for leaf in held.leaves),
        media=tuple(held.part for held in inner if held.part is not Part.TEXT),
        cache_mark=outer.cache_mark or any(held.cache_mark for held in inner),
    )


def message(at: At, role: Role, blocks: tuple[Block, ...]) -> Message:
    """A message whose members are spelled as OpenAI and Anthropic spell them."""
    return Message(role, at.text("role"), at.path, at.span, blocks, at.text("id"), marked(at))


def message_list(body: At, key: str) -> At:
    """The list of messages: the body itself, or its member.

    Raises:
        BadConversation: If there is none.
    """
    listed = body if body.is_list else body.object().get(key)
    if listed is None:
        raise BadConversation(body.path, f"has no {key}")
    return listed


def named(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages with each result named after the newest call before it that has its id."""
    names: dict[str, str] = {}
    return tuple(replace(said, blocks=tuple(_named(one, names) for one in said.blocks)) for said in messages)


def _named(one: Block, names: dict[str, str]) -> Block:
    if one.part in _CALLS and one.call_id:
        names[one.call_id] = one.name
    if one.part in _RESULTS and not one.name:
        return replace(one, name=names.get(one.call_id, ""))
    return one
