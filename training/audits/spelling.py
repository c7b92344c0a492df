"""The ways in which clients spell one and the same JSON value.

Bytes that a compressor must not touch are only tested by bytes that it would not have written itself.
"""

import json
from dataclasses import dataclass

import regex


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one client writes JSON.

    Attributes:
        item_separator: Between members and elements.
        key_separator: Between a key and its value.
        ascii: Whether all else is escaped.
        indent: Spaces of indentation; 0 writes one line.
        escapes: Characters that this client escapes without need, and how.
    """

    item_separator: str = ","
    key_separator: str = ":"
    ascii: bool = False
    indent: int = 0
    escapes: tuple[tuple[str, str], ...] = ()

    def write(self, value: object) -> str:
        """Spell a value; lone surrogates are always escaped, so that the text can be encoded."""
        separators = (self.item_separator, self.key_separator)
        text = json.dumps(value, ensure_ascii=self.ascii, indent=self.indent or None, separators=separators)
        for character, escaped in self.escapes:  # outside strings none of these characters can stand
            text = text.replace(character, escaped)
        return regex.sub(r"[\ud800-\udfff]", lambda match: f"\\u{ord(match.group()):04x}", text)


PYTHON = Spelling(", ", ": ", ascii=True)  # json.dumps
HTTPX = Spelling()  # httpx, JSON.stringify
GO = Spelling(escapes=(("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u2028", "\\u2028")))  # encoding/json
PHP = Spelling(ascii=True, escapes=(("/", "\\/"),))  # json_encode
PRETTY = Spelling(",", ": ", indent=2)

SPELLINGS = (PYTHON, HTTPX, GO, PHP, PRETTY)
