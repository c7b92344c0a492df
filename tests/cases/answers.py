"""How an answer over HTTP is read, and how several are asked for at once."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from tests.cases.outcome import Body, Failure, Run
from tests.cases.wishes import ERRORS

JSON = {"content-type": "application/json"}
Read = Callable[[Any], tuple[Body | None, Mapping[str, Any]]]


def body_and_fields(answer: Any) -> tuple[Body, Mapping[str, Any]]:
    return answer["body"], {key: value for key, value in answer.items() if key != "body"}


def answered(response: Any, run: Run, read: Read = body_and_fields) -> Run:
    """``run`` with what came back, or with how it failed."""
    if response.is_success:
        body, fields = read(response.json())
        return replace(run, answered=body, fields=fields)
    code = str(response.json().get("code")) if "json" in response.headers["content-type"] else "not_json"
    return replace(run, failure=Failure(ERRORS.get(code, code), response.text))


def at_once(jobs: Sequence[Callable[[], Run]]) -> list[Run]:
    with ThreadPoolExecutor(len(jobs)) as pool:
        return [started.result() for started in [pool.submit(job) for job in jobs]]
