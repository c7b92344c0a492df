"""The routes that say which bundle is in use, and change it."""

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from elision.serving.body import read_json
from elision.serving.fields import AnyText, checked
from elision.serving.responses import json_response, problems, taking
from elision.serving.service import Service, service_of
from elision.serving.swap import allowed, use

LONGEST = 64 * 1024  # bytes of a body that names a bundle

router = APIRouter()


class UseBundle(BaseModel):
    """Which bundle to use from now on."""

    model_config = ConfigDict(extra="forbid", strict=True)

    bundle: Annotated[
        AnyText, Field(description="A shipped bundle's name, or a folder that this caller may choose.")
    ]


class BundleInUse(BaseModel):
    """The bundle that new requests are scored with."""

    bundle: str
    runner: str


@router.get(
    "/v1/models/use",
    summary="The bundle in use",
    responses={200: {"model": BundleInUse}, **problems(_503="The scorer is not loaded; `detail` says why.")},
)
async def in_use(request: Request) -> Response:
    return _answer(service_of(request))


@router.post(
    "/v1/models/use",
    summary="Use another bundle from now on; requests that are running keep theirs",
    responses={
        200: {"model": BundleInUse},
        **problems(
            _400="Not JSON.",
            _403="Not a bundle that this caller may choose.",
            _409="The bundle cannot be used, and the one before stays; or another is being loaded.",
            _413="The body is over the limit.",
            _415="Another media type, or a packed body.",
            _422="A field is missing, unknown or of the wrong kind.",
        ),
    },
    openapi_extra=taking(UseBundle),
)
async def use_bundle(request: Request) -> Response:
    service = service_of(request)
    asked = checked(UseBundle, await read_json(request, min(LONGEST, service.settings.max_body_bytes)))
    await use(service, allowed(asked.bundle, request, service.settings.bundle_folder))
    return _answer(service)


def _answer(service: Service) -> Response:
    scorer = service.shortener.scorer
    return json_response({"bundle": scorer.bundle, "runner": scorer.runner})
