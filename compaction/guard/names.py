"""Names and numbers: what a reader cannot guess back once it is gone."""

import regex

_NAME = regex.compile(
    r"""
      .*\d                                # numbers, versions, addresses, dates
    | --?\w                              # flags
    | .*\p{L}[/\\_]\p{L}                 # paths, snake_case
    | .*\p{Ll}\p{Lu}                      # camelCase
    | \p{Lu}{3,}\b | .*\p{Lu}{2,}_        # SIGBUS, MAX_SIZE
    | .*\w(?:::|->|\.)\w | .*@\w          # a::b, a.b, user@host
    """,
    regex.VERBOSE,
)
_REACH = 200


def is_name(unit: str) -> bool:
    """Whether a unit is an identifier, path, flag, version, number or code, not a word."""
    return bool(_NAME.match(unit.strip()[:_REACH].lstrip("([{\"'`<")))
