"""Forms about characters: Unicode, control characters, and the order of words and characters."""

import re
import unicodedata
from collections.abc import Iterator

from tests.cases.grammar import each_run
from tests.cases.marks import without_markers
from tests.cases.outcome import Run
from tests.cases.reading import strings, texts
from tests.cases.sequences import first_stray, words

_SURROGATE = re.compile("[\ud800-\udfff]")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_PARTED = re.compile(rf"(?=([{_CJK}])([ \t\u3000]+)([{_CJK}]))")


@each_run("no lone surrogate")
def no_surrogate(run: Run) -> None:
    found = [text for text in strings(run.output) if _SURROGATE.search(text)]
    assert not found, ascii(found)


@each_run("output encodes as UTF-8")
def encodes(run: Run) -> None:
    no_surrogate(run)


@each_run("no U\\+FFFD that is not in the input")
def no_new_replacement(run: Run) -> None:
    before, after = (sum(s.count("\ufffd") for s in strings(body)) for body in (run.given, run.output))
    assert after <= before, f"{after} replacement characters from {before}"


@each_run("no control character other than tab and newline")
def no_controls(run: Run) -> None:
    found = {c for text in strings(run.output) for c in text if unicodedata.category(c) == "Cc"} - set("\t\n")
    assert not found, f"control characters {sorted(found)}"


@each_run("every output character is an input character in the same order")
def characters_in_order(run: Run) -> None:
    for before, after in _pairs(run):
        stray = first_stray((c for c in without_markers(after) if not c.isspace()), before)
        assert stray is None, f"{stray!r} of {after!r}"


@each_run("output words are input words in the same order")
def words_in_order(run: Run) -> None:
    for before, after in _pairs(run):
        stray = first_stray(words(without_markers(after)), words(before))
        assert stray is None, f"{stray!r} of {after!r}"


@each_run("the output has <int> texts in the same order")
def number_of_texts(run: Run, wanted: int) -> None:
    assert len(run.output["texts"]) == wanted, f"{len(run.output['texts'])} texts"
    words_in_order(run)


@each_run("no blank between two CJK characters that has none in the input")
def no_new_blank(run: Run) -> None:
    """A blank is old if it touched either of the two before; what stood on its other side may be gone."""
    for before, after in _pairs(run):
        for left, blank, right in _PARTED.findall(after):
            assert left + blank in before or blank + right in before, f"{left + blank + right!r}"


def _pairs(run: Run) -> Iterator[tuple[str, str]]:
    """Input and output, text by text where both have as many."""
    before, after = texts(run.given), texts(run.output)
    if len(before) == len(after):
        yield from zip(before, after, strict=True)
    else:
        yield "\n".join(before), "\n".join(after)
