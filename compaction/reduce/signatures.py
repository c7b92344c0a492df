"""Find the signatures of a source file: imports, types and heads of functions stay, what is inside them goes.

The file is parsed, not guessed at, by rows: a row stays as it is or goes, and each run of rows that goes
leaves one counted marker with its indentation.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from elision.compaction.guard.markers import counted, marker

if TYPE_CHECKING:
    from tree_sitter import Language, Node

_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
}
_FUNCTIONS = frozenset(
    """function_definition function_declaration generator_function_declaration generator_function function_expression
    method_definition arrow_function method_declaration func_literal function_item closure_expression""".split()
)
# Values over many rows: tables, templates.
_VALUES = frozenset(
    """dictionary list set tuple string object array template_string literal_value array_expression
    interpreted_string_literal raw_string_literal""".split()
)
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_LEAST = 2  # rows that a marker stands for
_LEAST_VALUE = 6
_WRONG = 0.05  # share of a file that may not parse
# Characters: what is no code at all takes about ten seconds a megabyte to find that out, code half a second.
_LONGEST = 300_000


def signatures(rows: Sequence[str], language: str) -> list[int | str] | None:
    """The rows that stay, by their index, and the markers between them; None if the file does not parse.

    Args:
        rows: The rows with their line ends.
        language: One of those that `skeletons` knows by their endings.
    """
    if sum(map(len, rows)) > _LONGEST or any(counted(row.strip()) for row in rows):
        return None
    from tree_sitter import Parser

    source = "".join(rows).encode("utf-8", "replace")
    root = Parser(_language(language)).parse(source).root_node  # a parser is not for two threads
    gone = _gone(root, language == "python", int(_WRONG * len(source)))
    return list(_left(rows, gone)) if gone else None


def _gone(root: "Node", python: bool, wrong: int) -> list[range]:
    """Runs of rows that go, in text order; none if more than so many bytes make no sense."""
    gone: list[range] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "ERROR":
            wrong -= node.end_byte - node.start_byte
            if wrong < 0:
                return []
        inside = _inside(node, python)
        if inside is not None and len(inside) >= (_LEAST if node.type in _FUNCTIONS else _LEAST_VALUE):
            gone.append(inside)
        if node.type not in _FUNCTIONS | _VALUES or _holds_functions(node):
            gone += _comments(node.children)
            waiting += reversed(node.children)
    return _apart(gone)


def _inside(node: "Node", python: bool) -> range | None:
    """The rows inside a function or a long value; None if it has none that could go."""
    if node.type in _VALUES:
        if _holds_functions(node):
            return None
        doc = (
            python
            and node.type == "string"
            and node.parent is not None
            and node.parent.type == "expression_statement"
        )
        return range(node.start_point.row + 1, node.end_point.row + doc)
    body = node.child_by_field_name("body") if node.type in _FUNCTIONS else None
    if body is None:
        return None
    if not python:
        return (
            range(body.start_point.row + 1, _last_row(body))
            if body.type in ("statement_block", "block")
            else None
        )
    start = body.start_point.row
    if (
        start <= node.start_point.row
        or body.prev_sibling is not None
        and body.prev_sibling.end_point.row >= start
    ):
        return None
    return range(start + _doc_rows(body), _last_row(body) + 1)


def _holds_functions(node: "Node") -> bool:
    """Whether a value is an object whose members are functions, which have signatures."""
    members = node.named_children if node.type == "object" else []
    return any((member.child_by_field_name("value") or member).type in _FUNCTIONS for member in members)


def _doc_rows(body: "Node") -> int:
    """Rows of a Python body that stay: up to the first of its docstring that says something."""
    first = body.children[0] if body.children else None
    if first is None or first.type != "expression_statement" or first.children[0].type != "string":
        return 0
    said = (first.text or b"").split(b"\n", 1)[0].strip(b" \t\r\"'rRuUbB")
    return 1 if said or first.end_point.row == first.start_point.row else 2


def _comments(nodes: "Sequence[Node]") -> Iterator[range]:
    """Rows of comments that go: all but the first that says something."""
    run: list[Node] = []
    for node in [*nodes, None]:
        if node is not None and node.type in _COMMENTS and (not run or _goes_on(run[-1], node)):
            run.append(node)
            continue
        if run:
            first = run[0].start_point.row + 1
            boxed = _opening(run[0]).strip() in (b"/*", b"/**")
            yield range(first + boxed, _last_row(run[-1]) + 1 - boxed)
        run = [node] if node is not None and node.type in _COMMENTS else []


def _goes_on(comment: "Node", following: "Node") -> bool:
    """Whether two comments of one line each are one text."""
    lines = not any(_opening(one).startswith(b"/*") for one in (comment, following))
    return lines and following.start_point.row <= _last_row(comment) + 1


def _opening(comment: "Node") -> bytes:
    return (comment.text or b"").split(b"\n", 1)[0]


def _last_row(node: "Node") -> int:
    """The last row that a node has something in; some end at the beginning of the next."""
    return node.end_point.row - (node.end_point.column == 0 and node.end_point.row > node.start_point.row)


def _apart(gone: list[range]) -> list[range]:
    """The runs that are long enough, in order, each behind the one before."""
    found: list[range] = []
    for run in sorted(gone, key=lambda run: (run.start, -run.stop)):
        if len(run) >= _LEAST and (not found or run.start >= found[-1].stop):
            found.append(run)
    return found


def _left(rows: Sequence[str], gone: Sequence[range]) -> Iterator[int | str]:
    at = 0
    for run in gone:
        yield from range(at, run.start)
        first = next((rows[row] for row in run if rows[row].strip()), "")
        end = "\r\n" if first.endswith("\r\n") else "\n"
        yield first[: len(first) - len(first.lstrip())].strip("\r\n") + marker(len(run)) + end
        at = run.stop
    yield from range(at, len(rows))


@cache
def _language(name: str) -> "Language":
    """Loaded when the first file of its language is seen."""
    from tree_sitter import Language

    module, attribute = _GRAMMARS[name]
    return Language(getattr(import_module(module), attribute)())
