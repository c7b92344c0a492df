"""The routes of sessions: parse, call, answer.

A name is one to 200 characters that can be printed, without a slash or a space at either end. What a
session holds belongs to the key that sent it. Where nothing has to be said, a request needs no body.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AfterValidator, BaseModel

from elision.compaction.sessions.cache_marks import within_marks
from elision.serving.body import read_either, read_json
from elision.serving.compacting.reports import outcome_json
from elision.serving.compacting.schemas import CompactedReport
from elision.serving.compacting.session_jobs import SessionOutcome
from elision.serving.compacting.session_reports import (
    appended_json,
    compacted_json,
    events_json,
    history_json,
    line_json,
    state_json,
)
from elision.serving.compacting.session_schemas import (
    NAME_SCHEMA,
    PLAIN,
    Appended,
    AppendEvents,
    CompactSession,
    Fork,
    RollBack,
    SessionCompacted,
    SessionDeleted,
    SessionEvents,
    SessionHistory,
    SessionLine,
    SessionState,
    SessionViewed,
    Undo,
    is_name,
)
from elision.serving.compacting.sessions import Seen
from elision.serving.errors import FieldError, InvalidFields
from elision.serving.fields import Model, checked
from elision.serving.responses import json_around, json_response, problems, taking
from elision.serving.service import service_of
from elision.serving.tenants import tenant_of

router = APIRouter()


def _named(session: str) -> str:
    if not is_name(session):
        raise InvalidFields([FieldError("session", f"must have {PLAIN}, none of them a slash")])
    return session


Named = Annotated[
    str, Path(description="The session's name.", json_schema_extra=NAME_SCHEMA), AfterValidator(_named)
]
_ONE = "/v1/sessions/{session:path}"
_MISSING = {"_404": "The caller has no such session.", "_409": "The service keeps nothing."}
_REFUSALS = {
    "_400": "Not JSON.",
    "_413": "The body is over the limit.",
    "_415": "Another media type, or a packed body.",
    "_503": "The logs cannot be read or written.",
}
_LOOKING = problems(**_MISSING, _422="The name is none.", _503="The logs cannot be read.")


def _may_take(model: type[BaseModel]) -> dict[str, Any]:
    """A body of which nothing is required."""
    return {"requestBody": taking(model)["requestBody"] | {"required": False}}


@router.get(
    "/v1/sessions",
    summary="The caller's sessions, the one used last first",
    responses={
        200: {"model": list[SessionLine]},
        **problems(_409="The service keeps nothing.", _503="The logs cannot be read."),
    },
)
def sessions(request: Request) -> Response:  # not async: logs block, here and below
    found = service_of(request).sessions.listed(tenant_of(request))
    return json_response([line_json(info) for info in found])


@router.post(
    _ONE + "/events",
    summary="Append messages to a session; the first begin it",
    responses={
        200: {"model": Appended},
        **problems(
            **_REFUSALS,
            _409="A history goes on from no state of the session, an id is taken, or others went back meanwhile.",
            _422="A field makes no sense, or the messages are in no wire format, or not in the session's.",
        ),
    },
    openapi_extra=taking(AppendEvents),
)
async def append_events(request: Request, session: Named) -> Response:
    service = service_of(request)
    options, member, raw = await read_either(request, service.settings.max_body_bytes, "body", "messages")
    asked = checked(AppendEvents, options)
    seen = await asyncio.to_thread(service.sessions.append, tenant_of(request), session, asked, member, raw)
    return json_response(appended_json(seen))


@router.get(
    _ONE + "/view",
    summary="The request to send to the provider",
    responses={200: {"model": SessionViewed}, **_LOOKING},
)
def view_session(request: Request, session: Named) -> Response:
    seen = service_of(request).sessions.seen(tenant_of(request), session)
    return json_around(seen.body, "body", state_json(seen))


@router.post(
    _ONE + "/compact",
    summary="Rewrite a session's view so that it is shorter",
    responses={
        200: {
            "model": SessionCompacted,
            "description": "The view: rewritten, or as it was, with the reason. Who asks while a compaction "
            "is under way waits for it, and gets the same if the same was asked for.",
        },
        **problems(
            **_REFUSALS
            | {"_503": "The scorer is not loaded, too many requests wait, or a log cannot be written."},
            _404="The caller has no such session.",
            _409="Another process compacts it; ask again.",
            _422="A field or the policy makes no sense, or the limit cannot be met.",
        ),
    },
    openapi_extra=_may_take(CompactSession),
)
async def compact_session(request: Request, session: Named) -> Response:
    service = service_of(request)
    with service.compactions.admit():
        asked = await _asked(request, CompactSession)
        outcome = await service.sessions.compact(tenant_of(request), session, asked)
        return await asyncio.to_thread(_compacted, session, outcome, service.keeps)


@router.post(
    _ONE + "/replay",
    summary="Say what a policy would have made of the messages as they came; nothing is kept",
    responses={
        200: {"model": CompactedReport},
        **problems(
            **_REFUSALS | _MISSING | {"_503": "The scorer is not loaded, or too many requests are waiting."},
            _422="A field or the policy makes no sense, or the limit cannot be met.",
        ),
    },
    openapi_extra=_may_take(CompactSession),
)
async def replay_session(request: Request, session: Named) -> Response:
    service = service_of(request)
    with service.compactions.admit():
        asked = await _asked(request, CompactSession)
        job, done = await service.sessions.replay(tenant_of(request), session, asked)
        return json_around(done.raw, "body", await asyncio.to_thread(outcome_json, done, job, False))


@router.post(
    _ONE + "/rollback",
    summary="Make the view what it was",
    responses={
        200: {"model": SessionState},
        **problems(
            **_REFUSALS,
            _404="No such session.",
            _409="The session moved on meanwhile.",
            _422="No such message or event.",
        ),
    },
    openapi_extra=taking(RollBack),
)
async def roll_back_session(request: Request, session: Named) -> Response:
    return await _changed(request, session, RollBack, service_of(request).sessions.roll_back)


@router.post(
    _ONE + "/undo",
    summary="Take a compaction back; messages appended since stay",
    responses={
        200: {"model": SessionState},
        **problems(
            **_REFUSALS,
            _404="No such session.",
            _409="The session moved on meanwhile.",
            _422="It is not in effect.",
        ),
    },
    openapi_extra=_may_take(Undo),
)
async def undo_compaction(request: Request, session: Named) -> Response:
    return await _changed(request, session, Undo, service_of(request).sessions.undo)


@router.post(
    _ONE + "/fork",
    summary="Begin another session with the beginning of this one",
    responses={
        200: {"model": SessionState},
        **problems(
            **_REFUSALS,
            _404="No such session.",
            _409="A session of the new name is there already.",
            _422="No such event, or the new name is none.",
        ),
    },
    openapi_extra=taking(Fork),
)
async def fork_session(request: Request, session: Named) -> Response:
    return await _changed(request, session, Fork, service_of(request).sessions.fork)


@router.get(
    _ONE + "/history",
    summary="What became of every compaction of a session",
    responses={200: {"model": SessionHistory}, **_LOOKING},
)
def session_history(request: Request, session: Named) -> Response:
    events = service_of(request).sessions.events(tenant_of(request), session)
    return json_response(history_json(session, events, time.time()))


@router.get(
    _ONE + "/events",
    summary="The log of a session",
    responses={200: {"model": SessionEvents}, **_LOOKING},
)
def session_events(
    request: Request,
    session: Named,
    after: Annotated[
        str, Query(description="Only events after this one.", json_schema_extra={"pattern": "^[0-9]{1,15}$"})
    ] = "0",
) -> Response:
    if not (after.isascii() and after.isdecimal() and len(after) <= 15):
        raise InvalidFields([FieldError("after", "must be the number of an event")])
    events = service_of(request).sessions.events(tenant_of(request), session, int(after))
    return json_response(events_json(session, events))


@router.delete(
    _ONE,
    summary="Delete a session, and the originals that no other uses",
    responses={200: {"model": SessionDeleted}, **_LOOKING},
)
def delete_session(request: Request, session: Named) -> Response:
    originals = service_of(request).sessions.delete(tenant_of(request), session)
    return json_response({"session": session, "originals": originals})


async def _changed(
    request: Request, session: str, model: type[Model], change: Callable[[str, str, Model], Seen]
) -> Response:
    """Do to a session what the body asks for, and say where it stands."""
    asked, tenant = await _asked(request, model), tenant_of(request)
    return json_response(await asyncio.to_thread(lambda: state_json(change(tenant, session, asked))))


def _compacted(session: str, outcome: SessionOutcome, keeps: bool) -> Response:
    body = within_marks(outcome.view.body(), outcome.view.format)
    return json_around(body, "body", compacted_json(session, outcome, keeps))


async def _asked(request: Request, model: type[Model]) -> Model:
    if _has_no_body(request):
        return checked(model, {})
    return checked(model, await read_json(request, service_of(request).settings.max_body_bytes))


def _has_no_body(request: Request) -> bool:
    return "transfer-encoding" not in request.headers and int(request.headers.get("content-length", 0)) == 0
