"""Old reads of source files become their signatures."""

import pytest
from conversations import FORMATS
from histories import CODE, NUMBERED, history
from messages import Json, assistant, call, result, user

from elision.compaction.compact.edits import reduced
from elision.compaction.conversation import Conversation, Format, Part
from elision.compaction.policies.reductions import Skeleton
from elision.compaction.reduce.skeletons import skeleton, skeletons
from elision.compaction.tokens import counter

COUNTER = counter()
ALL = Skeleton(protect_turns=0, min_tokens=1)


def steps(*made: tuple[str, Json, str], format: Format = Format.OPENAI_CHAT) -> Conversation:
    story = [user("go")]
    for at, (name, arguments, text) in enumerate(made):
        story += [call(f"c{at}", name, arguments), result(f"c{at}", text)]
    return history([*story, assistant("done")], format)


def folded(conversation: Conversation, settings: Skeleton = ALL) -> list[bool]:
    """For each output whether it was folded."""
    changed = reduced(conversation, skeletons(conversation, settings, counter=COUNTER))
    texts = [
        [place.leaf.text for place in one.places() if place.block.part is Part.RESULT]
        for one in (conversation, changed)
    ]
    return [was != now for was, now in zip(*texts, strict=True)]


OTHER = ("read", {"path": "other.py"}, CODE)


@pytest.mark.parametrize("format", FORMATS)
def test_an_old_read_is_folded_and_the_last_read_stays(format: Format) -> None:
    assert folded(steps(("read_file", {"path": "a.py"}, CODE), OTHER, format=format)) == [True, False]


@pytest.mark.parametrize(
    "made",
    [
        ("bash", {"command": "cat a.py"}, CODE),
        ("bash", {"command": "cd src && nl -ba a.py | head -200"}, NUMBERED),
        ("str_replace_editor", {"command": "view", "path": "/src/a.py"}, NUMBERED),
    ],
)
def test_a_read_is_one_whatever_tool_made_it(made: tuple[str, Json, str]) -> None:
    assert folded(steps(made, OTHER)) == [True, False]


@pytest.mark.parametrize(
    "made",
    [
        ("read", {"path": "notes.md"}, CODE),
        ("read", {"path": "a.py"}, CODE.replace("    value_1", "  […3 lines]\n    value_1", 1)),
        ("read", {"path": "a.py"}, "no code at all, but words ( and { brackets.\n" * 60),
        ("read", {"path": "a.py"}, "X = 1\n" * 300),
        ("read", {"paths": ["a.py", "b.py"]}, CODE),
        ("bash", {"command": "grep -n def a.py"}, CODE),
        ("write", {"path": "a.py"}, CODE),
    ],
)
def test_what_is_not_one_whole_file_that_parses_stays(made: tuple[str, Json, str]) -> None:
    assert folded(steps(made, OTHER)) == [False, False]


def test_a_file_that_was_edited_later_stays() -> None:
    made = ("read", {"path": "a.py"}, CODE), ("edit", {"path": "/x/a.py"}, "ok"), OTHER

    assert folded(steps(*made)) == [False, False, False]


def test_protected_turns_and_short_files_stay() -> None:
    made = [("read", {"path": f"{at}.py"}, CODE) for at in range(4)]

    assert folded(steps(*made), Skeleton(protect_turns=3, turn="step", min_tokens=1)) == [
        True,
        True,
        False,
        False,
    ]
    assert folded(steps(*made), Skeleton(protect_turns=0, min_tokens=COUNTER.count(CODE) + 1)) == [False] * 4


def test_the_host_is_told_how_to_read_it_again() -> None:
    conversation = steps(("read", {"path": "a.py"}, CODE), OTHER)

    assert [one.again for one in skeletons(conversation, ALL, counter=COUNTER)] == ["read a.py"]


@pytest.mark.parametrize(
    ("path", "text", "left"),
    [
        (
            "a.py",
            'import os\n\nclass A(B):\n    """Doc.\n\n    More.\n    """\n    x: int = 1\n\n    @property\n'
            '    def f(self) -> int:\n        """Say.\n\n        More.\n        """\n        a = 1\n        return a\n',
            'import os\n\nclass A(B):\n    """Doc.\n\n    More.\n    """\n    x: int = 1\n\n    @property\n'
            '    def f(self) -> int:\n        """Say.\n        […5 lines]\n',
        ),
        (
            "a.ts",
            "import x from 'y';\nexport interface I { a: string }\nexport class C extends D {\n  async f(a: T): Promise<T> {\n"
            "    one();\n    return a;\n  }\n}\n",
            "import x from 'y';\nexport interface I { a: string }\nexport class C extends D {\n  async f(a: T): Promise<T> {\n"
            "    […2 lines]\n  }\n}\n",
        ),
        (
            "a.jsx",
            "const A = ({ b }) => {\n  const c = b;\n  return <div>{c}</div>;\n};\n",
            "const A = ({ b }) => {\n  […2 lines]\n};\n",
        ),
        (
            "a.go",
            "package m\n\n// F runs.\n// It may fail.\n// Often.\nfunc (t *T) F(a int) error {\n\tif a > 1 {\n\t\treturn nil\n\t}\n\treturn nil\n}\n",
            "package m\n\n// F runs.\n[…2 lines]\nfunc (t *T) F(a int) error {\n\t[…4 lines]\n}\n",
        ),
        (
            "a.rs",
            "use a::b;\nimpl A for B {\n    fn f(&self) -> u8 {\n        let a = 1;\n        a\n    }\n}\n",
            "use a::b;\nimpl A for B {\n    fn f(&self) -> u8 {\n        […2 lines]\n    }\n}\n",
        ),
        ("a.py", "def f():\r\n    a = 1\r\n    return a\r\n", "def f():\r\n    […2 lines]\r\n"),
        ("a.js", "f();\ng();\n", "f();\ng();\n"),
    ],
)
def test_signatures_stay_and_each_body_leaves_one_marker(path: str, text: str, left: str) -> None:
    assert skeleton(text, path) == left


@pytest.mark.parametrize("mark", ["→", "\t", ": ", "| "])
def test_rows_keep_the_numbers_and_the_frame_that_a_tool_gave_them(mark: str) -> None:
    code = "import os\ndef f():\n    a = 1\n    return a\n\nx = f()"
    numbered = "".join(f"{number:5}{mark}{row}\n" for number, row in enumerate(code.splitlines(), 7))
    left = f"    7{mark}import os\n    8{mark}def f():\n    […2 lines]\n   11{mark}\n   12{mark}x = f()\n"

    assert skeleton(f"<file>\n{numbered}</file>\n", "a.py") == f"<file>\n{left}</file>\n"


def test_a_table_over_many_rows_is_folded_like_a_body() -> None:
    rows = "".join(f"    'key_{row}': {row},\n" for row in range(20))

    assert (
        skeleton(f"import os\nTABLE = {{\n{rows}}}\n", "a.py") == "import os\nTABLE = {\n    […20 lines]\n}\n"
    )
