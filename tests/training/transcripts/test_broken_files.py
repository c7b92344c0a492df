"""Whatever stands in a file, an import reads what it can, or says in one line what is wrong."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from elision.training.errors import BadTranscript
from elision.training.transcripts.files import read_transcripts, write_transcripts
from elision.training.transcripts.importing import FORMATS, import_transcripts

FILES = [path for path in sorted((Path(__file__).parent / "fixtures").rglob("*.*")) if path.is_file()]
STRANGE: list[Any] = [None, True, 0, -1.5, "", "x", "{", '{"role": 1}', [], [None], [[]], {}, {"type": 1}, [{"role": "user"}], "\ud800"]


def mangled(value: Any, draw: random.Random) -> Any:
    """The value with something strange in one place of twelve."""
    if draw.random() < 1 / 12:
        return draw.choice(STRANGE)
    if isinstance(value, dict):
        return {key: mangled(member, draw) for key, member in value.items() if draw.random() > 1 / 30}
    if isinstance(value, list):
        return [mangled(element, draw) for element in value]
    return value


def lines_of(path: Path) -> list[Any]:
    try:
        return [json.loads(path.read_text())]
    except ValueError:
        return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix not in (".md", ".txt")], ids=lambda path: path.name)
def test_a_file_with_strange_values_is_read_or_refused_and_what_is_read_can_be_kept(path: Path, tmp_path: Path) -> None:
    written = tmp_path / "shop" / path.name
    written.parent.mkdir()
    for seed in range(40):
        draw = random.Random(seed)
        written.write_text("\n".join(json.dumps(mangled(value, draw)) for value in lines_of(path)))
        for format in ("", draw.choice(FORMATS)):
            try:
                done = import_transcripts([str(written)], format=format, scrub=seed % 8 == 0)
            except BadTranscript as error:
                assert "\n" not in str(error)
                continue
            write_transcripts(tmp_path / "out.jsonl", done.transcripts)
            assert len(list(read_transcripts(tmp_path / "out.jsonl"))) == len(done.transcripts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_ends_anywhere_is_read_or_refused(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    written = tmp_path / path.name
    for stop in range(0, len(data), max(1, len(data) // 25)):
        written.write_bytes(data[:stop])
        try:
            import_transcripts([str(written)], scrub=False)
        except BadTranscript as error:
            assert "\n" not in str(error)
