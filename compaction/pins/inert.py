"""Make a text of tools one line that can be nothing but a quotation.

It may hold line ends, headings, closing tags, role marks, fences or our own markers, all of which a reader of
a summary could take for its structure.
"""

import regex

LONGEST = 300
_CONTROL = regex.compile(r"[\p{Cc}\p{Zl}\p{Zp}\s]+")
_UNSEEN = regex.compile(r"[\p{Cf}\p{Cs}\p{Co}]")
_LOOKALIKES = str.maketrans(
    {
        "<": "‹",
        ">": "›",
        "＜": "‹",
        "＞": "›",
        "﹤": "‹",
        "﹥": "›",
        "[": "(",
        "]": ")",
        "【": "(",
        "】": ")",
        "`": "'",
        '"': "'",
        "“": "'",
        "”": "'",
    }
)


def inert(text: str, longest: int = LONGEST) -> str:
    """The text on one line, without what cannot be seen, with other marks for those that structure is made of."""
    flat = _CONTROL.sub(" ", _UNSEEN.sub("", text[: longest * 4])).translate(_LOOKALIKES).strip()
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
