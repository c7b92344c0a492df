"""Examples of the forms about tool definitions."""

from tests.cases.examples.build import Example, became, chat, gave
from tests.cases.outcome import Body


def _tool(**schema: object) -> Body:
    return chat(tools=[{"name": "t", "parameters": {"type": "object", **schema}}])


_TITLED = _tool(properties={"title": {"enum": ["a", "b"]}}, required=["title"])
_BARE = _tool(properties={}, required=["title"])

EXAMPLES = [
    Example("every name in a 'required' list is in the 'properties' beside it", gave(_TITLED), gave(_BARE)),
    Example("the property names at every depth are unchanged", gave(_TITLED), became(_TITLED, _BARE)),
    Example(
        "enum lists are unchanged",
        gave(_TITLED),
        became(_TITLED, _tool(properties={"title": {"enum": ["a"]}})),
    ),
]
