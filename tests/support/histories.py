"""Long histories for the laws of the reducers: files read and edited, commands run, pictures looked at."""

import json
from typing import Any

from conversations import listed
from hypothesis import strategies as st
from messages import Json, assistant, calls, result, told, user

from elision.compaction.conversation import Conversation, Format
from elision.compaction.formats.read import read

CODE = '"""A module."""\n\nimport os\n\n\n' + "".join(
    f'def function_{number}(path: str) -> int:\n    """Say how long a file is."""\n'
    + "".join(f"    value_{row} = os.stat(path).st_size + {row}\n" for row in range(12))
    + "    return value_0\n\n\n"
    for number in range(6)
)
_PATHS = st.sampled_from(["src/a.py", "b.py", "src/deep/c.ts", "notes.md"])
_COMMANDS = st.sampled_from(
    [
        "ls src",
        "cat src/a.py",
        "git status && git diff",
        "pytest -q",
        "sed -i s/a/b/ src/a.py",
        "echo 'unclosed",
        "",
    ]
)
_CALLS = st.one_of(
    st.tuples(st.just("read_file"), st.fixed_dictionaries({"path": _PATHS})),
    st.tuples(st.just("edit"), st.fixed_dictionaries({"file_path": _PATHS, "old_string": st.just("a")})),
    st.tuples(st.just("bash"), st.fixed_dictionaries({"command": _COMMANDS})),
    st.tuples(st.sampled_from(["skill", "ask_user", "search", "mcp__x__get"]), st.just({"q": "x"})),
)
NUMBERED = "\n".join(f"{number:6}\t{row}" for number, row in enumerate(CODE.splitlines(), 1))
_FEW = ["ok", "the same again " * 40, "Error: no\nexit code 1\n" * 30, "<keep>stay</keep> " + "word " * 90]
_MANY = [
    "12 lines\n" * 300,
    "不要删除数据库" * 60,
    CODE,
    "a\ud800b " * 99,
    "👩‍👩‍👧‍👦" * 99,
    "\r\n" * 200 + "end",
]
_ANY = st.text(min_size=1, max_size=20).flatmap(lambda text: st.sampled_from([text, f"{text}\n" * 40]))
outputs = st.one_of(st.sampled_from(_FEW), st.sampled_from(_MANY), _ANY)


def _output(name: str, given: Json) -> st.SearchStrategy[str]:
    is_code = name == "read_file" and given["path"].endswith((".py", ".ts"))
    return st.sampled_from([CODE, NUMBERED, "ok"]) if is_code else outputs


@st.composite
def histories(draw: st.DrawFn) -> list[Json]:
    """Some questions, each with steps of parallel calls and, but perhaps for the last, an answer."""
    story: list[Json] = []
    names = iter(range(10_000))
    for _ in range(draw(st.integers(1, 3))):
        story.append(user(draw(st.sampled_from(["fix it", "go on", "再来一次"]))))
        for made in draw(st.lists(st.lists(_CALLS, min_size=1, max_size=3), max_size=3)):
            ids = [f"c{next(names)}" for _ in made]
            story.append(calls(*((id, name, given) for id, (name, given) in zip(ids, made, strict=True))))
            story += [result(id, draw(_output(*one))) for id, one in zip(ids, made, strict=True)]
        if draw(st.booleans()):
            story.append(assistant("Done."))
    return story if story[-1]["role"] != "user" else [*story, assistant("Done.")]


def history(story: list[Json], format: Format, media: bool = False) -> Conversation:
    """The conversation that tells a story, with pictures in its messages of the user and in its results if asked."""
    body: Json = json.loads(told(story, format))
    for message in listed(body, format) if media else []:
        _add_media(message, format)
    return read(json.dumps(body), format)


def _add_media(message: Json, format: Format) -> None:
    match format:
        case Format.GEMINI:
            for part in [*message["parts"]]:
                if "functionResponse" in part:
                    part["functionResponse"]["parts"] = [picture(format)]
                elif message["role"] == "user":
                    message["parts"].append(picture(format))
        case Format.OPENAI_RESPONSES:
            if message.get("type") == "function_call_output":
                message["output"] = [{"type": "input_text", "text": message["output"]}, picture(format)]
            elif message.get("role") == "user":
                message["content"] = [picture(format), {"type": "input_text", "text": message["content"]}]
        case Format.ANTHROPIC:
            if message["role"] == "user" and isinstance(message["content"], str):
                message["content"] = [picture(format), {"type": "text", "text": message["content"]}]
            for block in message["content"] if isinstance(message["content"], list) else []:
                if block["type"] == "tool_result":
                    block["content"] = [{"type": "text", "text": block["content"]}, picture(format)]
        case _:
            if message["role"] == "user":
                message["content"] = [picture(format), {"type": "text", "text": message["content"]}]


def picture(format: Format, data: str = "iVBORw0KGgo=") -> dict[str, Any]:
    """A block that is a picture."""
    match format:
        case Format.GEMINI:
            return {"inlineData": {"mimeType": "image/png", "data": data}}
        case Format.OPENAI_RESPONSES:
            return {"type": "input_image", "image_url": f"data:image/png;base64,{data}"}
        case Format.ANTHROPIC:
            return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
