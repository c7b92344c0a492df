"""A service with sessions, asked over HTTP, and histories that have to be summarised."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
from live_server import live
from messages import Json, assistant, call, result, system, told, user

from elision.compaction.conversation import Format
from elision.compaction.summary.types import Summariser
from elision.model.types import Scorer
from elision.serving.app import create_app
from elision.serving.settings import Settings

NOTES = (
    "## Decisions and rejected options\n- SQLite was rejected because it locks the whole file [m3]\n\n"
    "## Current step\n- The importer of step 3 is being checked [m7]\n\n"
    "## Next step\n- Look at the importer of step 9 [m1]"
)


SHORT_TAIL = {"context_window": 3000, "set": ["select.tail_min=300", "select.tail_max=400"]}


def talk(turns: int, first: int = 0) -> list[Json]:
    """A talk without tools, so that only a summary makes it shorter: some 200 tokens a turn."""
    opening = [system("You work on the importer."), user("Never touch prod.yaml. Make the importer faster.")]
    said = opening if first == 0 else []
    for turn in range(first, turns):
        reasons = " ".join(
            f"Step {turn} reads row {row} of table_{turn} before it is sorted." for row in range(12)
        )
        said += [
            assistant(
                f"I looked at the importer of step {turn}. {reasons} SQLite was rejected because it locks."
            ),
            user(f"Go on with step {turn + 1}, please."),
        ]
    return said


class Session:
    """One session of a service, asked by one key."""

    def __init__(self, client: httpx.Client, name: str = "s", key: str = "mine") -> None:
        self.client, self.at = client, f"/v1/sessions/{name}"
        self.headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}

    def post(self, route: str, **fields: Any) -> httpx.Response:
        return self.client.post(f"{self.at}/{route}", json=fields, headers=self.headers)

    def get(self, route: str, **asked: Any) -> httpx.Response:
        return self.client.get(f"{self.at}/{route}", params=asked, headers=self.headers)

    def send(self, body: str, **fields: Any) -> httpx.Response:
        """Send a whole history, spelled as it is."""
        more = json.dumps(fields)[1:-1]
        content = f'{{"body":{body}{"," + more if more else ""}}}'
        return self.client.post(f"{self.at}/events", content=content.encode(), headers=self.headers)

    def tell(
        self, story: Sequence[Json], wire: Format = Format.OPENAI_CHAT, **members: Any
    ) -> httpx.Response:
        """Send a whole history."""
        return self.send(told(story, wire, **members), format=wire.value)

    def compact(self, **fields: Any) -> httpx.Response:
        """Compact, with a tail so short that something has to go."""
        return self.post("compact", **SHORT_TAIL | fields)

    def view(self) -> str:
        """The body as it is spelled."""
        text = self.get("view").text
        assert text.startswith('{"body":')
        return text.removeprefix('{"body":')[: text.rindex(',"session":') - len('{"body":')]

    def fates(self) -> list[str]:
        return [record["fate"] for record in self.get("history").json()["compactions"]]


@contextmanager
def service(scorer: Scorer, *writers: Summariser, **settings: Any) -> Iterator[httpx.Client]:
    """A real server on a free port, and a client for it."""
    app = create_app(quiet(**settings), scorer, writers=writers)
    with live(app) as client:
        yield client


def quiet(**settings: Any) -> Settings:
    """Settings of a service that logs errors only."""
    return Settings(**{"workers": 2, "log_level": "error", **settings})


def tools(steps: int) -> list[Json]:
    """A story of one turn with so many calls."""
    story = [user("fix src/app.py; never touch prod.yaml")]
    for step in range(steps):
        story += [
            call(f"c{step}", "bash", {"command": f"cat {step}.py"}),
            result(f"c{step}", f"naïve 🚀 {step}"),
        ]
    return [*story, assistant("done")]
