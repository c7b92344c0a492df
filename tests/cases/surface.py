"""Ask the real service, in this process and over HTTP, for what a case wishes."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi.testclient import TestClient

from elision.compaction.summary.types import Summariser
from tests.cases.answers import JSON, Read, answered, at_once, body_and_fields
from tests.cases.loading import Case
from tests.cases.outcome import Body, Failure, Outcome, Run
from tests.cases.reading import messages
from tests.cases.session import Session, keeps_session
from tests.cases.shapes import reshaped
from tests.cases.wishes import (
    compact_order,
    count_order,
    fields_of,
    messages_order,
    missing,
    summarises,
    text_order,
)
from tests.cases.writer import StubWriter

_LONG = 5.0  # seconds: what took less is within every limit
_SHORTEN = "/v1/compress/messages", messages_order
_REWRITE = "/v1/compact", compact_order
_Asked = Mapping[str, Any]
Serve = Callable[[Sequence[Summariser]], AbstractContextManager[TestClient]]


class Surface:
    """Runs cases.

    Args:
        client: Speaks to a service that has no writer of summaries.
        serve: Starts another that has these, for as long as it is used.
        pace: How fast this machine is just now, as a share of the one that limits in seconds are meant for.
    """

    def __init__(self, client: TestClient, serve: Serve, pace: Callable[[], float]) -> None:
        self._client, self._serve, self._pace = client, serve, pace

    def run(self, case: Case) -> Outcome:
        """Everything a case asks for, step by step."""
        if lacking := missing(case.request):
            refused = Run(case.request, case.input, failure=Failure("missing", f"there is no {lacking}"))
            return Outcome([refused])
        return self._summarised(case) if summarises(case.request) else self._steps(case)

    def _summarised(self, case: Case) -> Outcome:
        """In a service of the case's own, whose only writer is its stub."""
        window = {"window": case.request["summarizer_window"]} if "summarizer_window" in case.request else {}
        writer = StubWriter(case.request["summarizer_stub"], **window)
        with self._serve([writer]) as client:
            if keeps_session(case):
                outcome = Session(client, case).run(writer)
            else:
                outcome = Surface(client, self._serve, self._pace)._steps(case)
        return replace(outcome, prompts=writer.prompts)

    def _steps(self, case: Case) -> Outcome:
        if case.request.get("action") == "count":
            return self._counted(case)
        if keeps_session(case):
            return Session(self._client, case).kept()
        if "compare_shapes" in case.request:
            return self._reshaped(case)
        if "probe_health" in case.request:
            with self._health() as health:
                return Outcome([self._ask(case)], health=health)
        if any(key.startswith("parallel") for key in case.request):
            return self._parallel(case)
        if "repeat" in case.request:
            return Outcome(self._repeated(case))
        tried = [{**case.request, **other} for other in case.request.get("also_try", [])]
        runs = [self._ask(replace(case, request=asked)) for asked in [case.request, *tried]]
        if case.request.get("then") == "restore":
            return Outcome(runs, restored=self._restored(runs[0]))
        return _appended(case, runs)

    def _restored(self, run: Run) -> list[Body]:
        """One text by its handle; lists of messages are not stored."""
        if not run.fields.get("handle"):
            return []
        answer = self._client.get(f"/v1/expand/{run.fields['handle']}").json()
        return [{"texts": [answer["text"]]}]

    def _counted(self, case: Case) -> Outcome:
        def count(asked: _Asked) -> Run:
            order = count_order(case.input, case.format, asked)
            return self._post("/v1/count", order, Run(asked, case.input), lambda answer: (None, answer))

        other = case.request.get("compare_with")
        return Outcome([count(case.request)], plain=count({**case.request, **other}) if other else None)

    def _reshaped(self, case: Case) -> Outcome:
        formats = case.request["compare_shapes"]
        others = [replace(case, format=name, input=dict(reshaped(case.input, name))) for name in formats]
        runs = {one.format: self._ask(one) for one in (case, *others)}
        return Outcome([runs[case.format]], shapes=runs)

    def _parallel(self, case: Case) -> Outcome:
        asked = case.request
        if other := asked.get("parallel_with"):
            second = replace(case, request={**asked, "session": other["session"]}, input=_messages_of(other))
            return Outcome(at_once([partial(self._ask, one) for one in (case, second)]))
        if "parallel_requests_one_text_each" in asked:
            jobs = [partial(self._ask, replace(case, input={"text": text})) for text in case.input["texts"]]
            together, alone = at_once(jobs), [job() for job in jobs]
            return Outcome([_merged(together)], serial=[_merged(alone)])
        return Outcome(at_once([partial(self._ask, case)] * asked["parallel_requests"]))

    def _repeated(self, case: Case) -> list[Run]:
        """``then_append`` grows the input, ``append_each_time`` the output."""
        runs = [self._ask(case)]
        for _ in range(case.request["repeat"] - 1):
            if "append_each_time" in case.request and runs[-1].failure is None:
                grown = [*messages(runs[-1].output), *case.request["append_each_time"]]
            else:
                grown = [*messages(runs[-1].given), *case.request.get("then_append", [])]
            runs.append(self._ask(replace(case, input={**case.input, "messages": grown})))
        return runs

    def _ask(self, case: Case) -> Run:
        if case.format == "text":
            return self._texts(case)
        if raw := case.input.get("raw_body"):
            return self._raw(case, raw)
        path, order_of = _REWRITE if summarises(case.request) else _SHORTEN
        order = order_of(case.input, case.format, case.request)
        return self._post(path, order, Run(case.request, case.input), body_and_fields)

    def _texts(self, case: Case) -> Run:
        texts = case.input["texts"] if "texts" in case.input else [case.input["text"]]

        def read(answer: Any) -> tuple[Body, _Asked]:
            answers = answer if isinstance(answer, list) else [answer]
            return {"texts": [one["text"] for one in answers]}, fields_of(answers)

        order = text_order(case.input, case.request)
        return self._post("/v1/compress/text", order, Run(case.request, {"texts": texts}), read)

    def _raw(self, case: Case, raw: str) -> Run:
        """A body goes in and comes out as the bytes it is, inside the JSON around it."""
        order = messages_order({}, case.format, case.request)
        around = json.dumps({key: value for key, value in order.items() if key != "body"})
        sent = f'{{"body": {raw}, {around[1:]}'
        response = self._client.post("/v1/compress/messages", content=sent.encode(), headers=JSON)
        run = answered(response, Run(case.request, json.loads(raw)), body_and_fields)
        return run if run.failure else replace(run, raw=(raw.encode(), _raw_member(response.text, "body")))

    def _post(self, path: str, order: object, run: Run, read: Read) -> Run:
        # Ours and the service's, which is in this process; a wall clock tells the load.
        start = time.process_time()
        response = self._client.post(path, content=json.dumps(order), headers=JSON)
        seconds = time.process_time() - start
        seconds *= self._pace() if seconds > _LONG else 1
        return answered(response, replace(run, seconds=seconds), read)

    @contextmanager
    def _health(self) -> Iterator[list[float]]:
        """Ask for the health every 200 ms; yields the seconds it took, while they grow."""
        seconds: list[float] = []
        working = True

        def ask() -> None:
            while working:
                start = time.monotonic()
                self._client.get("/healthz").raise_for_status()
                seconds.append(time.monotonic() - start)
                time.sleep(0.2)

        with ThreadPoolExecutor(1) as pool:
            asking = pool.submit(ask)
            try:
                yield seconds
            finally:
                working = False
            asking.result()


def _raw_member(text: str, name: str) -> bytes:
    """The bytes of one member of an object that is written with or without blanks."""
    start = text.index(f'"{name}"') + len(name) + 2
    start = text.index(":", start) + 1
    start += len(text[start:]) - len(text[start:].lstrip())
    return text[start : json.JSONDecoder().raw_decode(text, start)[1]].encode()


def _merged(runs: Sequence[Run]) -> Run:
    """One run for many of one text each; it fails if one of them does."""
    failed = [run for run in runs if run.failure]
    if failed:
        return failed[0]
    given = {"texts": [text for run in runs for text in run.given["texts"]]}
    answered = {"texts": [text for run in runs for text in run.output["texts"]]}
    return replace(runs[0], given=given, answered=answered)


def _messages_of(other: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in other.items() if key != "session"}


def _appended(case: Case, runs: list[Run]) -> Outcome:
    """The client puts what came meanwhile behind what it got."""
    later = case.request.get("appended_during", case.request.get("appended_after", []))
    if not later or runs[0].answered is None:
        return Outcome(runs)
    key = "input" if case.format == "openai-responses" else "messages"
    return Outcome(runs, final={key: [*messages(runs[0].answered), *later]}, appended=later)
