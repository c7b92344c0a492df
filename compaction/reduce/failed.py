"""What has to be known of a failed run when its output is gone: the exit code, the last line about an error."""

import regex

from elision.compaction.logs.levels import tells_error

_LONGEST_LINE = 300  # characters
_ROWS = 400  # looked at from the end: the last error stands near it
_EXIT = regex.compile(
    r"(?i)\b(?:exit(?:ed)?+[ _-]?+(?:with[ ])?+(?:code|status)|return[ _-]?code|returncode)\b[\"'>]?+[ ]?+[:=]?+[ ]?+(-?\d{1,5})\b"
)


def failure(text: str, is_error: bool) -> str:
    """At most two lines: the exit code if it is not 0, and the last line that reports an error.

    Of an output that does not say that it failed nothing is kept, whatever words it uses.

    Args:
        is_error: Whether the wire says that the call failed.
    """
    codes = _EXIT.findall(text)
    code = codes[-1] if codes else ""
    failed = code not in ("", "0")
    if not failed and not is_error:
        return ""
    rows = [row.strip()[:_LONGEST_LINE] for row in text.rsplit("\n", _ROWS)[-_ROWS:] if row.strip()]
    said = next((row for row in reversed(rows) if tells_error(row)), "")
    return "\n".join(filter(None, [f"exit code {code}" if failed else "", said]))
