"""What follows a log ends well when its reader goes, at whatever moment."""

import os
import random
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
from scorers import HashScorer

from elision.model.types import Scores, nothing
from elision.serving.cli import run
from elision.serving.commands.tools import Tools

LETTERS = str.maketrans("0123456789", "ghijklmnop")


@dataclass
class Leaving(HashScorer):
    """A scorer during whose work the reader of a pipe goes."""

    reader: int = -1

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        if self.reader >= 0:
            os.close(self.reader)
            self.reader = -1
        return super().score(text, query, tick)


def test_a_reader_that_goes_while_a_window_is_shortened_is_no_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "a.log"
    chance = random.Random(1)
    words = [chance.randbytes(4).hex().translate(LETTERS) for _ in range(4000)]
    log.write_text("".join(" ".join(words[at : at + 9 + at % 5]) + "\n" for at in range(0, 4000, 10)))
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as file, redirect_stdout(file):
        scorer = Leaving(reader=reader)
        code = run(["compress", "--stream", "--keep-ratio", "0.2", str(log)], Tools(scorer))

    assert scorer.reader == -1
    assert (code, capsys.readouterr().err) == (0, "")
