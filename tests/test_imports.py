"""The picture of the rooms, drawn from the imports: they point down only.

    scripts    serving        training
                  |              |
                  └─▶ compaction ◀
                          |
                        model
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "model": {"model"},
    "compaction": {"compaction", "model"},
    "training": {"training", "compaction", "model"},
    "serving": {"serving", "compaction", "model"},
}
# Commands of the command line that hand over to training, and only when they are run.
LATE = {"serving": {"training"}}


def imported(tree: ast.AST, *, late: bool) -> Iterator[str]:
    """Rooms imported at the top of a file, or inside its functions."""
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef) for n in ast.walk(f)}
    for node in ast.walk(tree):
        if (id(node) in inside) is not late:
            continue
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        yield from (name.split(".")[1] for name in names if name.startswith("elision."))


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_no_import_points_up(room: str) -> None:
    for path in (ROOT / room).rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))

        assert set(imported(tree, late=False)) <= MAY_IMPORT[room], path
        assert set(imported(tree, late=True)) <= MAY_IMPORT[room] | LATE.get(room, set()), path


@pytest.mark.parametrize("room", ["model", "compaction", "serving"])
def test_torch_lives_only_in_training(room: str) -> None:
    for path in (ROOT / room).rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {(n.module or "").split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}

        assert names.isdisjoint({"torch", "transformers", "accelerate", "datasets", "onnx"}), path
