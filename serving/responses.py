"""What routes answer with, and how their descriptions say so."""

from typing import Any

from fastapi import Response
from pydantic import BaseModel

from elision.serving.fields import inlined
from elision.serving.problems import MEDIA_TYPE
from elision.serving.receipts import dumps
from elision.serving.schemas import Problem


def problems(**meanings: str) -> dict[int | str, dict[str, Any]]:
    """The errors of a route, ``_422="..."`` each, for its description."""
    content = {MEDIA_TYPE: {"schema": inlined(Problem)}}
    return {int(key[1:]): {"description": text, "content": content} for key, text in meanings.items()}


def taking(model: type[BaseModel]) -> dict[str, Any]:
    """The body of a route that reads it itself, for its description."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": inlined(model)}}}}


def json_response(value: object) -> Response:
    """A value as JSON, lone surrogates and all."""
    return Response(dumps(value), media_type="application/json")


def json_around(raw: str, name: str, rest: dict[str, Any]) -> Response:
    """A JSON object whose first member is spelled as it is given."""
    spelled = b'{"' + name.encode() + b'":' + raw.encode() + b"," + dumps(rest)[1:]
    return Response(spelled, media_type="application/json")
