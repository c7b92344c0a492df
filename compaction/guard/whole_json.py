"""Tell whether a text is one JSON document, which must stay valid or untouched."""

import json

_FIRST = frozenset('{["-0123456789tfn')
_LAST = frozenset('}]"0123456789el')


def is_json(text: str) -> bool:
    """Whether all of ``text`` is one JSON value; also true for one nested too deep to parse."""
    body = text.strip(" \t\r\n\ufeff")
    if not body or body[0] not in _FIRST or body[-1] not in _LAST:
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
