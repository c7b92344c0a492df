"""Find the section that a setting of an INI or TOML file stands in: ``host = x`` alone may be anyone's."""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_SECTION = regex.compile(r"\s*\[{1,2}[\w.\-:\" /@*]{1,80}\]{1,2}\s*(?:[#;].*)?$")
_SETTING = regex.compile(r"\s*+(?:[\"']?[\w.\-/][\w.\-/ ]{0,60}[\"']?\s{0,20}=|[#;])")
_INSIDE = frozenset({Kind.JSON, Kind.CODE, Kind.PROSE})


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each setting with its section; the lines of a value that spans several with the setting."""
    section: int | None = None
    setting: int | None = None
    for at, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        if kind is Kind.BLANK:
            continue
        if kind is Kind.JSON and "[" in row[:40] and _SECTION.match(row):
            section, setting = at, None
        elif section is not None and kind in _INSIDE and _SETTING.match(row):
            yield at, section
            setting = at
        elif setting is not None and (row[:1].isspace() or row[:1] in "])}\"'"):
            yield at, setting
        else:
            section = setting = None
