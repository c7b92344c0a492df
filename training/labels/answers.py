"""Answers that were paid for once, in an SQLite file: a second run asks only what is not there.

The key is a hash of the model, the instruction and the chunk as it was shown. Each answer is
committed when it comes, so a killed run loses only those under way. Nothing of the connection, its
address or its key is kept.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from elision.training.errors import BadConfig

_TABLE = """CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, text TEXT NOT NULL, finish TEXT NOT NULL,
refusal TEXT NOT NULL, asked INTEGER NOT NULL, answered INTEGER NOT NULL, room INTEGER NOT NULL)"""


@dataclass(frozen=True, slots=True)
class Question:
    """One request.

    Attributes:
        instruction: The system message.
        chunk: The user message.
        schema: JSON schema the answer is held to, if any.
        turn: 0, or 1 where the same is asked again to see whether the teacher agrees with itself.
    """

    instruction: str
    chunk: str
    schema: dict[str, Any] | None = None
    turn: int = 0

    def key(self, model: str) -> str:
        parts = json.dumps([model, self.instruction, self.chunk, self.schema, self.turn])
        return hashlib.sha256(parts.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        text: The answer; may be empty.
        finish: Why it ended, as the server says: ``stop``, ``length``, ``content_filter``.
        refusal: The server's own field for a refusal.
        asked: Tokens of the question, by the server's count.
        answered: Tokens of the answer.
        room: Tokens the answer could have had.
    """

    text: str
    finish: str
    refusal: str
    asked: int
    answered: int
    room: int


class Answers:
    """The answers of a file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, key: str, room: int) -> Answer | None:
        """The answer to a question, unless it was cut off and there is more room for it now."""
        row = self._connection.execute(
            "SELECT text, finish, refusal, asked, answered, room FROM answers WHERE key = ?", (key,)
        ).fetchone()
        answer = Answer(*row) if row else None
        return None if answer and answer.finish == "length" and answer.room < room else answer

    def put(self, key: str, answer: Answer) -> None:
        with self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)",
                (key, *(_storable(value) for value in astuple(answer))),
            )


@contextmanager
def answers(path: Path) -> Iterator[Answers]:
    """Open the file of answers, made if it is not there.

    Raises:
        BadConfig: If it is another kind of file, or cannot be written.
    """
    try:
        connection = sqlite3.connect(path, timeout=30)
    except sqlite3.Error as error:
        raise BadConfig(f"{path}: cannot hold answers: {error}") from error
    with closing(connection):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(_TABLE)
            connection.execute(
                "SELECT key, text, finish, refusal, asked, answered, room FROM answers LIMIT 0"
            )
        except sqlite3.Error as error:
            raise BadConfig(f"{path}: cannot hold answers: {error}") from error
        yield Answers(connection)


def _storable(value: object) -> object:
    """Text with lone surrogates, which a JSON answer may hold, cannot be stored as UTF-8."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
