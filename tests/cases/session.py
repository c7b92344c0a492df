"""A case whose history is kept by the service: what comes while it is compacted, and the way back."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from fastapi.testclient import TestClient

from tests.cases.answers import JSON, answered, at_once
from tests.cases.loading import Case
from tests.cases.outcome import Body, Outcome, Run
from tests.cases.reading import messages
from tests.cases.wishes import FORMATS, session_order, summarises
from tests.cases.writer import StubWriter

_OF_SUMMARIES = {"session", "appended_during", "store_originals"}


def keeps_session(case: Case) -> bool:
    """Whether a case speaks of more than a request and its answer."""
    return "dedupe_by" in case.request or (
        summarises(case.request) and bool(_OF_SUMMARIES & case.request.keys())
    )


class Session:
    """One session of the service."""

    def __init__(self, client: TestClient, case: Case) -> None:
        self._client, self._case = client, case
        self._format = FORMATS[case.format]
        self._at = f"/v1/sessions/{case.request.get('session', case.id)}"

    def kept(self) -> Outcome:
        """The history as the service keeps it: a message that is there already is none that is new."""
        sent = messages(self._case.input)
        self._append(messages=sent, ids=[message["id"] for message in sent], format=self._format)
        return Outcome([Run(self._case.request, self._case.input, self._view())])

    def run(self, writer: StubWriter) -> Outcome:
        """Everything a case with summaries asks for."""
        asked = self._case.request
        self._append(body=self._case.input, format=self._format)
        if later := asked.get("appended_during"):
            writer.meanwhile = partial(self._append, messages=later)
            runs = [self._compact()]
            if not writer.prompts:  # it was done before anything could come
                self._append(messages=later)
            return Outcome(runs, final=self._view(), appended=later)
        if "parallel_requests" in asked:
            return Outcome(at_once([self._compact] * asked["parallel_requests"]))
        runs, later = self._repeated(asked.get("append_each_time", []))
        return Outcome(runs, appended=later, restored=[self._undone() for _ in runs])

    def _repeated(self, each_time: Sequence[Any]) -> tuple[list[Run], list[Any]]:
        """Compact as often as the case says; and what was appended between."""
        runs, later = [self._compact()], list[Any]()
        for _ in range(self._case.request.get("repeat", 1) - 1):
            self._append(messages=each_time)
            later += each_time
            runs.append(self._compact())
        return runs, later

    def _append(self, **what: Any) -> None:
        self._post("events", what).raise_for_status()

    def _compact(self) -> Run:
        given = self._view()
        response = self._post("compact", session_order(given, self._case.request))
        return answered(response, Run(self._case.request, given))

    def _undone(self) -> Body:
        self._post("undo", {}).raise_for_status()
        return self._view()

    def _view(self) -> Body:
        body = self._client.get(f"{self._at}/view").raise_for_status().json()["body"]
        return {"messages": body} if isinstance(body, list) else body

    def _post(self, route: str, order: object) -> Any:
        return self._client.post(f"{self._at}/{route}", content=json.dumps(order), headers=JSON)
