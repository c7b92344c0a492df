"""Kill processes that write and compact sessions at random moments, and count every message afterwards.

    .venv/bin/python scripts/session_kills.py [--kills 200] [--seed 1] [--writers 3] [--folder FOLDER]

Writers append messages and note each that was confirmed; what was not confirmed when they are killed they
send again. One process compacts in a loop. Kills are SIGKILL: two of three hit the one that compacts. After
each kill the sessions are read; at the end every confirmed message is there once and in order, in the view
or behind a summary of it. Ends with 1 if anything is lost, doubled or half written.
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path

from elision.compaction.sessions.compacting import Rewrite, compact_session
from elision.compaction.sessions.history import Fate, history
from elision.compaction.sessions.types import Appended, Entry, Event, Inserted, Item, Kept
from elision.compaction.sessions.view import SessionView, behind, originals, view
from elision.model.errors import ElisionError
from elision.serving.stores.events import SqliteLogs

TENANT = "kills"
TTL_SECONDS = 86_400.0
MESSAGES = 60  # of one writer in one session; then it goes on in the next
LIMIT_SECONDS = 0.02  # a compaction that takes longer is taken to be dead
BETWEEN_S = (0.01, 0.12)  # kills
FORK = multiprocessing.get_context("fork")


def session_of(n: int) -> str:
    return f"s{n // MESSAGES}"


def write(folder: Path, writer: int, seed: int) -> None:
    """Append for ever, from the first message that was not confirmed."""
    dice = random.Random(f"{writer} {seed}")
    logs = SqliteLogs(folder / "store.sqlite", TTL_SECONDS)
    with open(folder / f"confirmed-{writer}", "ab", buffering=0) as confirmed:
        for n in count(len(confirmations(folder, writer))):
            text = f"{writer}-{n} " + "x" * (n * 37 % 2000)
            entry = Entry(f"{writer}-{n}", json.dumps({"role": "user", "content": text}))
            logs.append(TENANT, session_of(n), [Appended((entry,), at=time.time())])
            confirmed.write(b"%d\n" % n)
            time.sleep(dice.uniform(0, 0.004))


def compact(folder: Path, seed: int) -> None:
    """Compact the sessions in turn, for ever."""
    dice = random.Random(seed)
    ids = (f"{os.getpid()}-{n}" for n in count())
    logs = SqliteLogs(folder / "store.sqlite", TTL_SECONDS)

    def run(seen: SessionView) -> Rewrite:
        time.sleep(dice.uniform(0, 0.004))  # somebody is writing a summary
        stays = dice.randint(0, len(seen.ids) // 2)
        old, new = seen.ids[: len(seen.ids) - stays], seen.ids[len(seen.ids) - stays :]
        summary = json.dumps({"role": "user", "content": f"{len(old)} messages"})
        items: list[Item] = [Inserted(summary, old)] if old else []
        return Rewrite((*items, *map(Kept, new)), summary="stub")

    while True:
        for info in logs.sessions(TENANT)[:2]:
            compact_session(
                logs,
                TENANT,
                info.name,
                run,
                clock=time.time,
                new_id=ids.__next__,
                limit_seconds=LIMIT_SECONDS,
                tries=1,
            )


def confirmations(folder: Path, writer: int) -> list[int]:
    path = folder / f"confirmed-{writer}"
    return [int(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def wrong(folder: Path, writers: int) -> Iterator[str]:
    """What is not as it must be."""
    path = folder / "store.sqlite"
    logs = SqliteLogs(path, TTL_SECONDS)
    found: list[str] = []
    for info in sorted(logs.sessions(TENANT), key=lambda info: int(info.name[1:])):
        events = logs.read(TENANT, info.name)
        try:
            yield from (f"session {info.name}: {fault}" for fault in _faults(events))
            found += [entry.id for entry in originals(events)]
        except ElisionError as error:
            yield f"session {info.name} cannot be read: {error}"
    logs.close()
    yield from (f"message {id} is there {times} times" for id, times in Counter(found).items() if times > 1)
    for writer in range(writers):
        mine = [int(id.split("-")[1]) for id in found if id.startswith(f"{writer}-")]
        confirmed = confirmations(folder, writer)
        if confirmed != list(range(len(confirmed))):
            yield f"writer {writer} confirmed out of order"
        # One more may be there: it was written, and the kill came before the note.
        if mine != list(range(len(mine))) or not 0 <= len(mine) - len(confirmed) <= 1:
            yield f"writer {writer}: {len(confirmed)} confirmed, there are {len(mine)}: {mine[-3:]}"
    connection = sqlite3.connect(path)
    (healthy,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    if healthy != "ok":
        yield f"the database: {healthy}"


def _faults(events: tuple[Event, ...]) -> Iterator[str]:
    if [event.seq for event in events] != list(range(1, len(events) + 1)):
        yield "its events are not numbered through"
    seen = view(events)
    json.loads(seen.body())
    if behind(events, seen.ids) != originals(events):
        yield "a message is neither in the view nor behind it"
    if any(entry.raw != json.dumps(json.loads(entry.raw)) for entry in originals(events)):
        yield "a message is not as it was written"


class Crew:
    """The processes, each started again when it was killed."""

    def __init__(self, folder: Path, writers: int) -> None:
        self._folder, self._starts = folder, count()
        self._work: list[Callable[[int], None]] = [lambda seed: compact(folder, seed)]
        self._work += [lambda seed, writer=n: write(folder, writer, seed) for n in range(writers)]  # type: ignore[misc]
        self._processes = [self._start(place) for place in range(len(self._work))]

    def kill(self, place: int) -> bool:
        """Kill a process and start it again; False if it had ended by itself, which none should."""
        dead = self._end(place)
        self._processes[place] = self._start(place)
        return dead

    def stop(self) -> None:
        for place in range(len(self._work)):
            self._end(place)

    def _start(self, place: int) -> BaseProcess:
        process = FORK.Process(target=self._work[place], args=(next(self._starts),))
        process.start()
        return process

    def _end(self, place: int) -> bool:
        process = self._processes[place]
        process.kill()
        process.join()
        return process.exitcode == -signal.SIGKILL


def kills(folder: Path, number: int, writers: int, dice: random.Random) -> list[str]:
    """Do so many; what went wrong."""
    SqliteLogs(folder / "store.sqlite", TTL_SECONDS).close()
    crew, faults = Crew(folder, writers), []
    try:
        for n in range(number):
            time.sleep(dice.uniform(*BETWEEN_S))
            place = 0 if n % 3 < 2 else dice.randint(1, writers)
            if not crew.kill(place):
                faults.append(f"process {place} ended by itself before kill {n + 1}")
            if n % 50 == 49:
                print(f"{n + 1} kills", flush=True)
    finally:
        crew.stop()
    return [*faults, *wrong(folder, writers)]


def _summary(folder: Path) -> str:
    logs = SqliteLogs(folder / "store.sqlite", TTL_SECONDS)
    sessions = logs.sessions(TENANT)
    fates = Counter(
        record.fate for info in sessions for record in history(logs.read(TENANT, info.name), time.time() + 1)
    )
    logs.close()
    told = ", ".join(f"{fates[fate]} {fate}" for fate in Fate if fates[fate])
    return (
        f"{len(sessions)} sessions, {sum(info.messages for info in sessions)} messages, compactions: {told}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="an empty folder to work in, which stays")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        faults = kills(folder, args.kills, args.writers, random.Random(args.seed))
        print(_summary(folder))
    print("\n".join(faults) or f"{args.kills} kills: no message lost or doubled, no half record")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
