"""Find single lines of JSON, XML and YAML: a line that lost a word there is another document."""

import regex

_JSON = regex.compile(
    r"""
      \s*[\]}\[{(]+\s*[,;)]*\s*$
    | \s*"(?:[^"\\]|\\.){0,300}+"\s*:
    | \s*(?:"(?:[^"\\]|\\.)*+"|'[^']*+'|-?\d[\d.eE+\-]*|true|false|null|None|True|False)\s*,?\s*$
    | \s*\{\s*(?:["'{\[}]|$) | \s*\[\s*(?:["'{(\]]|\[\s*[\["'{(\d\]-]|-?\d[\d.,\s\-eE+]*\]?\s*[,;]?\s*$|b['"])
    | \s*\}\s*,?\s*[\]{]
    """,
    regex.VERBOSE,
)
_XML = regex.compile(r"\s*+(?:</?[A-Za-z][\w:.\-]*+(?:\s[^<>]{0,1500})?/?>|<!--|<!\[CDATA|<!DOCTYPE|<\?xml|-->|<[A-Za-z][\w:.\-]*+(?:\s|$))")
_YAML = regex.compile(
    r"""\s*(?:-\s+)*["']?[\w.\-/@*$]{1,60}["']?:\s*(?:[|>][+\-]?|\S{1,200}(?:\s\S{1,40}){0,2}|"[^"]*+"|'[^']*+'|[\[{].*)?\s*(?:\#.*)?$
    | \s*-\s[\w.\-/@:]{1,200}$ | ---\s*$ | \s*-\s\{ | \[[\w.\-:" ]{1,80}\]\s*$ | \s*[\w.\-]{1,60}\s?=\s?\S{1,200}$""",
    regex.VERBOSE,
)


def is_markup(row: str) -> bool:
    """Whether a row, without its line end, is a line of JSON or XML."""
    return bool(_JSON.match(row) or _XML.match(row))


def is_setting(row: str) -> bool:
    """Whether a row is a short ``name: value`` or ``name = value``, as in YAML and ini files."""
    return bool(_YAML.match(row))
