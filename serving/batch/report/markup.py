"""HTML out of values: every text is escaped here, every number is written here.

What a log says is shown, never obeyed: control characters, bidirectional overrides and lone surrogates,
which could hide or reorder what a reader sees, appear as code points.
"""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NONE = "–"

# Controls, what reorders or hides text, lone surrogates, and what is no character.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]"
    "|[\U000e0000-\U000e0fff]"
)
_WHITE = {"\n": "↵", "\t": "⇥"}


@dataclass(frozen=True, slots=True)
class Markup:
    """HTML that is safe to put in a page."""

    html: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: Its head.
        kind: Its CSS class: ``number``, ``code``, ``plot`` or none.
        note: What the head means, where that is not plain.
    """

    title: str | Markup
    kind: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is sorted by ``value`` and shows something else."""

    shown: str | Markup
    value: float | None


def text(value: str) -> Markup:
    """``value`` to be read, whatever is in it; what could not be seen is set apart as its code point."""
    return Markup(_UNSEEN.sub(lambda found: f"<i>{_code_point(found)}</i>", html.escape(value)))


def attribute(value: str) -> str:
    """``value`` for an attribute or a title, where no element can stand."""
    return _UNSEEN.sub(_code_point, html.escape(value))


def clipped(value: str, most: int = 240) -> Markup:
    """The beginning of ``value`` where it is long, with how much is missing; runs of spaces are one."""
    packed = re.sub(" {2,}", " ", value)
    rest = len(packed) - most
    return text(packed) if rest <= 0 else text(f"{packed[:most]}… ({number(rest)} more characters)")


def element(tag: str, *inner: str | Markup, **attributes: str) -> Markup:
    """An element; empty attributes are left out. In their names ``_`` is a hyphen, at the end nothing."""
    named = [
        f' {name.rstrip("_").replace("_", "-")}="{attribute(value)}"'
        for name, value in attributes.items()
        if value
    ]
    return Markup(f"<{tag}{''.join(named)}>{joined(inner).html}</{tag}>")


def joined(parts: Iterable[str | Markup], between: str = "") -> Markup:
    """The parts in order, texts escaped."""
    return Markup(between.join(part.html if isinstance(part, Markup) else text(part).html for part in parts))


def table(
    caption: str, columns: Sequence[Column], rows: Iterable[Sequence[str | Markup | Cell]], **attributes: str
) -> Markup:
    """A table whose first column names its rows; it scrolls sideways where there is no room."""
    head = element("tr", *(_head(column) for column in columns))
    body = joined((_line(columns, row) for row in rows), "\n")
    made = element(
        "table",
        element("caption", caption),
        element("thead", head),
        element("tbody", body),
        **attributes,
    )
    return element("div", made, class_="scroll", tabindex="0", role="region", aria_label=caption)


def number(value: float | None) -> str:
    """A count with its thousands apart."""
    return NONE if value is None else f"{value:,.0f}"


def percent(share: float | None) -> str:
    """A share with one decimal; what is not quite nothing or all does not look like it."""
    if share is None:
        return NONE
    if 0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"


def size(value: float) -> str:
    """Bytes, in thousands of thousands."""
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.95 or unit == "GB":
            return f"{value:,.0f} {unit}" if unit == "B" else f"{value:,.1f} {unit}"
        value /= 1000
    raise AssertionError


def duration(seconds: float) -> str:
    """A time in the two units that say most."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60:,} h {minutes % 60} min"


def rate(megabytes_per_second: float | None) -> str:
    """How fast."""
    return NONE if megabytes_per_second is None else f"{size(1e6 * megabytes_per_second)}/s"


def _head(column: Column) -> Markup:
    note = {"title": column.note} if column.note else {}
    return element("th", column.title, scope="col", class_=column.kind, **note)


def _line(columns: Sequence[Column], row: Sequence[str | Markup | Cell]) -> Markup:
    cells = []
    for at, (column, cell) in enumerate(zip(columns, row, strict=True)):
        tag, attributes = ("th", {"scope": "row"}) if at == 0 else ("td", {})
        if isinstance(cell, Cell):
            attributes["data_value"] = f"{-1 if cell.value is None else cell.value:.6f}"
            cell = cell.shown
        cells.append(element(tag, cell, class_=column.kind, **attributes))
    return element("tr", *cells)


def _code_point(found: "re.Match[str]") -> str:
    code = ord(found[0])
    if found[0] in _WHITE:
        return _WHITE[found[0]]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
