"""Tell whether a text is one JSON document, which must stay valid or untouched.

Only objects and arrays count: a bare ``42`` or ``"word"`` is text that happens to parse.
"""

import json


def is_json(text: str) -> bool:
    """Whether all of ``text`` is a JSON object or array; also true for one nested too deep to parse."""
    body = text.strip(" \t\r\n\ufeff")
    if not body or (body[0], body[-1]) not in {("{", "}"), ("[", "]")}:
        return False
    try:
        json.loads(body, parse_int=_unread, parse_float=_unread, strict=False)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _unread(number: str) -> str:
    """Numbers are not read: a million digits would take minutes, and raise."""
    return number
