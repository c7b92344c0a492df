"""Take out what no reader of text needs at any budget: control characters and broken surrogates.

Clean text comes back identical.
"""

import regex

from elision.compaction.guard.ansi import control_spans
from elision.compaction.guard.whole_json import parsed
from elision.compaction.types import Drop
from elision.compaction.view import View
from elision.model.types import Span

CONTROL = "control"
_C1_SEQUENCE = r"\x9b[0-?]*+[\x20-/]*+[@-~]?"  # colours as terminals of eight bits spell them
# What is left of controls in valid JSON; there a carriage return is white space and redraws nothing.
_IN_JSON = regex.compile(r"\x7f|\r(?!\n)")
_BROKEN = regex.compile(rf"{_C1_SEQUENCE}|[\x0c\x80-\x9f]|(?P<surrogate>[\ud800-\udfff])")


def clean(text: str) -> str:
    """``text`` without control sequences and characters; a lone surrogate becomes U+FFFD.

    Tabs and line ends stay, ``\\r\\n`` and those of old Mac files as they are; of a line that was redrawn
    with ``\\r`` the last state stays.
    """
    return cleaned(View.of(text)).text


def cleaned(view: View) -> View:
    """The view without what `clean` takes out."""
    found = list(_BROKEN.finditer(view.text))
    drops = [Drop(Span(*match.span()), "\ufffd" if match["surrogate"] else "", CONTROL) for match in found]
    view = view.hide(drops)
    if _IN_JSON.search(view.text) and parsed(view.text) is not None:
        return view.hide(Drop(Span(*match.span()), "", CONTROL) for match in _IN_JSON.finditer(view.text))
    return view.hide(Drop(span, "", CONTROL) for span in control_spans(view.text))


def without_controls(view: View, reason: str) -> View:
    """The view without what a terminal would not show; JSON as it is, where all that has a meaning."""
    spans = control_spans(view.text)
    if spans and parsed(view.text) is not None:
        return view
    return view.hide(Drop(span, "", reason) for span in spans)
