"""Examples of the forms about thinking, images and cache marks."""

from typing import Any

from tests.cases.examples.build import Example, assistant, became, chat, gave, user

_USE = {"type": "tool_use", "id": "a", "name": "run", "input": {}}
_EDITED = {"type": "thinking", "thinking": "h...", "signature": "s"}
_THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
_IMAGE = {"type": "image", "source": {"type": "base64", "data": "A" * 300}}
_THOUGHTFUL, _CHANGED = chat(assistant([_THOUGHT, _USE])), chat(assistant([_EDITED, _USE]))


def _marked(text: str, **mark: Any) -> dict[str, Any]:
    return user([{"type": "text", "text": text, "cache_control": {"type": "ephemeral", **mark}}])


_ONE_IMAGE = gave(chat(user([{"type": "text", "text": "view 5"}, _IMAGE])))
_TWO_IMAGES = gave(chat(user([{"type": "text", "text": "view 4"}, _IMAGE, _IMAGE])))
_OPENING = "the message with tool call 'a' starts with the same thinking block as in the input"

EXAMPLES = [
    Example(
        "each thinking block in the output is identical to one in the input (text and signature)",
        gave(_THOUGHTFUL),
        became(_THOUGHTFUL, _CHANGED),
    ),
    Example(_OPENING, gave(_THOUGHTFUL), became(_THOUGHTFUL, chat())),
    Example(
        f"{_OPENING}, or is not in the output", became(_THOUGHTFUL, chat()), became(_THOUGHTFUL, _CHANGED)
    ),
    Example("the output has at most 1 image blocks", _ONE_IMAGE, _TWO_IMAGES),
    Example(
        "the output has 1 image block, or the output text says that an image was left out",
        gave(chat(user("plan [image: floor.png]"))),
        gave(chat(user("plan"))),
    ),
    Example("if the output has image blocks then the one of 'view 5' is among them", _ONE_IMAGE, _TWO_IMAGES),
    Example(
        "the output has at most 1 cache_control fields",
        gave(chat(_marked("a"))),
        gave(chat(*[_marked("a")] * 2)),
    ),
    Example(
        "every cache_control in the output is {'type': 'ephemeral', 'ttl': '1h'}",
        gave(chat(_marked("a", ttl="1h"))),
        gave(chat(_marked("a"))),
    ),
    Example(
        "every cache_control in the output is on a block that has one in the input",
        became(chat(_marked("a long text")), chat(_marked("a […1 line] text"))),
        became(chat(_marked("a long text"), user("b")), chat(_marked("b"))),
    ),
    Example("no run of more than 200 base64 characters", _ONE_IMAGE, gave(chat(user("A" * 201)))),
]
