"""Replies of a writer kept in a file, one JSON line a call, so that a run that was killed goes on."""

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from elision.compaction.summary.types import Finish, Summariser, SummaryCall, SummaryReply


@dataclass(slots=True)
class Recorded:
    """A writer that is asked the same thing only once. Failures are not kept: they are tried again.

    Attributes:
        writer: Who is asked.
        path: JSON lines, each written at once; a last line that was cut off is passed over.
    """

    writer: Summariser
    path: Path
    _known: dict[str, SummaryReply] = field(init=False, repr=False)
    _lock: Lock = field(init=False, default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        self._known = _read(self.path)

    @property
    def name(self) -> str:
        """See `elision.compaction.summary.types.Summariser`."""
        return self.writer.name

    @property
    def window(self) -> int:
        """Likewise."""
        return self.writer.window

    def __call__(self, call: SummaryCall) -> SummaryReply:
        """Answer from the file, else ask and keep what came back."""
        key = _key(self.name, call)
        with self._lock:
            if key not in self._known:
                self._known[key] = self.writer(call)
                _append(self.path, key, self._known[key])
            return self._known[key]


def _key(name: str, call: SummaryCall) -> str:
    asked = json.dumps([name, call.system, call.prompt, call.max_tokens])
    return blake2b(asked.encode("ascii"), digest_size=16).hexdigest()


def _append(path: Path, key: str, reply: SummaryReply) -> None:
    row = {
        "key": key,
        "text": reply.text,
        "finish": reply.finish,
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "cost": reply.cost,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = not path.exists() or path.read_bytes()[-1:] in (b"", b"\n")
    with path.open("a", encoding="ascii") as file:
        file.write(("" if whole else "\n") + json.dumps(row) + "\n")


def _read(path: Path) -> dict[str, SummaryReply]:
    known: dict[str, SummaryReply] = {}
    for line in path.read_text(encoding="ascii", errors="replace").splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
            key, finish = row.pop("key"), Finish(row.pop("finish"))
            known[key] = SummaryReply(finish=finish, **row)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue  # cut off by whoever killed the run
    return known
