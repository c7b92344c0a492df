"""The plain texts a split of the shared data holds, by what they are: for counting pieces."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROSE = "prose"
CODE_AND_LOGS = "code and logs"


def labelled_texts(data: Path, split: str) -> Iterator[tuple[str, str]]:
    """Yield ``(label, text)`` for one split; the label is `PROSE`, `CODE_AND_LOGS` or a language.

    Args:
        data: The folder with ``transcripts/``, ``logs/`` and ``qa/``.
        split: ``train`` or ``dev``.
    """
    for path in sorted((data / "transcripts" / split).glob("*.jsonl.gz")):
        for row in _rows(path):
            for message in row["messages"]:
                label = CODE_AND_LOGS if message["role"] == "tool" else PROSE
                if message.get("content"):
                    yield label, message["content"]
    for path in sorted((data / "logs" / split).glob("*.log.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as stream:
            yield CODE_AND_LOGS, stream.read()
    qa = data / "qa" / split
    for row in _rows(qa / "qmsum_meetings.jsonl.gz"):
        yield PROSE, "\n".join(row["turns"])
    for row in _rows(qa / "xquad.jsonl.gz"):
        yield row["lang"], row["context"] + "\n" + row["question"]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)
