"""What a terminal hides is found, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.ansi import control_spans

CONTROLS = st.sampled_from(["\x1b[31m", "\x1b]0;t\x07", "\x1b", "\r", "\r\n", "\n", "\b", "a", " ", "\x00", "[", "é", "\ud800"])


def cleaned(text: str) -> str:
    kept, at = [], 0
    for span in control_spans(text):
        kept.append(text[at : span.start])
        at = span.stop
    return "".join(kept) + text[at:]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain\ttext\r\nnext\n", "plain\ttext\r\nnext\n"),
        ("\x1b[1;31mred\x1b[0m\n", "red\n"),
        ("\x1b]8;;https://a.b\x1b\\link\x1b]8;;\x1b\\\n", "link\n"),
        ("\x1b]0;title\x07ok\n", "ok\n"),
        ("\x1b(Bx\x1b[2K\x1b[1Ay\n", "xy\n"),
        ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
        ("50%\r   \r\nnext\n", "50%\r\nnext\n"),
        ("abc\r\r\nx\n", "abc\r\nx\n"),
        ("\x1b[2K\rfetching\x1b[K\n", "fetching\n"),
        ("N\bNA\bAM\bME\bE\n", "NAME\n"),
        ("spin |\b/\b-\bdone\n", "spin done\n"),
        ("50%\b\b\b\n", "50%\n"),
        ("a\x00b\x07c\x7f\n", "abc\n"),
        ("old\rmac\rfile\r", "old\rmac\rfile\r"),
        ("cut off \x1b[3\n", "cut off \n"),
    ],
)
def test_only_what_a_terminal_would_show_is_left(raw: str, shown: str) -> None:
    assert cleaned(raw) == shown


def test_a_text_without_control_characters_costs_nothing() -> None:
    assert control_spans("a\n" * 1000) == []


@given(st.lists(CONTROLS).map("".join))
def test_spans_are_sorted_apart_and_leave_nothing_to_clean(text: str) -> None:
    spans = control_spans(text)

    assert all(a.stop < b.start for a, b in zip(spans, spans[1:], strict=False))
    assert all(0 <= s.start < s.stop <= len(text) for s in spans)
    assert control_spans(cleaned(text)) == []
    assert cleaned(text).count("\n") == text.count("\n")
