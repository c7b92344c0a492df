"""A value of a body together with its JSON pointer: what the readers of all formats walk over.

Every wire takes a null for an absent member, so here both are absent. What contradicts the format
raises `BadConversation`, which says where.
"""

from dataclasses import dataclass

from elision.compaction.conversation import Leaf
from elision.compaction.errors import BadConversation
from elision.compaction.raw_json import Node, step
from elision.model.types import Span


@dataclass(frozen=True, slots=True)
class At:
    """A value, and the pointer to it from the start of the whole document."""

    node: Node
    path: str

    @property
    def span(self) -> Span:
        return self.node.span

    @property
    def is_string(self) -> bool:
        return isinstance(self.node.value, str)

    @property
    def is_object(self) -> bool:
        return isinstance(self.node.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.node.value, tuple)

    def get(self, *keys: str) -> "At | None":
        """The first of these members that is there and not null."""
        for key in keys:
            found = self.node.get(key)
            if found is not None and found.value is not None:
                return At(found, self.path + step(key))
        return None

    def text(self, *keys: str) -> str:
        """The first of these members that is there, if it is a string; else the empty string."""
        found = self.get(*keys)
        return found.node.value if found and isinstance(found.node.value, str) else ""

    def span_of(self, *keys: str) -> Span:
        """Where the first of these members that is there stands; an empty span if none is."""
        found = self.get(*keys)
        return found.span if found else Span(0, 0)

    def true(self, key: str) -> bool:
        """Whether the member is ``true``."""
        found = self.node.get(key)
        return found is not None and found.value is True

    def leaves(self, *keys: str) -> tuple[Leaf, ...]:
        """The leaf of the first of these members that is there, if it is a string; without keys its own."""
        found = self.get(*keys) if keys else self
        if found is None or not isinstance(found.node.value, str):
            return ()
        return (Leaf(found.path, found.span, found.node.value),)

    def elements(self) -> "tuple[At, ...]":
        """The elements.

        Raises:
            BadConversation: If this is no list.
        """
        if not self.is_list:
            raise BadConversation(self.path, "must be a list")
        return tuple(At(element, self.path + step(index)) for index, element in enumerate(self.node.elements))

    def objects(self, *keys: str) -> "tuple[At, ...]":
        """The objects in the list under the first of these keys that is there; none if none is.

        Raises:
            BadConversation: If that is no list, or one of its elements is no object.
        """
        listed = self.get(*keys)
        return tuple(element.object() for element in listed.elements()) if listed else ()

    def object(self) -> "At":
        """Itself.

        Raises:
            BadConversation: If this is no object.
        """
        if not self.is_object:
            raise BadConversation(self.path, "must be an object")
        return self
