"""The routes that plan and compact a history: parse, call, answer."""

import asyncio
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from elision.compaction.policies.load import load, names
from elision.compaction.policies.schema import CompactionPolicy
from elision.serving.body import read_envelope
from elision.serving.compacting.reports import outcome_json, plan_json, policy_json
from elision.serving.compacting.schemas import CompactedReport, CompactHistory, PlanCompaction, PlanReport
from elision.serving.errors import UnknownPolicy
from elision.serving.fields import checked
from elision.serving.responses import json_around, json_response, problems, taking
from elision.serving.service import service_of
from elision.serving.tenants import tenant_of

router = APIRouter()
_REFUSALS = problems(
    _400="Not JSON.",
    _413="The body is over the limit.",
    _415="Another media type, or a packed body.",
    _422="A field or the policy makes no sense, the body is in no wire format, or the limit cannot be met.",
    _503="The scorer is not loaded, or too many requests are waiting.",
)


@router.get("/v1/policies", summary="The policies that can be named")
def policies() -> list[dict[str, str]]:
    return [policy_json(load(name)) for name in names()]


@router.get(
    "/v1/policies/{name}",
    summary="One of them with all its settings",
    responses={200: {"model": CompactionPolicy}, **problems(_404="None has this name; `detail` says which there are.")},
)
def policy(name: Annotated[str, Path(json_schema_extra={"enum": [*names()]})]) -> Response:
    if name not in (known := names()):
        raise UnknownPolicy(f"no policy {name!r}; there are {', '.join(known)}")
    return json_response(load(name).model_dump(mode="json", by_alias=True))


@router.post(
    "/v1/plan",
    summary="Say what a policy would do to a history, and what that costs",
    responses={200: {"model": PlanReport}, **_REFUSALS},
    openapi_extra=taking(PlanCompaction),
)
async def plan_history(request: Request) -> Response:
    service = service_of(request)
    with service.compactions.admit():
        options, raw = await read_envelope(request, service.settings.max_body_bytes, "body")
        asked = checked(PlanCompaction, options)
        job = await service.compactions.job(raw, asked, tenant_of(request))
        return json_response(plan_json(await asyncio.to_thread(job.plan), job))


@router.post(
    "/v1/compact",
    summary="Rewrite a history so that it is shorter",
    responses={200: {"model": CompactedReport}, **_REFUSALS},
    openapi_extra=taking(CompactHistory),
)
async def compact_history(request: Request) -> Response:
    service = service_of(request)
    with service.compactions.admit():
        options, raw = await read_envelope(request, service.settings.max_body_bytes, "body")
        asked, tenant = checked(CompactHistory, options), tenant_of(request)
        job = await service.compactions.job(raw, asked, tenant)
        done = await service.compactions.once(raw, asked, tenant, partial(service.compactions.run, job))
        report = await asyncio.to_thread(outcome_json, done, job, service.keeps)
        return json_around(done.raw, "body", report)
