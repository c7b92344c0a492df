"""`elision explain` shows what would go, on a terminal and in a pipe."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from elision.compaction.explain import Explained
from elision.model.types import Span
from elision.serving.commands.explain import style

if TYPE_CHECKING:
    from tests.serving.conftest import Ran

Command = Callable[..., "Ran"]


@pytest.mark.parametrize(
    ("value", "dropped", "pinned", "expected"),
    [
        (1.0, False, False, "green"),
        (0.6, False, True, "cyan underline"),
        (0.3, True, False, "yellow strike"),
        (0.0, True, True, "bright_black strike underline"),
    ],
)
def test_colour_is_value_strike_is_dropped_underline_is_pinned(
    value: float, dropped: bool, pinned: bool, expected: str
) -> None:
    assert style(Explained(Span(0, 1), value, dropped, pinned)) == expected


def test_in_a_pipe_brackets_say_it(elision: Command, log: Path, log_text: str) -> None:
    ran = elision("explain", log, "--pin", "went")

    assert ran.code == 0
    assert "[-" in ran.out and "\x1b" not in ran.out
    assert "ERROR disk" in ran.out
    body = ran.out.removesuffix("[-dropped-] {pinned}\n")
    for mark in ("[-", "-]", "{", "}"):
        body = body.replace(mark, "")
    assert body == log_text


def test_colours_can_be_forced_and_forbidden(elision: Command, log: Path) -> None:
    assert "\x1b[" in elision("explain", log, "--color", "always").out
    assert "\x1b[" not in elision("explain", log, "--color", "never").out


def test_escape_codes_of_the_text_are_shown_not_sent(elision: Command, tmp_path: Path) -> None:
    path = tmp_path / "colours.txt"
    path.write_text("\x1b]0;evil title\x07 plain words here\r\n" * 30)

    out = elision("explain", path, "--color", "always").out

    assert "\x1b]0" not in out and "\x07" not in out


def test_a_missing_file_is_exit_code_2(elision: Command) -> None:
    ran = elision("explain", "missing.log")

    assert (ran.code, ran.err) == (2, "elision: error: no such file: missing.log\n")


def test_what_compress_leaves_alone_shows_no_drops(elision: Command, tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("one line\n" * 20)

    assert "[-" not in elision("explain", path).out.removesuffix("[-dropped-] {pinned}\n")
    assert "[-" in elision("explain", path, "--floor-tokens", "0").out.removesuffix("[-dropped-] {pinned}\n")


def test_replaced_bytes_are_reported_as_by_compress(elision: Command, tmp_path: Path) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes("café\n".encode("latin-1") * 3)

    assert "3 bytes are not valid utf-8" in elision("explain", path).err
    assert elision("explain", path).err == elision("compress", path).err
