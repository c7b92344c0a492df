"""Find the JSON documents of a text and open them: show their strings decoded.

A document in a string (what an MCP server answers, say) is opened the same way.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from elision.compaction.guard import embedded_json
from elision.compaction.guard.json_values import Use, decoded, insignificant, values
from elision.compaction.guard.lines import split_lines
from elision.compaction.guard.whole_json import is_json, parsed
from elision.compaction.types import Drop
from elision.compaction.view import View
from elision.model.types import Span

WHITESPACE = "json_whitespace"
LEVELS = 3  # documents in strings of documents


@dataclass(frozen=True, slots=True)
class Documents:
    """The JSON of one text.

    Attributes:
        one: Whether the whole text is one document.
        lines: Documents that are a line each, where every line is one.
        among: Documents of several lines among other text, with their line ends.
    """

    one: bool = False
    lines: tuple[Span, ...] = ()
    among: tuple[Span, ...] = ()

    def spans(self, text: str) -> tuple[Span, ...]:
        """All of them, in text order."""
        return (Span(0, len(text)),) if self.one and text else self.lines or self.among


def find_documents(text: str) -> Documents:
    """Find the JSON of a text, control sequences already out of it."""
    if is_json(text):
        return Documents(one=True)
    lines = split_lines(text)
    solid = [line for line in lines if line.of(text).strip()]
    if len(solid) > 1 and all(_is_line_of_json(line.of(text)) for line in solid):
        return Documents(lines=tuple(solid))
    ranges = embedded_json.find(text, lines)
    return Documents(among=tuple(Span(lines[r[0]].start, lines[r[-1]].stop) for r in ranges))


def squeezed(view: View, documents: Sequence[Span]) -> View:
    """The view without the white space between the tokens of ``documents``, spans of the source."""
    shown = map(view.forth, documents)
    return view.hide(Drop(span, "", WHITESPACE) for doc in shown for span in insignificant(view.text, doc))


def opened(
    view: View, documents: Sequence[Span], least: int, use_of: Callable[[str], Use], levels: int = LEVELS
) -> tuple[View, list[tuple[Span, Use]]]:
    """Show string values decoded.

    Args:
        view: A view with ``documents`` as they stand.
        documents: Spans of the source, sorted.
        least: Characters below which a literal is not looked at.
        use_of: What to do with a value; a nested document is opened in turn.
        levels: How often, at most.

    Returns:
        The view, and each decoded value, a span of the source, with its use.
    """
    found: list[tuple[Span, Use]] = []
    for _ in range(levels):
        used = list(_used(view, documents, least, use_of))
        sources = [(view.back(inside), use) for inside, use in used]
        view = view.decode([inside for inside, _ in used])
        found += sources
        documents = [source for source, use in sources if use is Use.NESTED]
        view = squeezed(view, documents)
    return view, sorted(found, key=lambda pair: pair[0])


def _used(
    view: View, documents: Sequence[Span], least: int, use_of: Callable[[str], Use]
) -> Iterator[tuple[Span, Use]]:
    for document in map(view.forth, documents):
        for inside in values(view.text, document):
            use = use_of(decoded(inside.of(view.text))[0]) if len(inside) >= least else Use.CLOSED
            if use is not Use.CLOSED:
                yield inside, use


def _is_line_of_json(line: str) -> bool:
    body = line.strip()
    return body[:1] + body[-1:] in ("{}", "[]") and parsed(body) is not None
