"""Examples of the forms about roles and empty messages."""

from tests.cases.examples.build import Example, assistant, call, chat, gave, result, system, user

_TURNS = gave(chat(system("s"), user("u"), assistant("a"), user("last")))
_NEIGHBOURS = gave(chat(user("u"), user("v"), assistant("a")))
_TWO_SYSTEMS = gave(chat(system("s"), user("u"), system("t")))
_EMPTY = gave(chat(user("u"), assistant("")))
_THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
_HUMAN = "messages with the text 'rm' have role 'tool'"

EXAMPLES = [
    Example("roles alternate user/assistant", _TURNS, _NEIGHBOURS),
    Example("no two neighbouring messages have the same role", _TURNS, _NEIGHBOURS),
    Example("first non-system message has role 'user'", _TURNS, gave(chat(system("s"), assistant("a")))),
    Example("at least one message has role 'user'", _TURNS, gave(chat(system("s")))),
    Example("the output has at most 1 messages of role 'system'", _TURNS, _TWO_SYSTEMS),
    Example("there is exactly one system message and it is first", _TURNS, _TWO_SYSTEMS),
    Example("no message of role 'system' contains 't'", _TURNS, _TWO_SYSTEMS),
    Example("no message of role 'user' starts with 'la'", _NEIGHBOURS, _TURNS),
    Example(_HUMAN, gave(chat(call("a"), result("a", "rm"))), gave(chat(user("rm")))),
    Example("the message 'last' is the last message of role 'user'", _TURNS, _NEIGHBOURS),
    Example("the last message contains the text 'las'", _TURNS, _NEIGHBOURS),
    Example("no message is empty", gave(chat(call("a"), result("a"))), _EMPTY),
    Example("no text block is empty", _TURNS, gave(chat(user([{"type": "text", "text": ""}])))),
    Example(
        "no assistant message holds only thinking blocks",
        gave(chat(assistant([_THOUGHT, {"type": "text", "text": "so"}]))),
        gave(chat(assistant([_THOUGHT]))),
    ),
    Example(
        "no two messages have the same id",
        gave(chat(user("u") | {"id": "1"}, user("u") | {"id": "2"})),
        gave(chat(user("u") | {"id": "1"}, user("v") | {"id": "1"})),
    ),
]
